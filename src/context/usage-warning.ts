/** After step 6: one warning each time the context comes near autocompact's threshold. */
import type { ContextStep } from '../protocol/context.ts';
import { measuredFloor } from './fixed-overhead.ts';
import { informational, type Stamp } from './notices.ts';

export function usageWarning(stamp: Stamp): ContextStep {
  return {
    name: 'usage-warning',
    async *run(input) {
      const { compaction, limits } = input;
      if (input.compactedInThisPass || input.querySource === 'compact')
        return { kind: 'skip', why: 'compacted' };
      const tokens = input.estimateTokens;
      const near = tokens >= limits.warnAt;
      if (near === compaction.warned) return { kind: 'skip', why: near ? 'warned already' : 'far from full' };
      if (near) {
        const used = `The context holds about ${figure(tokens)} of ${figure(limits.effective)} usable tokens.`;
        // Compacting cannot make these smaller (F21).
        const tooLarge = measuredFloor(input) >= limits.autocompactAt;
        const cause =
          'The system prompt and the tool definitions alone exceed what can be kept free: offer fewer tools.';
        yield informational(stamp, 'warning', tooLarge ? `${used} ${cause}` : used);
      }
      const why = near ? 'crossed upwards' : 'crossed downwards';
      return { kind: 'note', why, compaction: { ...compaction, warned: near } };
    },
  };
}

function figure(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
