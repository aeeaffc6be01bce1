/** Events as a response of the kind `text/event-stream`. */
import type { PageEvent } from './page-events.ts';

/** A comment that proxies count as traffic, and pages pass over. */
const KEEP_ALIVE = ': still here\n\n';
const KEEP_ALIVE_MS = 15_000;

/** Longer than the pause of an idle connection that the usual proxies allow is not needed. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx would collect the events.
  'x-accel-buffering': 'no',
};

/** Text of `events(signal)`; `signal` fires when the reader of the response is gone, or `gone` fires. */
export function textStream(
  texts: (signal: AbortSignal) => AsyncGenerator<string, void, void>,
  { gone, headers }: { readonly gone?: AbortSignal | undefined; readonly headers?: Record<string, string> },
): Response {
  const left = new AbortController();
  const leave = () => left.abort();
  if (gone?.aborted === true) leave();
  else gone?.addEventListener('abort', leave, { once: true });
  const iterator = texts(left.signal);
  const encoder = new TextEncoder();
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  const stop = () => {
    clearInterval(keepAlive);
    gone?.removeEventListener('abort', leave);
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      keepAlive = setInterval(() => controller.enqueue(encoder.encode(KEEP_ALIVE)), KEEP_ALIVE_MS);
      (keepAlive as { unref?(): void }).unref?.();
    },
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done !== true) return controller.enqueue(encoder.encode(value));
      stop();
      if (!left.signal.aborted || gone?.aborted === true) controller.close();
    },
    async cancel() {
      stop();
      leave();
      await iterator.return();
    },
  });
  return new Response(body, { headers: { ...HEADERS, ...headers } });
}

/** One event in the form of server-sent events. */
export const eventText = ({ id, event, data }: PageEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
