/** Where a process that resumes a session begins. */
import type { InterruptedTurn, SessionResumePoint } from '../engine/standalone/inspect-session.ts';
import { resolvePlace } from './process-place.ts';
import type { SessionOptions } from './sessions.ts';

export type { InterruptedTurn, SessionResumePoint };

/**
 * What a process that resumes the session finds: the todo list, and the turn that was cut off (by a crash or
 * a kill), which `query()` with `resume` and without a prompt finishes. Reads only. Default: the newest
 * session of `cwd`. Rejects with `session_not_found`.
 *
 * @example
 * const { interrupted } = await sessionResumePoint();
 * if (interrupted?.call) console.log(`cut off at ${interrupted.call.name}`);
 */
export async function sessionResumePoint(
  sessionId?: string,
  options: SessionOptions = {},
): Promise<SessionResumePoint> {
  return (await import('../engine/standalone/inspect-session.ts')).readResumePointAt(
    sessionId,
    resolvePlace(options),
  );
}
