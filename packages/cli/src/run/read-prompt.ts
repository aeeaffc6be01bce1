/** The task: the words of the command line, and piped input. */
import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { UsageError } from '../usage-error.ts';

interface PromptSource {
  readonly words: readonly string[];
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Kind of stdin; default determined by the system. */
  readonly kind?: StdinKind;
  /** Called when waiting for a silent stdin ended. */
  note?(sentence: string): void;
}

/**
 * `pipe`: of a shell, whose other end always closes. `socket`: of another program, which may stay open.
 * `data`: a file or an empty device, which ends by itself.
 */
type StdinKind = 'terminal' | 'pipe' | 'socket' | 'data' | 'closed';

/** Time limit for the first byte of another program when the task was also given as words. */
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

/** All input to the end; undefined when no first byte came in time. */
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
