/** What a page receives of a run: numbered events, the same on every connection. */
import type { JsonObject } from '@turnwright/engine/protocol/json.ts';
import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';

/** A question about a tool call, as a page shows it. */
export interface PageAsk {
  /** Id of the question; an answer names it. */
  readonly ask: string;
  /** Name of the tool: `Bash`. */
  readonly tool: string;
  readonly input: JsonObject;
  /** The question in one sentence. */
  readonly title?: string;
  /** Subject of the call in one line: the path, the URL, the command. */
  readonly description?: string;
  /** Why the call needs an answer, as a sentence. */
  readonly reason?: string;
  /** true: an answer with `always` allows calls like this one for the rest of the session. */
  readonly canRemember?: true;
}

/** Why a run failed. */
export interface PageError {
  /** A sentence for the user. */
  readonly message: string;
  /** The `code` of a TurnwrightError. */
  readonly code?: string;
}

/** `id`: ascending within the run. A page that reconnects names the last one that it has. */
export type PageEvent = { readonly id: number } & (
  | { readonly event: 'run'; readonly data: { readonly run: string } }
  | { readonly event: 'message'; readonly data: SDKMessage }
  | { readonly event: 'ask'; readonly data: PageAsk }
  /** The question was answered, or withdrawn. */
  | { readonly event: 'answered'; readonly data: { readonly ask: string } }
  | { readonly event: 'error'; readonly data: PageError }
  /** Always the last one. */
  | { readonly event: 'end'; readonly data: Record<string, never> }
);

/** The answer of a page to a question. */
export interface PageAnswer {
  readonly behavior: 'allow' | 'deny';
  /** For the model: why the call is denied. */
  readonly message?: string;
  /** Replaces the tool's input: other values, or the answers to what the tool asks. Default: unchanged. */
  readonly input?: JsonObject;
  /** true: allows calls like this one for the rest of the session, where `canRemember` says so. */
  readonly always?: boolean;
}
