/**
 * The boundary between what all providers share (retries, admission, time limits, records) and what differs:
 * how a request is put on the wire, and how the answer is read. A wire makes one attempt at a time and never
 * retries.
 */

import type { Life } from '../protocol/life.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { AssistantMessage } from '../protocol/model/messages.ts';
import type { ModelInfo, ModelOutput, ModelRequest, RetryState } from '../protocol/model/model.ts';
import type { Usage } from '../protocol/model/wire.ts';
import type { Clock } from '../protocol/ports.ts';
import type { Credential } from './credentials.ts';
import type { GapTrial } from './http/endpoint-gaps.ts';
import type { HttpHead } from './http/http-head.ts';
import type { ConversationEffort } from './request/normalise.ts';
import type { StreamTimeouts } from './stream/stream-watch.ts';

/** How one endpoint is spoken to: turns a request into one attempt. */
export interface Wire {
  /**
   * As errors and `modelUsage.provider` name it: `firstParty`, `bedrock`, `vertex`, `foundry`, `openai`,
   * `ai-sdk`.
   */
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

export interface WireInput {
  readonly request: ModelRequest;
  readonly info: ModelInfo;
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
}

export interface PreparedRequest {
  /** The body: what a repeated refusal is recognised by. */
  readonly chunks: readonly (Buffer | string)[];
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

/** What a wire gets from the client that uses it. */
export interface WirePorts {
  readonly clock: Clock;
  timeoutsFor(model: string): StreamTimeouts;
}

/** Makes the wire of a client. A rejection carries a sentence for the user, such as what to install. */
export type OpenWire = (ports: WirePorts) => Wire | Promise<Wire>;

/** One request on the wire and its answer. */
export interface Attempt {
  /** The next batch; at the end, once, the outcome. Never rejects. */
  next(): Promise<Batch | AttemptEnd>;
  /** Called once no more is needed, finished or not: stops the transfer. */
  close(): void;
}

/** The events of one read. */
export type Batch = Extract<ModelOutput, { kind: 'events' }>;

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
