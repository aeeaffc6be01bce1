/** Tries other rules on kept sessions. */
import type { TrialRequest } from '../engine/standalone/try-kept-sessions.ts';
import type { PolicyChange, PolicyTrial } from '../protocol/session/policy-trial.ts';
import { resolvePlace } from './process-place.ts';
import type { SessionOptions } from './sessions.ts';

/** Which sessions `tryPolicy()` reads, and what it looks for. */
export type TryPolicyOptions = SessionOptions & TrialRequest;

/**
 * Puts every recorded call of kept sessions through the permission gate again, agents' calls included, under
 * changed rules, mode, folders or sandbox: what would newly be allowed, asked about and denied, and by which
 * rule. Nothing is asked, and no tool runs. Default: the newest 100 sessions of `cwd`. Rejects with
 * `session_not_found`, with `invalid_option` for a rule that cannot be read, and with `invalid_settings`.
 *
 * @example
 * const { newlyAllowed, rules, smallest } = await tryPolicy({ allow: ['Bash(npm test:*)'] });
 * console.log(newlyAllowed, rules[0]?.saved, smallest?.offers);
 */
export async function tryPolicy(change: PolicyChange, options: TryPolicyOptions = {}): Promise<PolicyTrial> {
  const { tryPolicyAt: run } = await import('../engine/standalone/try-kept-sessions.ts');
  return run(change, options, resolvePlace(options));
}
