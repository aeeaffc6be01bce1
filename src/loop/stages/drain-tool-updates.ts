/** Takes the updates that the tools have ready: progress as it is, results once they are recorded. */
import type { LoopBatch, LoopMessage } from '../../protocol/model/messages.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ResultUpdate } from '../tool-run.ts';

export async function drainToolUpdates(iteration: Iteration): Promise<LoopBatch> {
  const batch: LoopMessage[] = [];
  const { tools } = iteration;
  for (let update = tools.nextUpdate(); update !== undefined; update = tools.nextUpdate()) {
    if (update.kind === 'progress') batch.push(update.message);
    else await takeResult(update, batch, iteration);
  }
  return batch;
}

async function takeResult(update: ResultUpdate, batch: LoopMessage[], iteration: Iteration): Promise<void> {
  const { tools, deps, trace } = iteration;
  const storing = tools.stored(update);
  const stored = storing instanceof Promise ? await storing : storing;
  const recording = tools.record(stored, update);
  if (recording !== undefined) await recording;
  tools.add(stored, update);
  trace.tools.push(update.trace);
  if (update.denial !== undefined) {
    deps.onDenial?.(update.denial);
    if (update.denialNotice !== undefined) {
      const denied = systemMessage(deps, {
        subtype: 'permission_denied',
        tool_name: update.denial.tool_name,
        tool_use_id: update.denial.tool_use_id,
        ...update.denialNotice,
        message: denialText(update),
      });
      await iteration.recordMessage(denied);
      batch.push(denied);
    }
  }
  // The consumer gets the complete output of the tool, also where the conversation has a shortened one.
  const { toolUseResult } = update.message;
  batch.push(stored === update.message ? stored : { ...stored, toolUseResult }, ...update.extraMessages);
  for (const body of update.said ?? []) {
    const message = systemMessage(deps, body);
    await iteration.recordMessage(message);
    batch.push(message);
  }
  // Other calls must not start what the host has just asked to stop.
  if (update.interrupt === true) await tools.abort('interrupted');
}

function denialText({ message }: ResultUpdate): string {
  const [block] = typeof message.message.content === 'string' ? [] : message.message.content;
  return block?.type === 'tool_result' && typeof block.content === 'string'
    ? block.content
    : 'Permission denied.';
}
