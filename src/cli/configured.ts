/** Whether a model can be reached at all. Names are looked at, never values. */
import type { RunFlags } from './args.ts';
import { UsageError } from './usage-error.ts';
import type { Env } from './world.ts';

const MODEL_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'] as const;

/** The variables of the environment that point at a model, in order of precedence. */
export function modelVariables(env: Env): readonly string[] {
  return MODEL_VARIABLES.filter((name) => (env[name] ?? '') !== '');
}

export const NOT_CONFIGURED =
  'No model is configured. Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN), or ANTHROPIC_BASE_URL for a local or compatible server. `turnwright start` works without: it plays a rehearsed run.';

/** Throws `UsageError` when nothing names a model: exit code 2, nothing was sent. */
export function requireModel(env: Env, _flags: RunFlags): void {
  if (modelVariables(env).length === 0) throw new UsageError(NOT_CONFIGURED);
}
