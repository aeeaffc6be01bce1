/**
 * What becomes of a refused answer. Its calls do not run; what has run is not hidden from the next model.
 */
import type { Iteration } from '../iteration.ts';
import type { ResponseSoFar } from '../response.ts';

/**
 * Another model takes over: calls that had started stay, with their results; all else is retracted. Returns
 * what was.
 */
export async function dropRefused(response: ResponseSoFar, iteration: Iteration): Promise<readonly string[]> {
  const started = new Set(response.calls.map(({ assistantUuid }) => assistantUuid));
  const dropped = response.messages.filter(({ uuid }) => !started.has(uuid));
  response.messages = response.messages.filter(({ uuid }) => started.has(uuid));
  response.held = [];
  if (started.size > 0) response.stopReason = 'tool_use';
  await iteration.retract(dropped, 'fallback');
  return dropped.map(({ uuid }) => uuid);
}

/** The refusal is the end of it: calls that were held back are answered, and do not run. */
export function answerRefused(response: ResponseSoFar, { tools }: Pick<Iteration, 'tools'>): void {
  if (response.held.length === 0) return;
  tools.refuse();
  for (const call of response.held) {
    tools.start(call);
    tools.delivered(call.block.id);
  }
  response.calls = [...response.calls, ...response.held];
  response.held = [];
}
