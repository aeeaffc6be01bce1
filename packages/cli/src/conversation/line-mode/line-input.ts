/**
 * Lines as the terminal itself edits them, or as a pipe brings them: nothing is redrawn, so that a screen
 * reader speaks each key and each deletion.
 */
import { StringDecoder } from 'node:string_decoder';

export interface LineInput {
  /** The next line, in place of `onLine`; undefined: there is none, or `signal` fired. */
  next(signal?: AbortSignal): Promise<string | undefined>;
  /** Does not read while `use` runs, which may read in its place. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  /** Resolves when no more lines come. */
  readonly ended: Promise<void>;
  close(): void;
}

/** `onLine`: receives the lines that no reader waits for. */
export function createLineInput(input: NodeJS.ReadableStream, onLine: (line: string) => void): LineInput {
  const utf8 = new StringDecoder('utf8');
  /** Who waits; the last one is the question that was asked last. */
  const waiting: ((line: string | undefined) => void)[] = [];
  let unfinished = '';
  let isOver = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const take = (line: string) => {
    const reader = waiting.pop();
    if (reader === undefined) onLine(line);
    else reader(line);
  };
  const onData = (bytes: Buffer | string) => {
    const lines = (unfinished + (typeof bytes === 'string' ? bytes : utf8.write(bytes))).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) take(line.replace(/\r$/, ''));
  };
  const finish = () => {
    if (isOver) return;
    isOver = true;
    if (unfinished !== '') take(unfinished);
    for (const reader of waiting.splice(0)) reader(undefined);
    end();
  };
  input.on('data', onData).on('end', finish).on('close', finish).on('error', finish).resume();
  return {
    ended,
    async lend(use) {
      input.off('data', onData);
      try {
        return await use();
      } finally {
        if (!isOver) input.on('data', onData).resume();
      }
    },
    next(signal) {
      if (isOver || signal?.aborted === true) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const leave = () => {
          const at = waiting.indexOf(reader);
          if (at >= 0) waiting.splice(at, 1);
          resolve(undefined);
        };
        const reader = (line: string | undefined) => {
          signal?.removeEventListener('abort', leave);
          resolve(line);
        };
        signal?.addEventListener('abort', leave, { once: true });
        waiting.push(reader);
      });
    },
    close() {
      input.off('data', onData).off('end', finish).off('close', finish).off('error', finish).pause();
      finish();
    },
  };
}
