/** What a scripted model says: plain data, built by a handful of words that can be combined. */
import type { ModelFailure } from '../protocol/failure.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ModelRequest, RetryNotice } from '../protocol/model.ts';
import type { AssistantBlock, StopReason, Usage } from '../protocol/wire.ts';

/** The client's own defaults. */
export const MAX_RETRIES = 10;
export const FIRST_DELAY_MS = 500;

/** One piece of an answer, in order. Ids of tool calls that were not given are numbered when the answer is played. */
export type Part =
  | { readonly kind: 'block'; readonly block: AssistantBlock; readonly rawInput?: string }
  /** The block starts and never ends: for streams that break inside it. */
  | { readonly kind: 'unfinished'; readonly block: AssistantBlock }
  /** The stream stands still until this settles, or until abort. */
  | { readonly kind: 'pause'; readonly until: Promise<unknown> };

export interface ReplyOptions {
  /** Default `tool_use` when the answer holds a call, else `end_turn`. */
  readonly stopReason?: StopReason | null;
  readonly stopSequence?: string;
  /** Default 10 tokens in, 5 out. */
  readonly usage?: Partial<Usage>;
  /** Longest delta, in characters. Default: a block's content is one delta. */
  readonly chunkChars?: number;
  /** Events that one socket read holds. Default: all up to the next pause. */
  readonly eventsPerBatch?: number;
  readonly messageId?: string;
  /** The model the answer names; default the request's. */
  readonly model?: string;
  readonly contextManagement?: unknown;
}

export interface Reply {
  readonly kind: 'reply';
  readonly parts: readonly Part[];
  readonly options: ReplyOptions;
}

/** How a call goes wrong. */
interface Failing {
  readonly failure: ModelFailure;
  /** The model was overloaded as often in a row as the request allows. Else the failure is the next of its row. */
  readonly atOverloadLimit?: true;
}

export type Step =
  | Reply
  | ({ readonly kind: 'failed' } & Failing)
  | ({ readonly kind: 'broken'; readonly after: Reply } & Failing)
  | { readonly kind: 'hang'; readonly after?: Reply }
  | { readonly kind: 'throws'; readonly error: unknown }
  | { readonly kind: 'retries'; readonly notices: readonly RetryNotice[]; readonly then: Step };

/** A step, or a function that looks at the request (and may assert about it) first. */
export type ScriptStep = Step | ((request: ModelRequest) => Step);

const one = (block: AssistantBlock, options: ReplyOptions = {}): Reply => ({
  kind: 'reply',
  parts: [{ kind: 'block', block }],
  options,
});

/** Text. */
export function say(text: string, options?: ReplyOptions): Reply {
  return one({ type: 'text', text }, options);
}

/** A thinking block, signed. */
export function think(
  thinking = 'Let me see.',
  options?: ReplyOptions & { readonly signature?: string },
): Reply {
  return one({ type: 'thinking', thinking, signature: options?.signature ?? 'c2lnbmF0dXJl' }, options);
}

/** A tool call. `rawInput` streams these characters as its input, valid JSON or not. */
export function callTool(
  name: string,
  input: JsonObject = {},
  options: ReplyOptions & { readonly id?: string; readonly rawInput?: string } = {},
): Reply {
  const { id, rawInput, ...rest } = options;
  const block: AssistantBlock = { type: 'tool_use', id: id ?? '', name, input };
  return {
    kind: 'reply',
    parts: [{ kind: 'block', block, ...(rawInput !== undefined && { rawInput }) }],
    options: rest,
  };
}

/** Any block, as it is. */
export function block(content: AssistantBlock, options?: ReplyOptions): Reply {
  return one(content, options);
}

/** A block that begins and is never finished: the last part of a `broken` or `hang` step. */
export function unfinished(content: AssistantBlock): Reply {
  return { kind: 'reply', parts: [{ kind: 'unfinished', block: content }], options: {} };
}

/** Holds the stream back until the promise settles. */
export function pause(until: Promise<unknown>): Reply {
  return { kind: 'reply', parts: [{ kind: 'pause', until }], options: {} };
}

/** One answer out of several parts: `reply([think(), say('Looking.'), callTool('Read')], { stopReason: 'max_tokens' })`. */
export function reply(parts: readonly Reply[], options: ReplyOptions = {}): Reply {
  return {
    kind: 'reply',
    parts: parts.flatMap((part) => part.parts),
    options: Object.assign({}, ...parts.map((part) => part.options), options) as ReplyOptions,
  };
}

/** A failure with a sentence of its own, for tests that care about its kind alone. */
export function failure(given: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>): ModelFailure {
  return { message: `Scripted failure: ${given.kind}.`, ...given };
}

/** The call fails before a message has begun: outcome `failed`. */
export function fail(given: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>): Step {
  return { kind: 'failed', failure: failure(given) };
}

/** The stream breaks after these parts: outcome `broken`. Default failure: `cut`. */
export function broken(
  given: {
    readonly after?: readonly Reply[];
    readonly failure?: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>;
    readonly options?: ReplyOptions;
  } = {},
): Step {
  return {
    kind: 'broken',
    after: reply(given.after ?? [], given.options),
    failure: failure(given.failure ?? { kind: 'cut' }),
  };
}

/**
 * Overloaded as often in a row as makes the loop fall back to another model, if it has one. With `after`, the last
 * overload comes inside a stream that has delivered these parts: outcome `broken`; without it, `failed`.
 */
export function fallback(
  given: Partial<ModelFailure> & { readonly after?: readonly Reply[]; readonly options?: ReplyOptions } = {},
): Step {
  const { after, options, ...rest } = given;
  const overloaded = failure({
    kind: 'overloaded',
    errorType: 'overloaded_error',
    ...(after === undefined && { status: 529 }),
    ...rest,
  });
  return after === undefined
    ? { kind: 'failed', failure: overloaded, atOverloadLimit: true }
    : { kind: 'broken', after: reply(after, options), failure: overloaded, atOverloadLimit: true };
}

/** Reports these retries, then goes on with the step. */
export function retries(notices: readonly Partial<RetryNotice>[], then: Step): Step {
  return {
    kind: 'retries',
    notices: notices.map((notice, i) => ({
      attempt: i + 1,
      maxRetries: MAX_RETRIES,
      delayMs: FIRST_DELAY_MS,
      status: 529,
      error: 'overloaded',
      cause: 'Overloaded',
      ...notice,
    })),
    then,
  };
}

/** Sends these parts, if any, and then nothing until abort. */
export function hang(...after: readonly Reply[]): Step {
  return after.length === 0 ? { kind: 'hang' } : { kind: 'hang', after: reply(after) };
}

/** Breaks the port's contract: the call throws. */
export function throws(error: unknown): Step {
  return { kind: 'throws', error };
}
