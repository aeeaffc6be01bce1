/** After step 6: one warning each time the context approaches autocompact's threshold. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import type { ContextStep, StepInput, StepOutcome } from '../../protocol/model/context.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import { measuredFloor } from '../estimate/fixed-overhead.ts';
import { informational, type Stamp } from '../notices.ts';

export function usageWarning(stamp: Stamp): ContextStep {
  return {
    name: 'usage-warning',
    run(input) {
      const { compaction, limits } = input;
      if (input.compactedInThisPass || input.querySource === 'compact')
        return { kind: 'skip', why: 'compacted' };
      const tokens = input.estimateTokens;
      const near = tokens >= limits.warnAt;
      if (near === compaction.warned) return { kind: 'skip', why: near ? 'warned already' : 'far from full' };
      if (near) return (output) => warn(input, stamp, output);
      return { kind: 'note', why: 'crossed downwards', compaction: { ...compaction, warned: false } };
    },
  };
}

async function warn(input: StepInput, stamp: Stamp, output: Output<LoopMessage>): Promise<StepOutcome> {
  const { compaction, limits } = input;
  const used = `The context holds about ${grouped(input.estimateTokens)} of ${grouped(limits.effective)} usable tokens.`;
  // Compaction cannot make these smaller (F21).
  const tooLarge = measuredFloor(input) >= limits.autocompactAt;
  const cause =
    'The system prompt and the tool definitions alone exceed what can be kept free: offer fewer tools.';
  await output.emit([informational(stamp, 'warning', tooLarge ? `${used} ${cause}` : used)]);
  return { kind: 'note', why: 'crossed upwards', compaction: { ...compaction, warned: true } };
}
