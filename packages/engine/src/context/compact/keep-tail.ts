/** Splits the view into the part that a compaction replaces and the part that it keeps. */
import type { ContextLimits } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { findLastPrompt, isSummary, type Round, splitRounds } from '../rounds.ts';

export interface Split {
  /** Rounds to replace, oldest first. May contain the last prompt, although that is kept. */
  readonly before: readonly Round[];
  /** Real tokens, as far as the scale is known. */
  readonly beforeTokens: number;
  /** In the order of the view: the last prompt if it precedes the tail, then the tail. Never empty. */
  readonly kept: readonly ViewMessage[];
}

/** More than the last round is kept only while it is at most this large. */
const TAIL_TOKENS = 10_000;
const TAIL_SHARE = 0.1;

interface TailOptions {
  /** Keeps the last round only. Default false. */
  readonly lastRoundOnly?: boolean;
  /** Real tokens per estimated token. Default 1. */
  readonly scale?: number;
}

/** Undefined for an empty view. */
export function splitBeforeTail(
  messages: readonly ViewMessage[],
  limits: ContextLimits,
  { lastRoundOnly = false, scale = 1 }: TailOptions = {},
): Split | undefined {
  const rounds = splitRounds(messages);
  const budget = lastRoundOnly ? 0 : Math.min(TAIL_TOKENS, limits.effective * TAIL_SHARE) / scale;
  let cut = rounds.length - 1;
  if (cut < 0) return undefined;
  let tokens = rounds[cut]?.tokens ?? 0;
  while (cut > 0) {
    const earlier = rounds[cut - 1] as Round;
    if (tokens + earlier.tokens > budget || earlier.messages.some(isSummary)) break;
    tokens += earlier.tokens;
    cut -= 1;
  }
  const before = rounds.slice(0, cut);
  const tail = rounds.slice(cut).flatMap((round) => round.messages);
  const prompt = findLastPrompt(messages);
  const kept = prompt === undefined || tail.includes(prompt) ? tail : [prompt, ...tail];
  return { before, beforeTokens: before.reduce((sum, round) => sum + round.tokens, 0) * scale, kept };
}
