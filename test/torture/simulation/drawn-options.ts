/** The options of a simulated session. */
import type { Choices } from './choices.ts';

export const MODEL = 'claude-opus-5-5';
export const FALLBACK = 'claude-sonnet-5';

/** `window`: of both models, in tokens. */
export function drawnOptions(choices: Choices, window: number) {
  const isAsked = choices.chance(0.3);
  return {
    ...(choices.chance(0.5) && { fallbackModel: FALLBACK }),
    ...(choices.chance(0.3) && { maxTurns: choices.int(1, 5) }),
    ...(choices.chance(0.2) && {
      maxBudgetUsd: choices.pick([0.001, 0.02, 0.2]),
      strictBudget: choices.chance(0.5),
    }),
    ...(isAsked
      ? { permissionMode: choices.pick(['default', 'acceptEdits', 'dontAsk', 'plan'] as const) }
      : { permissionMode: 'bypassPermissions' as const, allowDangerouslySkipPermissions: true }),
    includePartialMessages: choices.chance(0.4),
    durability: choices.pick(['process', 'power'] as const),
    ...(window < 200_000 && {
      modelOverrides: { [MODEL]: { window }, [FALLBACK]: { window } } as never,
    }),
    maxOutputTokens: window < 50_000 ? 2_000 : undefined,
  };
}
