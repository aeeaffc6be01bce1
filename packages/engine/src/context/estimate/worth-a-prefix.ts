/**
 * Whether an edit is worth a new prefix. While the prompt is cached, everything behind the first edited
 * message is written again, at more than ten times the price of reading it. A summary of everything costs
 * about half as many units as it frees tokens; an edit that frees as many tokens as it writes again costs
 * some three times that, and keeps more.
 */
import type { StepInput } from '../../protocol/model/context.ts';
import type { View } from '../../protocol/model/view.ts';
import type { Clock } from '../../protocol/ports.ts';
import { estimateTokens } from './token-estimate.ts';

/** `freed`: real tokens that an edit whose first message has this uuid frees. O(messages behind it). */
export function isWorthAPrefix({ view, tokenFactor = 1 }: StepInput, uuid: string, freed: number): boolean {
  const messages = view.slice();
  const from = messages.findIndex((message) => message.uuid === uuid);
  if (from < 0) return true;
  return 2 * freed >= estimateTokens(messages.slice(from)) * tokenFactor;
}

/** The last request is older than the cache's lifetime: its prefix is written again in any case. */
export function isCold(view: View, clock: Pick<Clock, 'nowMs'>, cacheTtlMs: number): boolean {
  for (let i = view.length - 1; i >= 0; i--) {
    const message = view.at(i);
    if (message?.type === 'assistant') return clock.nowMs() - Date.parse(message.timestamp) > cacheTtlMs;
  }
  return false;
}
