/** What the tools have to say by now: progress as it is, results once they are on record. */
import type { LoopMessage } from '../../protocol/messages.ts';
import type { Iteration, ResultUpdate } from '../iteration.ts';
import { systemMessage } from '../say.ts';

export async function reportTools(iteration: Iteration): Promise<readonly LoopMessage[]> {
  const said: LoopMessage[] = [];
  for (let update = iteration.nextUpdate(); update !== undefined; update = iteration.nextUpdate()) {
    if (update.kind === 'progress') said.push(update.message);
    else await report(update, said, iteration);
  }
  return said;
}

async function report(update: ResultUpdate, said: LoopMessage[], iteration: Iteration): Promise<void> {
  const keeping = iteration.kept(update);
  const kept = keeping instanceof Promise ? await keeping : keeping;
  const recording = iteration.recordResult(kept, update);
  if (recording !== undefined) await recording;
  const { toolUseResult } = update.message;
  const told = kept === update.message ? kept : { ...kept, toolUseResult };
  iteration.results.push(kept, ...update.extraMessages);
  iteration.told.push(told);
  iteration.hookContext.push(...update.hookContext);
  iteration.endsTurn ||= update.endsTurn;
  iteration.preventContinuation ??= update.preventContinuation;
  iteration.deniedWithInterrupt ||= update.interrupt === true;
  iteration.trace.tools.push(update.trace);
  if (update.denial !== undefined) {
    iteration.deps.onDenial?.(update.denial);
    const { source, askedMs } = update.trace.permission ?? {};
    // A hook that answered in the place of a person is one of the reasons; one before the rules speaks for itself.
    const byRequestHook = source === 'hook' && askedMs !== undefined;
    if (source === undefined || byRequestHook || !ANSWERS.includes(source)) {
      const denied = systemMessage(iteration.deps, {
        subtype: 'permission_denied',
        tool_name: update.denial.tool_name,
        tool_use_id: update.denial.tool_use_id,
        ...(source !== 'headless' && { decision_reason_type: reasonType(source) }),
        ...(byRequestHook && { decision_reason: denialText(update) }),
        message: denialText(update),
      });
      await iteration.recordMessage(denied);
      said.push(denied);
    }
  }
  said.push(told, ...update.extraMessages);
  // The call's own follow-ups must not start what the host just asked to stop.
  if (update.interrupt === true) await iteration.executor.abort('interrupted');
}

/** A person, or a program that the host put in their place, was asked, and knows it: no notice is sent. */
const ANSWERS: readonly string[] = ['host', 'hook', 'permissionPromptTool', 'unanswered'];

const REASON_TYPES = ['rule', 'mode', 'workingDir', 'safetyCheck', 'hook'];

/** In the words of the public protocol. */
function reasonType(source: string | undefined): string {
  return source !== undefined && REASON_TYPES.includes(source) ? source : 'other';
}

function denialText({ message }: ResultUpdate): string {
  const [block] = typeof message.message.content === 'string' ? [] : message.message.content;
  return block?.type === 'tool_result' && typeof block.content === 'string'
    ? block.content
    : 'Permission denied.';
}
