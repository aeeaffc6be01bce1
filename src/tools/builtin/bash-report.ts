/** What the model and the host are told of a command. */
import type { ToolContext, ToolOutput } from '../../protocol/tool.ts';
import { headOf, tailOf } from '../../util/cut-text.ts';
import type { CollectedOutput } from './bounded-output.ts';
import type { ShellEnd } from './shell-command.ts';

export interface BashOutput {
  /** Both streams in the order they were written; its head when there was more. */
  readonly stdout: string;
  /** Always empty: see `stdout`. */
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly exitCode: number | null;
  /** It was stopped, or went on in the background, after this time. */
  readonly timedOutAfterMs?: number;
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
  /** It runs on as this task; `stdout` is what it had written when its call returned. */
  readonly backgroundTaskId?: string;
  /** A person or host moved it there. */
  readonly backgroundedByUser?: boolean;
}

const PREVIEW_CHARS = 2048;

/** What a command that has ended came to. Throws when it could not be started. */
export async function report(
  { end, stopped, leftovers }: ShellEnd,
  collected: CollectedOutput,
  about: { readonly timeoutMs: number; readonly cwd: string; readonly context: ToolContext },
): Promise<ToolOutput<BashOutput>> {
  if (end.kind === 'not_started') throw new Error(await notStarted(end.error, about.cwd, about.context));
  const text = shown(collected);
  const code = end.code;
  const spill = collected.spill !== undefined && 'path' in collected.spill ? collected.spill : undefined;
  const data: BashOutput = {
    stdout: collected.head,
    stderr: '',
    interrupted: stopped !== undefined,
    exitCode: code,
    ...(stopped === 'timeout' && { timedOutAfterMs: about.timeoutMs }),
    ...(spill !== undefined && { persistedOutputPath: spill.path, persistedOutputSize: spill.bytes }),
  };
  const headline =
    stopped === 'timeout'
      ? `The command was stopped after its time limit of ${about.timeoutMs} ms.`
      : stopped === 'abort'
        ? 'The command was stopped before it ended.'
        : code === null
          ? `The command was ended by ${end.signal}.`
          : code !== 0
            ? `Exit code ${code}`
            : undefined;
  const footnote = leftovers
    ? '(Processes it had left in the background were stopped when it ended.)'
    : undefined;
  const parts = [
    headline,
    text === '' && headline === undefined ? '(Bash completed with no output)' : text,
    footnote,
  ];
  return {
    data,
    content: parts.filter((part) => part !== undefined && part !== '').join('\n'),
    ...(headline !== undefined && { isError: true }),
  };
}

export function shown(collected: CollectedOutput): string {
  if (collected.complete) return trimmed(collected.head);
  const { spill, head, tail, totalBytes } = collected;
  const where =
    spill === undefined || 'failed' in spill
      ? `The rest could not be stored: ${spill?.failed ?? 'there is no file for it'}`
      : spill.bytes < totalBytes
        ? `Its first ${spill.bytes} bytes are stored in: ${spill.path}`
        : `All of it is stored in: ${spill.path}`;
  return `<persisted-output>
The output is too large to show (${totalBytes} bytes). ${where}

It begins:
${headOf(head, PREVIEW_CHARS)}
…
It ends:
${trimmed(tailOf(tail, PREVIEW_CHARS))}
</persisted-output>`;
}

/** Without blank lines at the start and white space at the end. */
export function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

/** The error of a missing folder names the shell: say what is really missing. */
export async function notStarted(
  error: NodeJS.ErrnoException,
  cwd: string,
  { files }: ToolContext,
): Promise<string> {
  const folder = await files.stat(cwd);
  if (folder?.kind !== 'directory') return `The working directory ${cwd} does not exist.`;
  return `The shell could not be started: ${error.message}`;
}
