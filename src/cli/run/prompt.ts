/** The task: the words of the command line, and whatever is piped in. */
import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { UsageError } from '../usage-error.ts';

export interface PromptSource {
  readonly words: readonly string[];
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** What kind of thing stdin is; default asks the system. */
  readonly kind?: StdinKind;
  /** Told when a silent stdin was given up on. */
  note?(sentence: string): void;
}

/**
 * `pipe`: a shell's, whose other end always closes. `socket`: another program's, which may be left open for ever.
 * `data`: a file or an empty device, which ends by itself.
 */
export type StdinKind = 'terminal' | 'pipe' | 'socket' | 'data' | 'closed';

/** How long another program may take to send its first byte when a task was given as words as well. */
const FIRST_BYTE_MS = 3_000;

/** More than the largest request of the API. */
const MAX_PIPED_BYTES = 32 * 1024 * 1024;

const TOO_LONG =
  'What is piped in is longer than 32 MiB, which no model takes. Put it into a file and name that in the task.';

/** The whole prompt; '' when there is none. Words first, then what was piped in. */
export async function readPrompt(source: PromptSource): Promise<string> {
  const words = source.words.filter((word) => word !== '').join(' ');
  const kind = source.kind ?? stdinKind(source.stdin);
  if (kind === 'terminal' || kind === 'closed') return words.trim();
  const limitMs = kind === 'socket' && words !== '' ? FIRST_BYTE_MS : undefined;
  const piped = await readAll(source.stdin, limitMs);
  if (piped === undefined) source.note?.('Nothing came through stdin within 3 seconds; going on without it.');
  return [words, piped ?? '']
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
}

function stdinKind(stdin: { readonly isTTY?: boolean }): StdinKind {
  if (stdin.isTTY === true) return 'terminal';
  try {
    const stat = fstatSync(0);
    if (stat.isFIFO()) return 'pipe';
    return stat.isSocket() ? 'socket' : 'data';
  } catch {
    return 'closed';
  }
}

/** Everything until the end; undefined when no first byte came in time. */
function readAll(stdin: Readable, firstByteMs: number | undefined): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (text: string | undefined) => {
      clearTimeout(timer);
      stdin.off('data', onData).off('end', onEnd).off('error', onError);
      stdin.pause();
      resolve(text);
    };
    const onData = (chunk: Buffer | string) => {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > MAX_PIPED_BYTES) onError(new UsageError(TOO_LONG));
    };
    const onEnd = () => settle(Buffer.concat(chunks).toString('utf8'));
    const onError = (error: Error) => {
      reject(error);
      settle(undefined);
    };
    stdin.on('data', onData).on('end', onEnd).on('error', onError);
    if (firstByteMs !== undefined) timer = setTimeout(() => settle(undefined), firstByteMs);
  });
}
