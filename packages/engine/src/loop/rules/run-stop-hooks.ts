/** What the Stop hooks say about an end, and the messages that tell of a hook that ended the run. */
import type { HookVerdict } from '../../protocol/tools/hook.ts';
import type { LoopParams } from '../deps.ts';
import type { Facts } from '../facts.ts';
import type { Iteration } from '../iteration.ts';
import { lastText, systemMessage } from '../loop-messages.ts';
import type { State } from '../state.ts';

type StopEvent = 'Stop' | 'SubagentStop';

export const stopEventOf = ({ depth }: Pick<LoopParams, 'depth'>): StopEvent =>
  depth === 0 ? 'Stop' : 'SubagentStop';

/** undefined: no hook listens. */
export async function askStopHooks(
  facts: Pick<Facts, 'messages'>,
  state: Pick<State, 'hooks'>,
  { deps, params, signal }: Iteration,
): Promise<HookVerdict | undefined> {
  const event = stopEventOf(params);
  if (!deps.hooks.has(event)) return undefined;
  const { stopHookActive } = state.hooks;
  const last_assistant_message = lastText(facts.messages);
  return deps.hooks.run({ event, stop_hook_active: stopHookActive, last_assistant_message }, { signal });
}

export const formatHookFeedback = (reasons: readonly string[]): string =>
  `Stop hook feedback:\n${reasons.join('\n')}`;

/** Who ended the run, and why: the result says neither. */
export async function tellStopped(
  { stopReason, hookName }: NonNullable<HookVerdict['preventContinuation']>,
  iteration: Iteration,
): Promise<void> {
  const content = `${hookName === undefined ? 'A hook' : `The hook ${hookName}`} ended the run: ${stopReason}`;
  await iteration.emit(
    systemMessage(iteration.deps, { subtype: 'informational', level: 'warning', content }),
  );
}
