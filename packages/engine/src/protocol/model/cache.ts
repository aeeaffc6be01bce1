/** Why a request's prefix was not read from the prompt cache, although one before it had written it (L3). */
import type { ModelPrice, ModelRequest } from './model.ts';
import type { Usage } from './wire.ts';

/** Lifetime of an entry after its last use. */
export type CacheTtl = '5m' | '1h';

/** The same in ms. */
export const CACHE_TTL_MS: Readonly<Record<CacheTtl, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 };

/** Cause of a cache miss: what differed from the previous request, or why the entry was gone. */
export type CacheBreakKind =
  /** Another model, or other settings that the cached bytes belong to. */
  | 'model'
  | 'settings'
  | 'system'
  | 'tools'
  | 'user_context'
  /** A message of the earlier request changed, is missing, or has another one before it. */
  | 'message_changed'
  | 'message_removed'
  | 'message_inserted'
  /** The cache entries had expired. */
  | 'expired'
  /** The prefix was unchanged, but the endpoint did not find it. */
  | 'unexplained';

/** A cache miss for a prefix that an earlier request had written. */
export interface CacheBreak {
  readonly kind: CacheBreakKind;
  /** uuid of the first message that differs. */
  readonly uuid?: string;
  /** Index of the first system block or tool that differs. */
  readonly index?: number;
  /** Tokens that were read again at full price. */
  readonly tokens: number;
  /** What that cost in USD, when prices are known. */
  readonly usd?: number;
  /** One sentence: what changed, and why. */
  readonly why: string;
}

export interface CacheReport {
  /** Tokens that were expected from the cache; absent for the first request, or without caching. */
  readonly expectedReadTokens?: number;
  readonly break?: CacheBreak;
}

/** One per conversation: compares each answered request with the one before it. */
export interface CacheWatch {
  /** `editedBy`: steps and recoveries that changed the view since the last request. */
  answered(request: ModelRequest, usage: Usage, editedBy: readonly string[]): CacheReport;
}

/** Shortfalls up to this share of the expected tokens are ignored. */
const TOLERANCE = 0.05;

/** Tokens that were expected from the cache and not read from it; 0: too few to be a break. */
export function missedTokens(expected: number, read: number): number {
  const missed = expected - read;
  return missed <= expected * TOLERANCE ? 0 : missed;
}

/** What so many tokens cost more than from the cache, in USD; absent: there are no prices. */
export function missCost(
  tokens: number,
  price: ModelPrice | undefined,
  ttl: CacheTtl,
): { readonly usd?: number } {
  if (price === undefined) return {};
  const perToken = (ttl === '1h' ? price.cacheWrite1h : price.cacheWrite5m) - price.cacheRead;
  return { usd: Math.max(0, (perToken * tokens) / 1_000_000) };
}
