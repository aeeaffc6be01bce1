/**
 * Step 5: spans of finished rounds are condensed ahead of time, and replaced in the view once space is
 * needed.
 */
import type { ContextStep } from '../../protocol/model/context.ts';
import type { Collapses } from '../collapse/staged-collapses.ts';
import { earlyThreshold } from '../estimate/early-threshold.ts';

/**
 * Commits continue until this share below the threshold: each commit invalidates the cached prompt from there
 * on.
 */
const COMMIT_SHARE = 0.2;

/** `autocompact`: the next step can free space if this one cannot. */
export function contextCollapse(collapses: () => Collapses, autocompact: boolean): ContextStep {
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
      const commit = collapses().commit(input, tokens - autocompactAt * (1 - COMMIT_SHARE));
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
