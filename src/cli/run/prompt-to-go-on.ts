/**
 * `--continue` alone, without an open submission: a stopped submission has its result and has ended, so it
 * continues as a submission of its own.
 */
import { sessionDecisions, type TerminalReason } from '../../index.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import type { World } from '../world.ts';

const GO_ON = 'Go on from where you stopped.';

/** Reasons after which nothing is left to do. */
const FINISHED: ReadonlySet<TerminalReason> = new Set(['completed', 'stop_hook_prevented', 'hook_stopped']);

/** The prompt; undefined when the last turn was completed, or there was none. */
export async function promptToGoOn(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  { options: { resume } }: Pick<RunFlags, 'options'>,
): Promise<string | undefined> {
  const decisions = await sessionDecisions(resume, { cwd, env }).catch(() => []);
  const last = decisions.at(-1)?.decision;
  return last?.kind === 'stop' && !FINISHED.has(last.terminal) ? GO_ON : undefined;
}
