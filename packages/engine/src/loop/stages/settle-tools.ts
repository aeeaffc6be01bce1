/**
 * Stage 4: every call of the response gets its one result. The tools of a usable response run to their end;
 * those of a response that cannot be used (failed, thrown) are aborted. An abort of the submission settles
 * them by itself.
 */
import type { Iteration } from '../iteration.ts';
import type { Response } from '../response.ts';
import type { ToolResults } from '../stage-output.ts';
import { stageError } from './stage-error.ts';

export async function settleTools(
  { calls, failure, thrown }: Response,
  iteration: Iteration,
): Promise<ToolResults> {
  const { tools, deps } = iteration;
  if (calls.length === 0) return tools.results;
  deps.onStage?.('tools');
  try {
    if (failure !== undefined || thrown !== undefined) await tools.abort('failed');
    while (true) {
      const batch = await tools.drain();
      if (batch.length > 0) await iteration.output.emit(batch);
      if (tools.open === 0) return tools.results;
      await tools.ready();
    }
  } catch (error) {
    const first = stageError(error);
    try {
      await tools.abort('failed');
      const batch = await tools.drain();
      if (batch.length > 0) await iteration.output.emit(batch);
    } catch (second) {
      stageError(second); // the first error is the one that is reported
    }
    return { ...tools.results, thrown: first };
  }
}
