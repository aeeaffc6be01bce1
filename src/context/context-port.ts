/** The room's door: everything the loop needs to make the view fit (L2). */
import type { CompactionSource, ContextPort } from '../protocol/context.ts';
import type { HookPort } from '../protocol/hook.ts';
import type { CallModel } from '../protocol/model.ts';
import type { Clock, Ids, Ledger } from '../protocol/ports.ts';
import { oncePer } from '../util/once-per.ts';
import { type MediaLimits, mediaLimitsFor } from './admission/media-limits.ts';
import type { CompactionPorts } from './compaction.ts';
import { createEstimates } from './estimates.ts';
import { createFixedOverhead } from './fixed-overhead.ts';
import { createMiddleRungs, type MiddleRungOptions } from './middle-rungs.ts';
import { createModelSizes } from './model-sizes.ts';
import { compactNow } from './reactive-compact.ts';
import { createRecovery } from './recovery.ts';
import type { Spill } from './result-preview.ts';
import { createSteps } from './steps.ts';
import { createSummarise, type RequestBase, type Summarise } from './summarise.ts';
import type { SummaryWords } from './summary-prompt.ts';
import { createSummaryRooms } from './summary-room.ts';
import { type LimitOptions, limitsFor, type ModelSize } from './thresholds.ts';
import { keepResult, type ToolResultBudgetOptions } from './tool-result-budget.ts';

export interface ContextOptions extends MiddleRungOptions {
  readonly callModel: CallModel;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hooks: HookPort;
  readonly spill: Spill;
  readonly modelSize: (model: string) => ModelSize;
  /** What the main request to this model is made of, so that a compaction finds its prefix cached. */
  readonly mainRequest: (model: string) => RequestBase | Promise<RequestBase>;
  /** Asked in this order after a compaction; SessionStart(compact) hooks come last. */
  readonly sources?: readonly CompactionSource[];
  readonly limits?: LimitOptions;
  readonly maxResultChars?: NonNullable<ToolResultBudgetOptions['maxResultChars']>;
  /** Default 200 000. */
  readonly maxJointResultChars?: number;
  /** Default true. Off also switches reactive compaction and the mechanical trim off, unless `reactiveCompact`. */
  readonly autocompact?: boolean;
  /** Default: as `autocompact`. */
  readonly reactiveCompact?: boolean;
  /** Named in summaries. */
  readonly transcriptPath?: string;
  /** The tool that finds what was dropped; named in summaries. */
  readonly historyTool?: string;
  /** Makes the summaries in the place of the working model, which stands in when it fails. */
  readonly summaryModel?: string;
  /** The request for a summary: instructions to add, or another text altogether. */
  readonly summaryWords?: SummaryWords;
  /** What the provider takes of images, documents and bytes; default the Messages API's own limits. */
  readonly mediaLimits?: Partial<MediaLimits>;
  /** Takes the place of the model call that makes summaries. */
  readonly summarise?: Summarise;
}

export function createContext(options: ContextOptions): ContextPort {
  const { clock, ids, hooks } = options;
  const autocompact = options.autocompact ?? true;
  const reactiveCompact = options.reactiveCompact ?? autocompact;
  const sizes = createModelSizes(options.modelSize);
  const middle = createMiddleRungs(options, {
    ...options,
    modelSize: sizes.of,
    autocompact,
    reactiveCompact,
  });
  // Asked several times a turn.
  const limitsOf = oncePer((size: ModelSize) => limitsFor(size, options.limits));
  const overhead = createFixedOverhead(options.mainRequest);
  const ports: CompactionPorts = {
    clock,
    ids,
    hooks,
    overhead,
    spill: options.spill,
    summarise: options.summarise ?? createSummarise({ ...options, callModel: middle.callModel }),
    summaryRooms: createSummaryRooms({ ...options, modelSize: sizes.of, overhead }),
    words: options.summaryWords ?? {},
    sources: options.sources ?? [],
    ...(options.transcriptPath !== undefined && { transcriptPath: options.transcriptPath }),
    ...(options.historyTool !== undefined && { historyTool: options.historyTool }),
  };
  const budget: ToolResultBudgetOptions = {
    spill: options.spill,
    ...(options.maxResultChars !== undefined && { maxResultChars: options.maxResultChars }),
    ...(options.maxJointResultChars !== undefined && { maxJointChars: options.maxJointResultChars }),
  };
  const mediaLimits = (model: string) => mediaLimitsFor(sizes.of(model), options.mediaLimits);
  return {
    steps: createSteps({ ...ports, ...budget, middle, mediaLimits, autocompact, reactiveCompact }),
    keepResult: keepResult(budget),
    recovery: createRecovery({ ...ports, collapses: middle.collapses, mediaLimits, reactiveCompact }),
    compact: (input, request) => compactNow(input, ports, request),
    limitsFor: (model) => limitsOf(sizes.of(model)),
    learnFrom: sizes.learnFrom,
    appliedEdits: middle.appliedEdits,
    ...middle.counting(createEstimates()),
  };
}
