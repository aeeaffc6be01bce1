/** What a printed run says on stderr besides its answer: servers whose tools are missing, retries, a silent model. */
import type { SDKMessage } from '../index.ts';
import type { Sink } from './print.ts';
import { createModelSilence } from './screen/model-silence.ts';
import { noteFor } from './screen/notes.ts';
import { serverProblems } from './screen/server-problems.ts';
import { createStyle } from './screen/style.ts';

const PLAIN = createStyle(false);
const LOOK_EVERY_MS = 5_000;

export interface PrintNotices {
  /** One line, without its end. */
  warn(line: string): void;
  /** Retries and a silent model are named too. `stream-json` has them in its messages. */
  readonly course: boolean;
  /** Monotonic ms. */
  nowMs(): number;
}

export function withNotices(sink: Sink, { warn, course, nowMs }: PrintNotices): Sink {
  const silence = createModelSilence(nowMs);
  const look = () => {
    const line = silence.due();
    if (line !== undefined) warn(`… ${line}; still waiting`);
  };
  const timer = course ? setInterval(look, LOOK_EVERY_MS) : undefined;
  timer?.unref();
  return {
    async show(message) {
      silence.observe(message);
      if (message.type === 'system') noticesOf(message, course).forEach(warn);
      await sink.show(message);
    },
    async end(result) {
      clearInterval(timer);
      await sink.end(result);
    },
  };
}

function noticesOf(
  message: Extract<SDKMessage, { readonly type: 'system' }>,
  course: boolean,
): readonly string[] {
  if (message.subtype === 'init') return serverProblems(message);
  const line = course && message.subtype === 'api_retry' ? noteFor(message, PLAIN) : undefined;
  return line === undefined ? [] : [line];
}
