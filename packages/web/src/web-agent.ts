/** `webAgent()`: one address of a web server that runs an agent for pages. */

import { systemClock } from '@turnwright/base/clock.ts';
import { refusedHost } from '@turnwright/base/host-header.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { CanUseTool } from '@turnwright/engine/protocol/tools/can-use-tool.ts';
import { eventText, textStream } from './event-stream.ts';
import { type AgentMessages, errorSentence, LiveRun, type RunOptions } from './live-run.ts';
import { isLocalRequest } from './node-listener.ts';
import type { PageAnswer, PageEvent } from './page-events.ts';
import { RefusedRequest, readJsonBody } from './read-json-body.ts';
import { UIMessageChunks } from './ui-message-chunks.ts';

/**
 * What a page asked for.
 *
 * @example
 * ```ts
 * const agent = webAgent(async ({ prompt, request, canUseTool }) => {
 *   if (request.headers.get('authorization') === null) throw new Error('Please log in.');
 *   return query({ prompt, options: { canUseTool } });
 * });
 * ```
 */
export interface PageRequest {
  /** `prompt` of the body; of a `useChat` page the text of its last message. */
  readonly prompt: string;
  /** The body, parsed. Not checked: it is what the page sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** For cookies and headers. Its body has been read. */
  readonly request: Request;
  /** For `options.canUseTool`: the page is asked. */
  readonly canUseTool: CanUseTool;
  /** Fires when the run has ended, or every page that watched it is gone. */
  readonly signal: AbortSignal;
}

/**
 * Options of `webAgent()`.
 *
 * @example
 * ```ts
 * // For a page with `useChat` of the AI SDK; its user has half a minute to come back.
 * const options: WebAgentOptions = { format: 'ui-messages', graceMs: 30_000 };
 * ```
 */
export interface WebAgentOptions extends RunOptions {
  /**
   * What pages receive: `events` for `runAgent()` of `turnwright/web/client`, `ui-messages` for the AI SDK's
   * `useChat`. Default `events`.
   */
  readonly format?: 'events' | 'ui-messages';
  /** How long a run waits for a page that reconnects before it is interrupted. Default 10,000. */
  readonly graceMs?: number;
  /** How long the end of a run can be read. Default 60,000. */
  readonly keepMs?: number;
  /**
   * The names that this server answers for, with or without a port: `['app.example.com']`. Default: any,
   * except on a connection from the same machine, where only addresses and `localhost` are answered. A
   * reverse proxy on the same machine, and a server other than `toNodeListener`'s, need the list.
   */
  readonly hosts?: readonly string[];
  /**
   * Runs that go on at a time, of all pages together. A further prompt is refused with 429 before `start` is
   * called. Default 100.
   */
  readonly maxRuns?: number;
  /** Largest body. Default 4,000,000. */
  readonly maxBodyBytes?: number;
  /** For tests. Default: the real clock. */
  readonly clock?: Pick<Clock, 'timer'>;
}

/** Answers a request; never rejects. */
export type WebAgent = (request: Request) => Promise<Response>;

/**
 * Makes the handler of one address. `start` begins a run for a page, usually with `query()`; it may reject.
 *
 * - `POST { prompt, … }` starts a run and answers with its events.
 * - `GET ?run=<id>` continues to read a run, behind the event that `Last-Event-ID` names; 204: no such run.
 * - `POST { run, ask, behavior, … }` answers a question, `POST { run, interrupt: true }` stops the turn.
 *
 * Runs live in this process. The id of a run, 122 random bits, is enough to read and to answer it. Bodies
 * must be JSON, and requests that a browser sends for another site or host (`hosts`) are refused.
 * Authentication is the caller's: check it before calling the handler, and in `start`.
 *
 * @example
 * ```ts
 * const agent = webAgent(({ prompt, canUseTool }) =>
 *   query({ prompt, options: { canUseTool, includePartialMessages: true } }),
 * );
 * ```
 */
export function webAgent(
  start: (asked: PageRequest) => AgentMessages | Promise<AgentMessages>,
  options: WebAgentOptions = {},
): WebAgent {
  const { graceMs = 10_000, keepMs = 60_000, clock = systemClock } = options;
  const { maxRuns = 100, maxBodyBytes = 4_000_000 } = options;
  const runs = new Map<string, LiveRun>();
  let going = 0;
  const send = options.format === 'ui-messages' ? uiMessages : eventStream;

  const begin = async (request: Request, body: Readonly<Record<string, unknown>>): Promise<Response> => {
    const prompt = typeof body['prompt'] === 'string' ? body['prompt'] : lastPrompt(body['messages']);
    if (prompt === undefined || prompt.trim() === '')
      throw new RefusedRequest(
        400,
        'The body has no "prompt" with text, and no "messages" that end with one.',
      );
    if (going >= maxRuns) throw new RefusedRequest(429, 'Too many runs go on now. Try again later.');
    const run = new LiveRun(crypto.randomUUID(), { ...options, graceMs, clock });
    const { canUseTool, signal } = run;
    going += 1;
    try {
      const messages = await start({ prompt, body, request, canUseTool, signal });
      runs.set(run.id, run);
      void run.drive(messages).then(() => {
        going -= 1;
        clock.timer(keepMs, () => runs.delete(run.id));
      });
    } catch (error) {
      going -= 1;
      throw error;
    }
    return send(run, -1, request.signal);
  };

  const control = async (run: LiveRun, body: Readonly<Record<string, unknown>>): Promise<Response> => {
    if (body['interrupt'] === true) await run.interrupt();
    else if (!run.answer(String(body['ask']), answerIn(body)))
      throw new RefusedRequest(409, 'The question has been answered, or was withdrawn.');
    return new Response(null, { status: 204 });
  };

  const read = (request: Request): Response => {
    const run = runs.get(new URL(request.url).searchParams.get('run') ?? '');
    if (run === undefined) return new Response(null, { status: 204 });
    const last = Number(request.headers.get('last-event-id') ?? -1);
    return send(run, Number.isInteger(last) ? last : -1, request.signal);
  };

  return async (request) => {
    try {
      if (request.headers.get('sec-fetch-site') === 'cross-site')
        throw new RefusedRequest(403, 'Pages of other sites may not use this address.');
      const refused = refusedHost({
        host: request.headers.get('host') ?? new URL(request.url).host,
        origin: request.headers.get('origin'),
        hosts: options.hosts,
        isLocal: isLocalRequest(request),
      });
      if (refused !== undefined)
        throw new RefusedRequest(
          403,
          `${refused} The names of this server are the option "hosts" of webAgent().`,
        );
      if (request.method === 'GET') return read(request);
      if (request.method !== 'POST') throw new RefusedRequest(405, 'Only GET and POST are answered here.');
      const body = await readJsonBody(request, maxBodyBytes);
      if (typeof body['run'] !== 'string') return await begin(request, body);
      const run = runs.get(body['run']);
      if (run === undefined)
        throw new RefusedRequest(404, 'This run has ended, or was started by another process of the server.');
      return await control(run, body);
    } catch (error) {
      const status = error instanceof RefusedRequest ? error.status : 500;
      const text =
        error instanceof RefusedRequest ? error.message : (options.errorText ?? errorSentence)(error);
      return Response.json({ error: text }, { status });
    }
  };
}

function answerIn(body: Readonly<Record<string, unknown>>): PageAnswer {
  const { behavior, message, input, always } = body;
  if (behavior !== 'allow' && behavior !== 'deny')
    throw new RefusedRequest(400, 'The "behavior" of an answer is "allow" or "deny".');
  if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
    throw new RefusedRequest(400, 'The "input" of an answer is an object.');
  return {
    behavior,
    ...(typeof message === 'string' && { message }),
    ...(input !== undefined && { input: input as NonNullable<PageAnswer['input']> }),
    ...(always === true && { always }),
  };
}

/** The text of the last message of a `useChat` page; undefined if it has none. */
export function lastPrompt(messages: unknown): string | undefined {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const parts = (last as { readonly parts?: unknown } | undefined)?.parts;
  if (!Array.isArray(parts)) return undefined;
  return parts
    .flatMap((part: { readonly type?: unknown; readonly text?: unknown }) =>
      part?.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
    )
    .join('\n');
}

/** Events from `after` on. */
export function eventStream(run: LiveRun, after: number, gone?: AbortSignal): Response {
  return textStream(
    async function* (signal) {
      for await (const event of run.events(after, signal)) yield eventText(event);
    },
    { gone },
  );
}

/** Chunks from the start on: a page that reconnects builds its message again. */
export function uiMessages(run: LiveRun, _after: number, gone?: AbortSignal): Response {
  return textStream(
    async function* (signal) {
      for await (const chunk of uiChunks(run.events(-1, signal))) yield `data: ${JSON.stringify(chunk)}\n\n`;
      if (!signal.aborted) yield 'data: [DONE]\n\n';
    },
    { gone, headers: { 'x-vercel-ai-ui-message-stream': 'v1' } },
  );
}

export async function* uiChunks(events: AsyncIterable<PageEvent>) {
  const chunks = new UIMessageChunks();
  for await (const event of events) yield* chunks.of(event);
}
