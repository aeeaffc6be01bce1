import { readSegments } from './read-segments.ts';
import type { CommandLine, ShellLanguage } from './segment.ts';

/**
 * Reads a command as the shell that runs it would. Never throws: what cannot be read is `unseen`. The parser
 * is loaded on first use.
 */
export async function readCommandLine(
  command: string,
  language: ShellLanguage = 'bash',
): Promise<CommandLine> {
  return readSegments(command, await import('unbash'), language);
}
