/**
 * Finds out why a prefix that should have been cached was written again: the first block of the previous
 * request that did not recur (L3, F113). Free of cost while a view only grows; after an edit it takes one
 * comparison of messages.
 */
import {
  CACHE_TTL_MS,
  type CacheBreak,
  type CacheBreakKind,
  type CacheTtl,
  type CacheWatch,
  missCost,
  missedTokens,
} from '../../protocol/model/cache.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { ModelPrice, ModelRequest } from '../../protocol/model/model.ts';
import type { View } from '../../protocol/model/view.ts';
import type { Clock } from '../../protocol/ports.ts';
import { piecesOf } from './message-json.ts';

export interface CacheWatchOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Default 5m. */
  readonly ttl?: CacheTtl;
  readonly priceOf?: (model: string) => ModelPrice | undefined;
}

interface Answered {
  readonly request: ModelRequest;
  /** Tokens in the cache when it was answered. */
  readonly cachedTokens: number;
  readonly atMs: number;
}

interface Change {
  readonly kind: CacheBreakKind;
  readonly what: string;
  readonly uuid?: string;
  readonly index?: number;
}

export function createCacheWatch({ clock, ttl = '5m', priceOf }: CacheWatchOptions): CacheWatch {
  let before: Answered | undefined;
  return {
    answered(request, usage, editedBy) {
      const earlier = before;
      const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
      const atMs = clock.nowMs();
      before = { request, cachedTokens: read + written, atMs };
      if (earlier === undefined || earlier.cachedTokens === 0) return {};
      const expectedReadTokens = earlier.cachedTokens;
      const tokens = missedTokens(expectedReadTokens, read);
      if (tokens === 0) return { expectedReadTokens };
      const change = changeSince(earlier.request, request) ?? unchanged(atMs - earlier.atMs, ttl);
      const { what, ...named } = change;
      const found: CacheBreak = {
        ...named,
        tokens,
        ...missCost(tokens, priceOf?.(request.model), ttl),
        why: sentence(what, change, editedBy),
      };
      return { expectedReadTokens, break: found };
    },
  };
}

function changeSince(before: ModelRequest, now: ModelRequest): Change | undefined {
  if (before.model !== now.model)
    return { kind: 'model', what: `the model was switched from ${before.model} to ${now.model}` };
  const tool = firstDifference(before.tools, now.tools);
  if (tool !== undefined) {
    const name = now.tools[tool]?.name ?? before.tools[tool]?.name;
    return { kind: 'tools', index: tool, what: `the tools changed, first ${name}` };
  }
  const system = firstDifference(before.system, now.system);
  if (system !== undefined)
    return { kind: 'system', index: system, what: `block ${system} of the system prompt changed` };
  if (settings(before) !== settings(now))
    return { kind: 'settings', what: 'thinking, effort or speed was set otherwise' };
  const context = firstDifference(before.userContext ?? [], now.userContext ?? []);
  if (context !== undefined)
    return { kind: 'user_context', index: context, what: 'the context before the first message changed' };
  return messageChange(before.view, now.view);
}

function firstDifference(before: readonly unknown[], now: readonly unknown[]): number | undefined {
  if (before === now) return undefined;
  const length = Math.max(before.length, now.length);
  for (let at = 0; at < length; at++) {
    if (before[at] !== now[at] && JSON.stringify(before[at]) !== JSON.stringify(now[at])) return at;
  }
  return undefined;
}

function settings({ thinking, effort, speed }: ModelRequest): string {
  return JSON.stringify([thinking, effort, speed]);
}

function messageChange(before: View, now: View): Change | undefined {
  if (before.root === now.root && before.length <= now.length) return undefined;
  for (let at = 0; at < before.length; at++) {
    const old = before.at(at) as ViewMessage;
    const other = now.at(at);
    if (old === other || (other !== undefined && sameBytes(old, other))) continue;
    const { uuid } = old;
    if (other?.uuid === uuid) return { kind: 'message_changed', uuid, what: `message ${at} changed` };
    if (now.slice(at).some((message) => message.uuid === uuid) && other !== undefined)
      return { kind: 'message_inserted', uuid: other.uuid, what: `a message was put before message ${at}` };
    return { kind: 'message_removed', uuid, what: `message ${at} was removed` };
  }
  return undefined;
}

function sameBytes(a: ViewMessage, b: ViewMessage): boolean {
  const left = piecesOf(a);
  const right = piecesOf(b);
  return left.length === right.length && left.every((piece, at) => piece.json === right[at]?.json);
}

function unchanged(idleMs: number, ttl: CacheTtl): Change {
  if (idleMs > CACHE_TTL_MS[ttl])
    return { kind: 'expired', what: `${Math.round(idleMs / 60_000)} minutes had passed, more than ${ttl}` };
  return { kind: 'unexplained', what: 'the request was the same, and the endpoint did not find it' };
}

function sentence(what: string, { kind }: Change, editedBy: readonly string[]): string {
  const by = kind.startsWith('message_') && editedBy.length > 0 ? ` (${editedBy.join(', ')})` : '';
  return `${what}${by}`;
}
