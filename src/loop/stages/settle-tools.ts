/**
 * Stage 4: every call of the response gets its one result. A usable response has its tools run to their end;
 * one that cannot be used (failed, thrown) has them settled instead. An abort settles them by itself.
 */
import type { Said } from '../../protocol/messages.ts';
import type { Iteration } from '../iteration.ts';
import { reportTools } from './report-tools.ts';

export async function* settleTools(iteration: Iteration): AsyncGenerator<Said, void> {
  iteration.deps.onStage?.('tools');
  if (iteration.response.failure !== undefined || iteration.thrown !== undefined)
    await iteration.executor.abort('failed');
  while (true) {
    const said = await reportTools(iteration);
    if (said.length > 0) yield said;
    if (iteration.openCalls === 0) return;
    await iteration.executor.ready();
  }
}
