/** Forks a kept session at one of its steps. */
import type {
  CourseStep,
  ForkAtRequest,
  ForksAtStep,
  SessionCourse,
  SessionFork,
} from '../engine/standalone/fork-at-step.ts';
import { resolvePlace } from './process-place.ts';
import type { SessionOptions } from './sessions.ts';

export type { CourseStep, ForksAtStep, SessionCourse, SessionFork };
/** The session's place, the step, and the forks. */
export type ForkAtOptions = SessionOptions & ForkAtRequest;

/**
 * Makes forks of a session at one of its steps, to be run from there with `query()`: each is a new session
 * with everything that came before the request of this step, and a working copy with the files as they were
 * then (a git worktree where there is a repository with a commit). The session and its folder do not change.
 * In the copied conversation the names of files are those of the working copy.
 *
 * What commands changed in files is not recorded: `notes` names it. Default: the newest session of `cwd`.
 *
 * @throws `session_not_found`; `invalid_option` for a step that the session does not have, and for a folder
 * that cannot be copied; the message says why.
 * @example
 * const { forks } = await forkAt(sessionId, { at: 3, forks: [{ name: 'opus' }, { name: 'haiku' }] });
 * for (const { name, options, compare } of forks) {
 *   for await (const _ of query({ options: { ...options, model: name } }));
 *   console.log(name, (await compare()).text);
 * }
 */
export async function forkAt(sessionId: string | undefined, options: ForkAtOptions): Promise<ForksAtStep> {
  const { forkAtStep: run } = await import('../engine/standalone/fork-at-step.ts');
  return run(sessionId, resolvePlace(options), options);
}
