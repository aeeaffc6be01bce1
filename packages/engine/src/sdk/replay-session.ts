/** Replays a kept session, and records one as a scenario. */
import type { InspectionSource } from '../engine/standalone/open-inspection.ts';
import type { ReplayReport } from '../protocol/session/replay-report.ts';
import { resolvePlace } from './process-place.ts';
import type { RedactOption, SessionOptions } from './sessions.ts';

/**
 * Runs the loop of a session again from its record alone, agents included, and compares each decision with
 * the recorded one: no network, no tool, nothing is written. `submission`: only this one, from 1. Default:
 * the newest session of `cwd`. `source`: of there, such as a database (`openInspectionSources()` of
 * `turnwright/durable`), instead of files. Rejects with `session_not_found`, and with `invalid_option` for
 * a submission that is not there.
 *
 * @example
 * const { difference, notRecorded } = await replaySession();
 * if (difference !== undefined) console.log(difference.iteration, difference.fact, difference.now);
 */
export async function replaySession(
  sessionId?: string,
  options: SessionOptions &
    RedactOption & {
      readonly submission?: number | undefined;
      readonly source?: InspectionSource | undefined;
    } = {},
): Promise<ReplayReport> {
  const { replaySessionAt: run } = await import('../engine/standalone/replay-kept-session.ts');
  return run(sessionId, resolvePlace(options), options);
}

/**
 * A submission of a session as a scenario file of `turnwright/rehearsal`, as text: the answers of the model
 * in order, failed attempts included. `submission`: from 1, default the last one that was answered. Default:
 * the newest session of `cwd`. undefined: no answer is recorded. Rejects like `replaySession`.
 *
 * @example
 * const scenario = await recordSession(undefined, { redact: true });
 */
export async function recordSession(
  sessionId?: string,
  options: SessionOptions & RedactOption & { readonly submission?: number } = {},
): Promise<string | undefined> {
  const { recordSessionAt: run } = await import('../engine/standalone/record-kept-session.ts');
  return run(sessionId, resolvePlace(options), options);
}
