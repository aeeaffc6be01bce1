/**
 * The delay that the server requests, in ms: `retry-after-ms`, `retry-after` (seconds or HTTP date), or
 * undefined (L8).
 */
import type { ResponseHeaders } from '../../protocol/model/provider-wire.ts';

/** Unreadable, negative and NaN values are undefined: the back-off decides then. A date in the past is 0. */
export function retryAfterMs(headers: ResponseHeaders, nowMs: number): number | undefined {
  const precise = seconds(headers['retry-after-ms']);
  if (precise !== undefined) return precise;
  const value = headers['retry-after'];
  const plain = seconds(value);
  if (plain !== undefined) return plain * 1000;
  return value === undefined ? undefined : untilDate(value, nowMs);
}

/** Time until the rate limit resets, ms: for runs that can wait for hours. */
export function rateLimitResetMs(headers: ResponseHeaders, nowMs: number): number | undefined {
  const epoch = seconds(headers['anthropic-ratelimit-unified-reset']);
  return epoch === undefined ? undefined : Math.max(0, epoch * 1000 - nowMs);
}

function seconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}

function untilDate(value: string, nowMs: number): number | undefined {
  // Date.parse accepts almost anything ("-5" is a year); an HTTP date begins with a weekday.
  if (!/^[A-Za-z]{3,9},? /.test(value.trim())) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
