/**
 * What a model's server says and hears, in words of no particular API. The checks of a `ModelClient` are
 * written in these words; a server for tests renders the answers as its API's documentation says, and reads
 * the requests back.
 */

/** A server for tests, on loopback. */
export interface ModelServer {
  /**
   * Answers the following requests for an answer, one each, in order. A request without an answer left gets
   * a refusal (`server_error`) and shows in `received`. Look-ups of models and tokens do not count.
   */
  answerWith(...answers: readonly ServerAnswer[]): void;
  /** The requests for an answer so far, in order. */
  readonly received: readonly ReceivedRequest[];
  /** Connections that are open now. */
  readonly openSockets: number;
  /** Requests whose answer has not ended. */
  readonly openAnswers: number;
  /** Refuses connections from now on, and breaks the open ones. */
  stopListening(): Promise<void>;
}

/** What the server does with one request. */
export type ServerAnswer = MessageAnswer | RefusalAnswer | NoAnswer;

export interface MessageAnswer {
  readonly kind: 'message';
  /** In order. Default none: an empty message. */
  readonly parts?: readonly AnswerPart[];
  /** Why it ends. Default `calls` if there is a call, else `end`. */
  readonly stop?: 'end' | 'calls' | 'length' | 'refusal';
  /** Default 10 in, 5 out. null: the server reports none. */
  readonly usage?: AnswerUsage | null;
  /** The name of the model that it states. Default the one that was asked for. */
  readonly model?: string;
  /** How it ends early. Default not at all. */
  readonly breaks?: AnswerBreak;
  /** Bytes of each write. Default: an event a write. */
  readonly bytesPerWrite?: number;
  /** Calls of the same place are sent in one event, where the API can. Default false. */
  readonly callsTogether?: boolean;
}

export type AnswerPart =
  /** `pieces`: in how many deltas it streams; default 2. */
  | { readonly kind: 'text'; readonly text: string; readonly pieces?: number }
  | {
      readonly kind: 'thinking';
      readonly text: string;
      readonly signature?: string;
      readonly pieces?: number;
    }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly pieces?: number;
    };

/** Tokens. What an API does not report is left out by its server. */
export interface AnswerUsage {
  /** All tokens of the prompt, cached ones included. */
  readonly input: number;
  readonly output: number;
  /** Of the input: read from the cache, written to it. Default 0. */
  readonly cacheRead?: number;
  readonly cacheWritten?: number;
}

/**
 * The answer ends after the first delta of a part of this kind; `start`: before any part; `end`: behind all
 * of them.
 */
export interface AnswerBreak {
  readonly at: 'start' | 'text' | 'thinking' | 'call' | 'end';
  /**
   * `cut`: the body ends. `reset`: the connection is reset. `stall`: nothing follows. `error`, `overloaded`:
   * the stream reports an error of the server.
   */
  readonly how: 'cut' | 'reset' | 'stall' | 'error' | 'overloaded';
}

export interface RefusalAnswer {
  readonly kind: 'refusal';
  readonly reason: RefusalReason;
  /** Further response headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the server says; default a sentence of the API's documentation. */
  readonly message?: string;
  /** Tokens of the prompt and the window, of `too_long`. Default 250,000 and 200,000. */
  readonly tokens?: { readonly input: number; readonly limit: number };
}

export type RefusalReason =
  | 'overloaded'
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'unauthorized'
  | 'forbidden'
  | 'billing'
  | 'not_found'
  | 'too_long'
  | 'too_large'
  | 'media_too_large'
  | 'bad_signature'
  | 'bad_schema'
  | 'invalid';

export interface NoAnswer {
  /**
   * `silence`: the request is taken and never answered. `reset`: the connection is reset instead of an
   * answer. `empty`: a 200 without a body. `web_page`: a 200 with HTML. `other_api`: a 200 with the JSON of
   * another API.
   */
  readonly kind: 'silence' | 'reset' | 'empty' | 'web_page' | 'other_api';
}

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly model: string;
  readonly stream: boolean;
  /** undefined: not stated. */
  readonly maxTokens: number | undefined;
  /** Joined by blank lines. */
  readonly system: string;
  readonly messages: readonly ReceivedMessage[];
  readonly tools: readonly { readonly name: string; readonly schema: unknown }[];
  /** What the answer must be JSON of, by the means of the API; undefined: nothing is asked for. */
  readonly outputSchema: unknown;
  /** Whether thinking is asked for; undefined: not mentioned. */
  readonly thinks: boolean | undefined;
  /** The key or token, as the API carries it; a signature where requests are signed. */
  readonly credential: string | undefined;
  /** Marks for the prompt cache. */
  readonly cacheMarks: number;
  /** The body, byte for byte. */
  readonly body: string;
}

export interface ReceivedMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly ReceivedPart[];
}

export type ReceivedPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string; readonly signature?: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  /** `images`: how many come with it, inside it or behind it. */
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly text: string;
      readonly isError?: boolean;
      readonly images?: number;
    }
  | { readonly kind: 'image'; readonly mediaType: string; readonly data: string };
