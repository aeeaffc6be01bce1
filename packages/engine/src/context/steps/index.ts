/** The order of stage 1 (L2). It is written here and nowhere else. */
import type { ContextStep } from '../../protocol/model/context.ts';
import type { CompactionPorts } from '../compact/compaction.ts';
import type { MediaLimits } from '../media/media-limits.ts';
import type { Stamp } from '../notices.ts';
import { afterBoundary } from './after-boundary.ts';
import { autocompact } from './autocompact.ts';
import { blockingLimit } from './blocking-limit.ts';
import type { MiddleRungs } from './clearing-and-collapse.ts';
import { mediaBudget } from './media-budget.ts';
import { type ToolResultBudgetOptions, toolResultBudget } from './tool-result-budget.ts';
import { usageWarning } from './usage-warning.ts';

interface StepOptions extends Stamp, ToolResultBudgetOptions {
  readonly compaction: () => CompactionPorts;
  readonly autocompact: boolean;
  readonly mediaLimits: (model: string) => MediaLimits;
  readonly reactiveCompact: boolean;
  readonly middle: Pick<MiddleRungs, 'snip' | 'microcompact' | 'contextCollapse'>;
}

/** Each step may free so much that the next does nothing. A step that is switched off is not in the list. */
export function createSteps(options: StepOptions): readonly ContextStep[] {
  const { middle } = options;
  return [
    afterBoundary,
    toolResultBudget(options),
    mediaBudget(options.mediaLimits),
    middle.snip,
    middle.microcompact,
    middle.contextCollapse,
    options.autocompact ? autocompact(options.compaction) : undefined,
    usageWarning(options),
    blockingLimit(options.reactiveCompact),
  ].filter((step) => step !== undefined);
}
