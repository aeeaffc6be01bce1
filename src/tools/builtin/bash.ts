import type { Clock } from '../../protocol/ports.ts';
import type { Tool, ToolContext, ToolOutput, ToolProgress } from '../../protocol/tool.ts';
import { systemClock } from '../../util/clock.ts';
import { headOf, tailOf } from '../cut-text.ts';
import { deferred } from '../deferred.ts';
import { parserOf } from '../from-json-schema.ts';
import { BoundedOutput, type CollectedOutput } from './bounded-output.ts';
import { runShellCommand, type ShellEnd } from './shell-command.ts';

export interface BashInput {
  readonly command: string;
  readonly timeout?: number;
  readonly description?: string;
}

export interface BashOutput {
  /** Both streams in the order they were written; its head when there was more. */
  readonly stdout: string;
  /** Always empty: see `stdout`. */
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly exitCode: number | null;
  readonly timedOutAfterMs?: number;
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
}

export interface BashOptions {
  /** ms. Default 120 000. */
  readonly defaultTimeoutMs?: number;
  /** ms; a longer wish is lowered to it. Default 600 000. */
  readonly maxTimeoutMs?: number;
  /** Characters of output that are shown; more goes to a file. Default 30 000. */
  readonly maxOutputChars?: number;
  /** Bytes of output that are kept on disk. Default 256 MiB. */
  readonly maxSpillBytes?: number;
  /** ms that open pipes are still read after the shell has exited. Default 250. */
  readonly drainMs?: number;
  /** ms between SIGTERM and SIGKILL. Default 500. */
  readonly killGraceMs?: number;
  /** ms between two progress messages. Default 1000. */
  readonly progressMs?: number;
  readonly clock?: Clock;
}

const PREVIEW_CHARS = 2048;
const HEADLINE_CHARS = 500;

const schema = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1, description: 'The command to run.' },
    timeout: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Milliseconds until the command is stopped.',
    },
    description: { type: 'string', description: 'What the command does, in five to ten words.' },
  },
  required: ['command'],
  additionalProperties: false,
};

export function createBashTool(options: BashOptions = {}): Tool<BashInput, BashOutput> {
  const settings: Required<BashOptions> = {
    defaultTimeoutMs: options.defaultTimeoutMs ?? 120_000,
    maxTimeoutMs: options.maxTimeoutMs ?? 600_000,
    maxOutputChars: options.maxOutputChars ?? 30_000,
    maxSpillBytes: options.maxSpillBytes ?? 256 * 1024 * 1024,
    drainMs: options.drainMs ?? 250,
    killGraceMs: options.killGraceMs ?? 500,
    progressMs: options.progressMs ?? 1000,
    clock: options.clock ?? systemClock,
  };
  return {
    name: 'Bash',
    inputJsonSchema: schema,
    description: () =>
      `Runs a command in a shell (bash, else sh) and returns what it writes.

- Each call starts in the working directory in a new shell: a cd, a variable or a function does not last until the next call. Use absolute paths, or cd within the command.
- There is no terminal and no input: commands that ask questions or open an editor fail.
- The command is stopped after ${settings.defaultTimeoutMs} ms unless timeout says otherwise (at most ${settings.maxTimeoutMs} ms).
- What is started in the background with & ends when the command ends.
- Output beyond ${settings.maxOutputChars} characters is stored in a file, of which you see the beginning and the end.
- Quote paths that contain spaces. Chain commands that depend on each other with &&; make separate calls for those that do not.
- To read, search or change files, the tools Read, Grep, Glob, Edit and Write are better than cat, grep, find and sed.`,
    parse: parserOf<BashInput>(schema),
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    permissionTarget: ({ command }) => ({ kind: 'command', command }),
    // It bounds itself; a headline may stand before the output.
    maxResultChars: settings.maxOutputChars + HEADLINE_CHARS,
    microcompactable: true,
    run: (input, context) => runBash(input, context, settings),
  };
}

async function* runBash(
  input: BashInput,
  context: ToolContext,
  settings: Required<BashOptions>,
): AsyncGenerator<ToolProgress, ToolOutput<BashOutput>> {
  const { clock } = settings;
  const timeoutMs = Math.min(input.timeout ?? settings.defaultTimeoutMs, settings.maxTimeoutMs);
  const output = new BoundedOutput({
    files: context.files,
    // The id is the model's word: only what is harmless in a file name is kept of it.
    spillFile: () => context.spillFile(`${context.toolUseId.replace(/[^A-Za-z0-9_-]/g, '_')}.txt`),
    maxChars: settings.maxOutputChars,
    maxSpillBytes: settings.maxSpillBytes,
  });
  const abandoned = new AbortController();
  const startedMs = clock.monotonicMs();
  const running = runShellCommand({
    command: input.command,
    cwd: context.cwd,
    env: context.env,
    signal: AbortSignal.any([context.signal, abandoned.signal]),
    timeoutMs,
    drainMs: settings.drainMs,
    killGraceMs: settings.killGraceMs,
    output,
    clock,
  });
  try {
    while (!(await settledWithin(settings.progressMs, running, clock))) {
      yield {
        type: 'bash_progress',
        output: output.tail,
        totalBytes: output.totalBytes,
        elapsedMs: Math.round(clock.monotonicMs() - startedMs),
      };
    }
    const end = await running;
    return await report(end, await output.finish(), { timeoutMs, cwd: context.cwd, context });
  } finally {
    abandoned.abort();
  }
}

async function settledWithin(ms: number, work: Promise<unknown>, clock: Clock): Promise<boolean> {
  const tick = deferred<boolean>();
  const cancel = clock.timer(ms, () => tick.resolve(false));
  try {
    return await Promise.race([work.then(() => true), tick.promise]);
  } finally {
    cancel();
  }
}

async function report(
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

function shown(collected: CollectedOutput): string {
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
function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

/** The error of a missing folder names the shell: say what is really missing. */
async function notStarted(
  error: NodeJS.ErrnoException,
  cwd: string,
  { files }: ToolContext,
): Promise<string> {
  const folder = await files.stat(cwd);
  if (folder?.kind !== 'directory') return `The working directory ${cwd} does not exist.`;
  return `The shell could not be started: ${error.message}`;
}
