/**
 * The boundary between what all providers share (retries, admission, time limits, records) and what differs:
 * how a request is put on the wire, and how the answer is read. A wire makes one attempt at a time and never
 * retries.
 */

import type { Life } from '../life.ts';
import type { Clock } from '../ports.ts';
import type { ModelFailure } from './failure.ts';
import type { AssistantMessage } from './messages.ts';
import type { ModelInfo, ModelOutput, ModelRequest, RetryState } from './model.ts';
import type { ContentBlock, EffortLevel, StreamEvent, Usage } from './wire.ts';

/** How one endpoint is spoken to: turns a request into one attempt. */
export interface Wire {
  /** The API, as errors name it. */
  readonly name: string;
  /** Synchronous and without effects: the request may never be sent. */
  prepare(input: WireInput): PreparedRequest;
  /**
   * Discards cached credentials after the endpoint refused them, so that the next attempt reads new ones.
   * Absent: the wire holds none of its own. Resolves with false if there can be no others.
   */
  renewCredentials?(why: 'expired' | 'revoked'): Promise<boolean>;
  /** Releases its sockets. Attempts must be closed first. */
  close(): void | Promise<void>;
}

/** What one attempt is made of. */
export interface WireInput {
  readonly request: ModelRequest;
  readonly info: ModelInfo;
  /** `maxTokens` in it, if set, takes the place of the request's. */
  readonly state: RetryState;
  /** At high speed, where the provider offers it. */
  readonly fast: boolean;
  readonly credential: Credential;
  /** Whether the thinking of this answer may be sent back to this model. */
  readonly keepsThinking: (answer: AssistantMessage) => boolean;
  /** A key of everything that `keepsThinking` depends on. */
  readonly thinkingKey: string;
  /** What earlier attempts of this call were perhaps refused for: it is left out. */
  readonly trial?: GapTrial | undefined;
  /** The header `traceparent`, asked for when it is sent. Absent, and undefined: there is none. */
  readonly traceparent?: (() => string | undefined) | undefined;
}

/** The key or the token of requests. */
export interface Credential {
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
}

/** What is left out of the next attempt of a call, on suspicion. */
export interface GapTrial {
  readonly names: readonly string[];
  /** The attempt was answered: it is left out from now on. Returns a sentence for the log. */
  confirm(): string;
}

/** A request that can be sent. */
export interface PreparedRequest {
  /** The body: what a repeated refusal is recognised by. */
  readonly chunks: readonly (Uint8Array | string)[];
  /** Of the body, in bytes. */
  readonly length: number;
  /** The limit of the answer, in tokens, as it is sent. */
  readonly maxTokens: number;
  /** Set inside the conversation. Absent: it is not. */
  readonly effort?: ConversationEffort | undefined;
  /** Sends it. */
  open(life: Life): Attempt;
  /**
   * After a refusal: what may be unknown to the endpoint. The call is made again at once, without it.
   * undefined: nothing new. What was left out once is not named again, so the repeats are bounded.
   */
  adapt?(failure: ModelFailure): Promise<GapTrial | undefined>;
}

/** Effort of a conversation whose model takes changes of it inside. */
export interface ConversationEffort {
  readonly now: EffortLevel;
  /** Of answers that were asked for without one. */
  readonly byDefault: EffortLevel;
}

/** What a wire gets from the client that uses it. */
export interface WirePorts {
  readonly clock: Clock;
  timeoutsFor(model: string): StreamTimeouts;
}

/** Makes the wire of a client. A rejection carries a sentence for the user, such as what to install. */
export type OpenWire = (ports: WirePorts) => Wire | Promise<Wire>;

/** All in ms; `Infinity` switches a limit off. */
export interface StreamTimeouts {
  /** Until the connection is established. Default 30 s. */
  readonly connectMs: number;
  /** Until the response's headers. Default 6 min. */
  readonly headersMs: number;
  /** For a complete response without streaming. Default 10 min. */
  readonly answerMs: number;
  /** Without any byte. Default 90 s. */
  readonly idleMs: number;
  /** Without content; pings do not count. Default 10 min. */
  readonly contentMs: number;
  /** Without content inside an open thinking block. Default 30 min. */
  readonly thinkingMs: number;
  /** For a model that reads its prompt slowly: replaces the limits before the first byte of the response. */
  readonly firstByteMs?: number;
}

/** One request on the wire and its answer. */
export interface Attempt {
  /** The next batch; at the end, once, the outcome. Never rejects. */
  next(): Promise<Batch | AttemptEnd>;
  /** Called once no more is needed, finished or not: stops the transfer. */
  close(): void;
}

/** The events of one read. */
export type Batch = Extract<ModelOutput, { kind: 'events' }>;

/** The outcome of an attempt. */
export type AttemptEnd = { readonly facts: AttemptFacts } & (
  | { readonly kind: 'complete' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'aborted' }
);

/** What was seen of the answer. Times are monotonic ms of the clock. */
export interface AttemptFacts {
  head?: HttpHead;
  firstByteMs?: number;
  firstContentMs?: number;
  /** `message_start` was seen. */
  started: boolean;
  usage?: Usage;
  /** The model that the response names. */
  model?: string;
}

/** Status and headers of a response. */
export interface HttpHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** Names in lower case; repeated headers joined by comma. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/** Makes the wire of a provider of the type `wire`. A rejection carries a sentence for the user. */
export type OwnWire = (kit: WireKit) => Wire | Promise<Wire>;

/** What a wire of one's own is made with, so that it holds only what differs from others. */
export interface WireKit extends WirePorts {
  /**
   * The conversation of a request, in turns of `user` and `assistant` that alternate, beginning with `user`:
   * each call has its result in the turn behind it, and thinking is there only if it may be sent back. What
   * precedes the last answer is the same objects while the conversation grows.
   */
  turns(input: WireInput): readonly ConversationTurn[];
  /**
   * An attempt with the time limits, records and masks of all wires, which ends with `life`. The events are
   * checked: what is out of order is a failure, never a broken block.
   */
  openAttempt(input: WireInput, life: Life, source: AnswerSource): Attempt;
  /**
   * The failure that a refusal over HTTP means, by its status, its headers (`retry-after` among them) and the
   * wordings that are known. `body`: as it came.
   */
  refusal(head: HttpHead, body: string): ModelFailure;
}

/** What one side says before the other one does. */
export interface ConversationTurn {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly ContentBlock[];
}

/** Where the answer of an attempt comes from. */
export interface AnswerSource {
  /**
   * Sends the request; it must not retry. The signal ends the request and its answer. Rejects, as its events
   * may, with whatever `classify` understands.
   */
  send(signal: AbortSignal): Promise<SourcedAnswer>;
  /**
   * The failure that an error means; its `kind` decides what is retried, and what recovers from it. `head`:
   * that of an answer that has begun, where a `connection` failure counts as a cut. undefined: it is an error
   * of the network, else `unknown`.
   */
  classify(error: unknown, head: HttpHead | undefined): ModelFailure | undefined;
  /** Credentials, which are masked in failures. Default none. */
  readonly secrets?: readonly string[];
}

/** An answer that has begun. */
export interface SourcedAnswer {
  /** Default status 200 without headers. */
  readonly head?: HttpHead;
  /** Of a request that does not stream: they are read to the end, and passed on as one batch. */
  readonly events: AsyncIterable<StreamEvent> | readonly StreamEvent[];
}
