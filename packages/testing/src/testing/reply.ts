/** Scripted answers of a model: plain data, built with functions that can be combined. */

import type { JsonObject } from '@turnwright/engine/protocol/json.ts';
import type { ModelFailure } from '@turnwright/engine/protocol/model/failure.ts';
import type { ModelRequest, RetryNotice } from '@turnwright/engine/protocol/model/model.ts';
import type { AssistantBlock, StopReason, Usage } from '@turnwright/engine/protocol/model/wire.ts';

/** Same default as the client. */
export const MAX_RETRIES = 10;
export const FIRST_DELAY_MS = 500;

/** One piece of an answer, in order. Tool calls without an id get a number when the answer is played. */
export type Part =
  | { readonly kind: 'block'; readonly block: AssistantBlock; readonly rawInput?: string }
  /** The block starts and never ends: for streams that break inside it. */
  | { readonly kind: 'unfinished'; readonly block: AssistantBlock }
  /** The stream pauses until this settles, or until abort. */
  | { readonly kind: 'pause'; readonly until: Promise<unknown> };

/** How an answer is streamed and ends. */
export interface ReplyOptions {
  /** Default `tool_use` when the answer holds a call, else `end_turn`. */
  readonly stopReason?: StopReason | null;
  readonly stopSequence?: string;
  /** Default 10 input tokens, 5 output tokens. */
  readonly usage?: Partial<Usage>;
  /** Maximum length of a delta, in characters. Default: one delta per block. */
  readonly chunkChars?: number;
  /** Events per socket read. Default: all up to the next pause. */
  readonly eventsPerBatch?: number;
  /** Default: generated. */
  readonly messageId?: string;
  /** The model that the answer names. Default: that of the request. */
  readonly model?: string;
  /** As the API reports applied context edits. */
  readonly contextManagement?: unknown;
}

/** A scripted answer, made by `reply()`, `say()`, `think()` or `callTool()`. */
export interface Reply {
  readonly kind: 'reply';
  readonly parts: readonly Part[];
  readonly options: ReplyOptions;
}

/** How a call fails. */
interface Failing {
  readonly failure: ModelFailure;
  /** Reports as many overloads in a row as the request allows. Absent: one more than before. */
  readonly atOverloadLimit?: true;
}

/** What the scripted model does at one call. */
export type Step =
  | Reply
  | ({ readonly kind: 'failed' } & Failing)
  | ({ readonly kind: 'broken'; readonly after: Reply } & Failing)
  | { readonly kind: 'hang'; readonly after?: Reply }
  | { readonly kind: 'throws'; readonly error: unknown }
  | { readonly kind: 'retries'; readonly notices: readonly RetryNotice[]; readonly then: Step };

/** A step, or a function that inspects the request (and may assert) and returns one. */
export type ScriptStep = Step | ((request: ModelRequest) => Step);

const one = (block: AssistantBlock, options: ReplyOptions = {}): Reply => ({
  kind: 'reply',
  parts: [{ kind: 'block', block }],
  options,
});

/** A text block. */
export function say(text: string, options?: ReplyOptions): Reply {
  return one({ type: 'text', text }, options);
}

/** A signed thinking block. */
export function think(
  thinking = 'Let me see.',
  options?: ReplyOptions & { readonly signature?: string },
): Reply {
  return one({ type: 'thinking', thinking, signature: options?.signature ?? 'c2lnbmF0dXJl' }, options);
}

/**
 * A tool call. `rawInput` is streamed as its input, valid JSON or not.
 *
 * @example
 * ```ts
 * const model = scriptedModel([callTool('Read', { file_path: '/work/a.txt' }), say('It is empty.')]);
 * ```
 */
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

/** Any block, unchanged. */
export function block(content: AssistantBlock, options?: ReplyOptions): Reply {
  return one(content, options);
}

/** A block that starts and never ends: the last part of a `broken` or `hang` step. */
export function unfinished(content: AssistantBlock): Reply {
  return { kind: 'reply', parts: [{ kind: 'unfinished', block: content }], options: {} };
}

/** Pauses the stream until the promise settles. */
export function pause(until: Promise<unknown>): Reply {
  return { kind: 'reply', parts: [{ kind: 'pause', until }], options: {} };
}

/**
 * Combines parts to one answer.
 *
 * @example reply([think(), say('Looking.'), callTool('Read')], { stopReason: 'max_tokens' })
 */
export function reply(parts: readonly Reply[], options: ReplyOptions = {}): Reply {
  return {
    kind: 'reply',
    parts: parts.flatMap((part) => part.parts),
    options: Object.assign({}, ...parts.map((part) => part.options), options) as ReplyOptions,
  };
}

/** A failure with default text, for tests that only need its kind. */
export function failure(given: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>): ModelFailure {
  return { message: `Scripted failure: ${given.kind}.`, ...given };
}

/**
 * The call fails before a message begins: outcome `failed`.
 *
 * @example
 * ```ts
 * const model = scriptedModel([fail({ kind: 'overloaded', status: 529 })]);
 * ```
 */
export function fail(given: Partial<ModelFailure> & Pick<ModelFailure, 'kind'>): Step {
  return { kind: 'failed', failure: failure(given) };
}

/**
 * The stream breaks after these parts: outcome `broken`. Default failure: `cut`.
 *
 * @example
 * ```ts
 * // The stream breaks within an answer; the next request succeeds.
 * const model = scriptedModel([broken({ after: [say('Half an ans')] }), say('The whole answer.')]);
 * ```
 */
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
 * As many overloads in a row as make the loop fall back to another model, if it has one. With `after`, the
 * last overload comes inside a stream that has delivered these parts: outcome `broken`; without it, `failed`.
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

/** Reports these retries, then plays the step. */
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

/**
 * Sends these parts, if any, and then nothing until abort.
 *
 * @example
 * ```ts
 * const model = scriptedModel([hang(say('The first words'))]);
 * ```
 */
export function hang(...after: readonly Reply[]): Step {
  return after.length === 0 ? { kind: 'hang' } : { kind: 'hang', after: reply(after) };
}

/** Violates the port's contract: the call throws. */
export function throws(error: unknown): Step {
  return { kind: 'throws', error };
}
