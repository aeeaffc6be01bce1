/** One query as one response, without reconnecting and without questions. */
import { systemClock } from '@turnwright/base/clock.ts';
import { type AgentMessages, LiveRun, type RunOptions } from './live-run.ts';
import type { UIMessageChunk } from './ui-message-chunks.ts';
import { eventStream, uiChunks, uiMessages } from './web-agent.ts';

export interface ResponseOptions extends RunOptions {
  /** `request.signal`: for servers that do not cancel the body when the connection is gone. */
  readonly signal?: AbortSignal;
}

function startRun(messages: AgentMessages, options: RunOptions): LiveRun {
  const run = new LiveRun(crypto.randomUUID(), { ...options, graceMs: 0, clock: systemClock });
  void run.drive(messages);
  return run;
}

/**
 * The messages of a query as server-sent events, for `runAgent()` of `turnwright/web/client`. When the
 * connection is gone, the query is interrupted. An error of the query is an event with a sentence.
 *
 * @example
 * ```ts
 * const response = toEventStream(query({ prompt: 'Which files are here?' }));
 * ```
 */
export function toEventStream(messages: AgentMessages, options: ResponseOptions = {}): Response {
  return eventStream(startRun(messages, options), -1, options.signal);
}

/**
 * The messages of a query as chunks of the AI SDK's UI message stream, for `createUIMessageStreamResponse`
 * and the like. Cancelling the stream interrupts the query.
 *
 * @example
 * ```ts
 * for await (const chunk of toUIMessageStream(query({ prompt: 'Which files are here?' })))
 *   if (chunk.type === 'text-delta') process.stdout.write(chunk.delta);
 * ```
 */
export function toUIMessageStream(
  messages: AgentMessages,
  options: RunOptions = {},
): ReadableStream<UIMessageChunk> {
  const left = new AbortController();
  const chunks = uiChunks(startRun(messages, options).events(-1, left.signal));
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        left.abort();
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The same as a response that `useChat` reads.
 *
 * @example
 * ```ts
 * const response = toUIMessageResponse(query({ prompt: 'Which files are here?' }));
 * ```
 */
export function toUIMessageResponse(messages: AgentMessages, options: ResponseOptions = {}): Response {
  return uiMessages(startRun(messages, options), -1, options.signal);
}
