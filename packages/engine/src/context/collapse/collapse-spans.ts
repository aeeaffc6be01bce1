/**
 * Which parts of the view may be collapsed: runs of finished, whole rounds in front of the kept tail (L2.5).
 */
import type { ContextLimits } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { splitBeforeTail } from '../compact/keep-tail.ts';
import { findLastPrompt, isSummary, type Round } from '../rounds.ts';

export interface MessageSpan {
  readonly uuids: readonly string[];
  readonly messages: readonly ViewMessage[];
}

interface SpanSize {
  /** A span is closed once it holds this many tokens; the rest is left for later. */
  readonly fromTokens: number;
  /** Limit of the summarising model; a larger round is skipped (F17). */
  readonly atMostTokens: number;
}

/** Oldest first. `taken`: messages of other spans. */
export function collapsibleSpans(
  messages: readonly ViewMessage[],
  limits: ContextLimits,
  size: SpanSize,
  taken: ReadonlySet<string>,
): MessageSpan[] {
  const split = splitBeforeTail(messages, limits);
  if (split === undefined) return [];
  const pinned = new Set(split.kept);
  const stays = (message: ViewMessage) =>
    pinned.has(message) || isSummary(message) || isCollapse(message) || taken.has(message.uuid);

  const spans: MessageSpan[] = [];
  let rounds: Round[] = [];
  let tokens = 0;
  const begin = () => {
    rounds = [];
    tokens = 0;
  };
  for (const round of split.before) {
    if (round.tokens > size.atMostTokens || round.messages.some(stays)) {
      begin();
      continue;
    }
    if (tokens + round.tokens > size.atMostTokens) begin();
    rounds.push(round);
    tokens += round.tokens;
    if (tokens < size.fromTokens) continue;
    spans.push(toSpan(rounds));
    begin();
  }
  return spans;
}

/** Where the span is now, contiguous and outside the kept part; undefined if it no longer is. */
export function findSpan(
  uuids: readonly string[],
  messages: readonly ViewMessage[],
  positions: ReadonlyMap<string, number>,
): { readonly from: number; readonly messages: readonly ViewMessage[] } | undefined {
  const from = positions.get(uuids[0] ?? '');
  if (from === undefined) return undefined;
  const there = messages.slice(from, from + uuids.length);
  return uuids.every((uuid, i) => there[i]?.uuid === uuid) ? { from, messages: there } : undefined;
}

/** Messages that a compaction always keeps. */
export function pinnedMessages(
  messages: readonly ViewMessage[],
  limits: ContextLimits,
): ReadonlySet<ViewMessage> {
  const prompt = findLastPrompt(messages);
  return new Set([
    ...(splitBeforeTail(messages, limits)?.kept ?? []),
    ...(prompt === undefined ? [] : [prompt]),
  ]);
}

/** Replaces a span of rounds; unlike a summary it does not cover what precedes it. */
function isCollapse(message: ViewMessage): boolean {
  return message.type === 'user' && message.isSynthetic === true && message.kind === 'collapse';
}

function toSpan(rounds: readonly Round[]): MessageSpan {
  const messages = rounds.flatMap((round) => round.messages);
  return { uuids: messages.map((message) => message.uuid), messages };
}
