import { closesOnFailure } from './failure-mode.ts';
import type { HookOutcome } from './fold-outcomes.ts';
import type { RegisteredHook } from './registered-hook.ts';

export function failedHook(
  { event, name, onFailure, listing }: RegisteredHook,
  problem: string,
): HookOutcome {
  const closes = closesOnFailure(event, onFailure);
  return { kind: 'failed', name, problem, closes, ...(listing.type === 'callback' && { isCallback: true }) };
}
