import { readSegments } from './read-segments.ts';
import type { CommandLine } from './segment.ts';

/** Reads a command as bash would. Never throws: what cannot be read is `unseen`. The parser is loaded on first use. */
export async function readCommandLine(command: string): Promise<CommandLine> {
  return readSegments(command, await import('unbash'));
}
