/** Replays a kept session. */
import type { ReplayReport } from '../protocol/session/replay-report.ts';
import { resolvePlace } from './process-place.ts';
import type { SessionOptions } from './sessions.ts';

/**
 * Runs the loop of a session again from its record alone, agents included, and compares each decision with
 * the recorded one: no network, no tool, nothing is written. `submission`: only this one, from 1. Default:
 * the newest session of `cwd`. Rejects with `session_not_found`, and with `invalid_option` for a submission
 * that is not there.
 *
 * @example
 * const { difference, notRecorded } = await replaySession();
 * if (difference !== undefined) console.log(difference.iteration, difference.fact, difference.now);
 */
export async function replaySession(
  sessionId?: string,
  options: SessionOptions & { readonly submission?: number } = {},
): Promise<ReplayReport> {
  const { replaySessionAt: run } = await import('../engine/standalone/replay-kept-session.ts');
  return run(sessionId, resolvePlace(options), options);
}
