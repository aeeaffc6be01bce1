/** Why a request's prefix was not read from the prompt cache, although one before it had written it (L3). */
import type { ModelRequest } from './model.ts';
import type { Usage } from './wire.ts';

export type CacheBreakKind =
  /** Another model, or other settings that the cached bytes belong to. */
  | 'model'
  | 'settings'
  | 'system'
  | 'tools'
  | 'user_context'
  /** A message of the earlier request has other bytes now, is gone, or has another one before it. */
  | 'message_changed'
  | 'message_removed'
  | 'message_inserted'
  /** The entries had outlived their time. */
  | 'expired'
  /** The prefix was the same: the endpoint did not find it. */
  | 'unexplained';

export interface CacheBreak {
  readonly kind: CacheBreakKind;
  /** The first message that differs. */
  readonly uuid?: string;
  /** The first system block or tool that differs, by place. */
  readonly index?: number;
  /** Tokens that had to be read anew. */
  readonly tokens: number;
  /** What that cost, when prices are known. */
  readonly usd?: number;
  /** One sentence: what changed, and through what. */
  readonly why: string;
}

export interface CacheReport {
  /** Tokens that should have been read from the cache; absent for the first request, or without caching. */
  readonly expectedReadTokens?: number;
  readonly break?: CacheBreak;
}

/** One per conversation: compares each answered request with the one before it. */
export interface CacheWatch {
  /** `editedBy`: steps and recoveries that changed the view since the last request. */
  answered(request: ModelRequest, usage: Usage, editedBy: readonly string[]): CacheReport;
}
