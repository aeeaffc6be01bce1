/**
 * Step 5: spans of finished rounds are condensed ahead of time, and replaced in the view once space is
 * needed.
 */
import type { ContextStep } from '../../protocol/model/context.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { Collapses } from '../collapse/staged-collapses.ts';
import { earlyThreshold } from '../estimate/thresholds.ts';
import { isCold, isWorthAPrefix } from '../estimate/worth-a-prefix.ts';

interface CollapseStepOptions {
  readonly collapses: () => Collapses;
  /** The next step can free space if this one cannot. */
  readonly autocompact: boolean;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Lifetime of an unused cached prompt. */
  readonly cacheTtlMs: number;
}

export function contextCollapse(options: CollapseStepOptions): ContextStep {
  const { autocompact, clock, collapses } = options;
  return {
    name: 'context-collapse',
    run(input) {
      if (input.querySource === 'compact') return { kind: 'skip', why: 'this is a compaction itself' };
      const { autocompactAt } = input.limits;
      const tokens = input.estimateTokens;
      const early = earlyThreshold(input.limits);
      if (tokens < early) return { kind: 'skip', why: `${tokens} tokens, below ${early}` };
      if (tokens < autocompactAt) return { kind: 'skip', why: collapses().stage(input) };

      const alternative = autocompact && !input.compaction.switchedOff;
      const staged = collapses().stagedTokens(input);
      // A full summary follows: collapsing parts of it first would only invalidate the cached prompt.
      if (alternative && tokens - staged >= autocompactAt)
        return {
          kind: 'skip',
          why: `what is staged would free ${staged} of ${tokens} tokens, which is not enough`,
        };
      const first = collapses().firstStaged(input);
      if (first === undefined) return { kind: 'skip', why: collapses().stage(input) };
      const cold = isCold(input.view, clock, options.cacheTtlMs);
      if (alternative && !cold && !isWorthAPrefix(input, first, staged))
        return {
          kind: 'skip',
          why: `what is staged would free ${staged} tokens, fewer than would be written again`,
        };
      // All of it: the prompt is written again from the first one on, however many follow.
      const commit = collapses().commit(input);
      if (commit === undefined) return { kind: 'skip', why: collapses().stage(input) };
      return {
        kind: 'edits',
        source: 'collapse',
        edits: commit.edits,
        why: `${commit.edits.length} staged spans were committed at ${tokens} tokens`,
        tokensFreed: commit.tokensFreed,
      };
    },
  };
}
