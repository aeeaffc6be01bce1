/**
 * What ends or continues the loop, by priority. The order of this array IS the priority; it is written
 * nowhere else.
 *
 * Two guards stand outside it: stage 1, before a request is made (`blocking_limit`, `rapid_refill_breaker`,
 * and an abort that came before the request), and the engine, after every message (money, structured-output
 * attempts). To add a reason to stop: a new file here, a new line below, a new word in
 * `protocol/session/terminal.ts`.
 */
import type { Rule } from '../rule.ts';
import { aborted } from './aborted.ts';
import { apiError } from './api-error.ts';
import { hookStopped } from './hook-stopped.ts';
import { mediaTooLarge } from './media-too-large.ts';
import { outputCap } from './output-cap.ts';
import { parked } from './parked.ts';
import { paused } from './paused.ts';
import { promptTooLong } from './prompt-too-long.ts';
import { refused } from './refused.ts';
import { stopHooks } from './stop-hooks.ts';
import { tokenBudget } from './token-budget.ts';
import { toolEndedTurn } from './tool-ended-turn.ts';
import { turnLimit } from './turn-limit.ts';
import { unexpectedError } from './unexpected-error.ts';
import { unusableAnswer } from './unusable-answer.ts';
import { verify } from './verify.ts';

export const RULES: readonly Rule[] = [
  aborted,
  unexpectedError,
  parked,
  refused,
  // Those in `withoutCalls` decide only when the response holds no complete tool call.
  withoutCalls(promptTooLong),
  withoutCalls(mediaTooLarge),
  withoutCalls(outputCap),
  withoutCalls(paused),
  withoutCalls(apiError),
  withoutCalls(unusableAnswer),
  withoutCalls(stopHooks),
  withoutCalls(tokenBudget),
  hookStopped,
  verify,
  toolEndedTurn,
  turnLimit,
];

/** A rule about an answer that asks for nothing: passes when the response holds a complete tool call. */
function withoutCalls(rule: Rule): Rule {
  return {
    ...rule,
    applies: (facts, output, iteration) => facts.calls.length === 0 && rule.applies(facts, output, iteration),
  };
}

export { aborted as ABORTED, unexpectedError as UNEXPECTED_ERROR };
