/** Notices that follow the end of a response: what the API cleared, and a missed prompt cache. */
import type { LoopBatch, LoopMessage, SystemBody } from '../../protocol/model/messages.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ResponseSoFar } from '../response.ts';

/** Adds the notices to the batch that holds the end of the response; synchronous where there are none. */
export function addNotices(
  batch: LoopMessage[],
  response: ResponseSoFar,
  iteration: Iteration,
): LoopBatch | Promise<LoopBatch> {
  const { appliedEdits, ended } = response;
  if (!ended || (appliedEdits === undefined && iteration.params.showCacheBreaks !== true)) return batch;
  return record(noticesOf(response, iteration), batch, iteration);
}

function noticesOf({ appliedEdits, cache }: ResponseSoFar, { deps, params }: Iteration): SystemBody[] {
  const notices: SystemBody[] = [];
  const cleared = appliedEdits === undefined ? undefined : deps.context.appliedEdits?.(appliedEdits);
  if (cleared !== undefined) notices.push(cleared);
  const missed = params.showCacheBreaks === true ? cache?.break : undefined;
  if (missed !== undefined) {
    const content = `The prompt cache was missed for ${missed.tokens} tokens: ${missed.why}.`;
    notices.push({ subtype: 'informational', level: 'info', content });
  }
  return notices;
}

async function record(
  notices: readonly SystemBody[],
  batch: LoopMessage[],
  iteration: Iteration,
): Promise<LoopBatch> {
  for (const notice of notices) {
    const message = systemMessage(iteration.deps, notice);
    await iteration.recordMessage(message);
    batch.push(message);
  }
  return batch;
}
