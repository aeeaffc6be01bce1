/** The result of a command for the model and the host. */

import { terminalText } from '@turnwright/base/process/terminal-text.ts';
import { takeEnd, takeStart } from '@turnwright/base/text/cut-text.ts';
import type { ImageBlock } from '../../../protocol/model/wire.ts';
import type { ToolContext, ToolOutput, ToolResultContent } from '../../../protocol/tools/tool.ts';
import type { CollectedOutput } from './bounded-output.ts';
import { exitMeaning, isQuiet } from './exit-meaning.ts';
import type { Isolation } from './isolation-of.ts';
import type { ShellEnd } from './shell-command.ts';

export interface BashOutput {
  /**
   * Both streams in the order of their output, right-trimmed; the beginning if it was longer. With its
   * colours, which the model does not get.
   */
  readonly stdout: string;
  /** Messages of the tool itself, such as a change of folder; stderr of the command is in `stdout`. */
  readonly stderr: string;
  readonly interrupted: boolean;
  /** `stdout` is the data URL of an image, which the model receives. */
  readonly isImage: boolean;
  /** Meaning of an exit code other than 0 that is not a failure. */
  readonly returnCodeInterpretation?: string;
  /** The command prints nothing on success. */
  readonly noOutputExpected: boolean;
  /** It was stopped, or moved to the background, after this time. */
  readonly timedOutAfterMs?: number;
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
  /** It continues as this task; `stdout` is its output when the call returned. */
  readonly backgroundTaskId?: string;
  /** The user or host moved it there. */
  readonly backgroundedByUser?: boolean;
}

const PREVIEW_CHARS = 2048;
/** Typical errors of programs in a sandbox; they may have other reasons. */
const WALLS =
  /read-only file system|permission denied|operation not permitted|resource busy|network is unreachable|could not resolve|name resolution|connection refused|\b(?:EROFS|EACCES|EPERM|EBUSY|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ECONNREFUSED)\b/i;
const NO_OUTPUT = '(Bash completed with no output)';

/** The result of a command that has ended. Throws when it could not be started. */
export async function report(
  { end, stopped, leftovers, folder, complaint }: ShellEnd,
  collected: CollectedOutput,
  about: {
    readonly command: string;
    readonly timeoutMs: number;
    readonly context: ToolContext;
    readonly isolation?: Isolation | undefined;
  },
): Promise<ToolOutput<BashOutput>> {
  const { command, timeoutMs, context, isolation } = about;
  if (end.kind === 'not_started') throw new Error(await notStarted(end.error, context));
  const text = shown(collected);
  const code = end.code;
  const meaning = code === null || code === 0 ? undefined : exitMeaning(command, code);
  const image = collected.complete ? pictureIn(text) : undefined;
  const left = folder === undefined ? undefined : await leftFolder(folder, context);
  const spill = collected.spill !== undefined && 'path' in collected.spill ? collected.spill : undefined;
  const data: BashOutput = {
    stdout: collected.complete ? trimmed(collected.head) : collected.head.trimEnd(),
    stderr: left === undefined ? '' : `\n${left}`,
    interrupted: stopped !== undefined,
    isImage: image !== undefined,
    ...(meaning !== undefined && { returnCodeInterpretation: meaning }),
    noOutputExpected: isQuiet(command),
    ...(stopped === 'timeout' && { timedOutAfterMs: timeoutMs }),
    ...(spill !== undefined && { persistedOutputPath: spill.path, persistedOutputSize: spill.bytes }),
  };
  const headline =
    stopped === 'timeout'
      ? `The command was stopped after its time limit of ${timeoutMs} ms.`
      : stopped === 'abort'
        ? 'The command was stopped before it ended.'
        : code === null
          ? `The command was ended by ${end.signal}.`
          : code !== 0 && meaning === undefined
            ? `Exit code ${code}`
            : undefined;
  const footnote = leftovers
    ? '(Processes it had left in the background were stopped when it ended.)'
    : undefined;
  const failed = headline !== undefined && stopped === undefined;
  const walled = failed && isolation?.limits !== undefined && WALLS.test(text);
  const sandboxed = walled ? `(${isolation?.limits})` : undefined;
  const unstarted = complaint === undefined ? undefined : `The sandbox: ${complaint}`;
  const parts = [headline, unstarted, text, left, footnote, sandboxed].filter(
    (part) => part !== undefined && part !== '',
  );
  return {
    data,
    content: image === undefined ? parts.join('\n') || NO_OUTPUT : [image],
    isError: headline !== undefined,
    ...(isolation !== undefined && { ranIn: isolation.place }),
  };
}

/** Text for the model for a result in this form; undefined: another form. */
export function renderBashOutput(data: unknown): ToolResultContent | undefined {
  if (typeof data !== 'object' || data === null || !('stdout' in data)) return undefined;
  const { stdout, stderr } = data as { readonly stdout: unknown; readonly stderr?: unknown };
  if (typeof stdout !== 'string') return undefined;
  const image = pictureIn(trimmed(stdout));
  if (image !== undefined) return [image];
  const parts = [terminalText(stdout), typeof stderr === 'string' ? stderr : ''].map(trimmed);
  return parts.filter((part) => part !== '').join('\n') || NO_OUTPUT;
}

function pictureIn(text: string): ImageBlock | undefined {
  const [, media_type, data] =
    /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  return media_type === undefined || data === undefined
    ? undefined
    : { type: 'image', source: { type: 'base64', media_type, data } };
}

/** Moves the session to the shell's folder if allowed; otherwise returns a note. */
async function leftFolder(folder: string, { follow }: ToolContext): Promise<string | undefined> {
  if (follow === undefined) return undefined;
  const now = await follow(folder);
  return now.followed ? undefined : `Shell cwd was reset to ${now.folder}`;
}

function shown(collected: CollectedOutput): string {
  if (collected.complete) return trimmed(terminalText(collected.head));
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
${takeStart(terminalText(head), PREVIEW_CHARS)}
…
It ends:
${trimmed(takeEnd(terminalText(tail), PREVIEW_CHARS))}
</persisted-output>`;
}

/** Without blank lines at the start and white space at the end. */
export function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

/** The system's error for a missing folder names the shell: report the real cause. */
async function notStarted(error: NodeJS.ErrnoException, { files, cwd }: ToolContext): Promise<string> {
  const folder = await files.stat(cwd);
  if (folder?.kind !== 'directory') return `The working directory ${cwd} does not exist.`;
  return `The shell could not be started: ${error.message}`;
}
