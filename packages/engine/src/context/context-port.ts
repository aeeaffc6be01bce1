/** The entry point of the room: everything the loop needs to make the view fit (L2). */

import { extended } from '@turnwright/base/collections/extended.ts';
import { lazily, oncePer } from '@turnwright/base/collections/made-once.ts';
import type {
  CompactionSource,
  ContextLimits,
  ContextPort,
  ContextRecovery,
  EstimatedRequest,
  RequestEstimate,
} from '../protocol/model/context.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { SystemBody, ViewMessage } from '../protocol/model/messages.ts';
import type { CallModel } from '../protocol/model/model.ts';
import type { View } from '../protocol/model/view.ts';
import type { Clock, Ids, Ledger } from '../protocol/ports.ts';
import type { HookPort } from '../protocol/tools/hook.ts';
import type { Spill } from './clearing/result-preview.ts';
import type { CompactionPorts } from './compact/compaction.ts';
import { compactNow } from './compact/reactive-compact.ts';
import { Recovery } from './compact/recovery.ts';
import { createSummarise, type RequestBase, type Summarise } from './compact/summarise.ts';
import type { SummaryWords } from './compact/summary-prompt.ts';
import { createSummaryRooms } from './compact/summary-room.ts';
import { createEstimates, type Estimates } from './estimate/estimates.ts';
import { createFixedOverhead } from './estimate/fixed-overhead.ts';
import {
  createModelSizes,
  type LimitOptions,
  limitsFor,
  type ModelSize,
  type ModelSizes,
} from './estimate/thresholds.ts';
import { type MediaLimits, mediaLimitsFor } from './media/media-limits.ts';
import {
  createMiddleRungs,
  type MiddleRungOptions,
  type MiddleRungs,
} from './steps/clearing-and-collapse.ts';
import { createSteps } from './steps/index.ts';
import { keepResult, type ToolResultBudgetOptions } from './steps/tool-result-budget.ts';

export interface ContextOptions extends MiddleRungOptions {
  readonly callModel: CallModel;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hooks: HookPort;
  readonly spill: Spill;
  readonly modelSize: (model: string) => ModelSize;
  /** Parts of the main request to this model, so that a compaction hits its prompt cache. */
  readonly mainRequest: (model: string) => RequestBase | Promise<RequestBase>;
  /** Called in this order after a compaction; SessionStart(compact) hooks come last. */
  readonly sources?: () => readonly CompactionSource[];
  readonly limits?: LimitOptions;
  readonly maxResultChars?: NonNullable<ToolResultBudgetOptions['maxResultChars']>;
  /** Default 200 000. */
  readonly maxJointResultChars?: number;
  /**
   * Default true. Off also switches reactive compaction and the mechanical trim off, unless
   * `reactiveCompact`.
   */
  readonly autocompact?: boolean;
  /** Default: as `autocompact`. */
  readonly reactiveCompact?: boolean;
  /** Named in summaries. */
  readonly transcriptPath?: string;
  /** The tool that finds dropped messages; named in summaries. */
  readonly historyTool?: string;
  /** Model for summaries; the main model is used when it fails. */
  readonly summaryModel?: string;
  /** Additional or replacing instructions for summaries. */
  readonly summaryWords?: SummaryWords;
  /** Limits of the provider for images, documents and bytes; default those of the Messages API. */
  readonly mediaLimits?: Partial<MediaLimits>;
  /** The provider of this model makes summaries itself. Default no model's does. */
  readonly providerSummarises?: (model: string) => boolean;
  /** Replaces the model call that makes summaries. */
  readonly summarise?: Summarise;
}

export function createContext(options: ContextOptions): ContextPort {
  return new Context(options);
}

class Context implements ContextPort {
  readonly steps: ContextPort['steps'];
  readonly keepResult: NonNullable<ContextPort['keepResult']>;
  readonly #options: ContextOptions;
  readonly #reactiveCompact: boolean;
  readonly #sizes: ModelSizes;
  readonly #middle: MiddleRungs;
  readonly #estimates: Estimates;
  /** Asked several times a turn. */
  readonly #limitsOf: (size: ModelSize) => ContextLimits;
  readonly #compaction = lazily(() => this.#compactionPorts());
  readonly #mediaLimits = (model: string) => mediaLimitsFor(this.#sizes.of(model), this.#options.mediaLimits);
  #recovery: Recovery | undefined;

  constructor(options: ContextOptions) {
    const { clock, ids, spill, maxJointResultChars, maxResultChars } = options;
    const { autocompact = true } = options;
    this.#options = options;
    this.#reactiveCompact = options.reactiveCompact ?? autocompact;
    const reactiveCompact = this.#reactiveCompact;
    this.#sizes = createModelSizes(options.modelSize);
    const sizeOf = (model: string) => this.#sizes.of(model);
    this.#middle = createMiddleRungs(
      options,
      extended(options, { modelSize: sizeOf, autocompact, reactiveCompact }),
    );
    this.#limitsOf = oncePer((size: ModelSize) => limitsFor(size, options.limits));
    this.#estimates = this.#middle.counting(createEstimates());
    const budget: ToolResultBudgetOptions = {
      spill,
      ...(maxResultChars !== undefined && { maxResultChars }),
      ...(maxJointResultChars !== undefined && { maxJointChars: maxJointResultChars }),
    };
    this.keepResult = keepResult(budget);
    this.steps = createSteps({
      clock,
      ids,
      ...budget,
      compaction: this.#compaction,
      middle: this.#middle,
      mediaLimits: this.#mediaLimits,
      autocompact,
      reactiveCompact,
    });
  }

  get recovery(): ContextRecovery {
    this.#recovery ??= new Recovery({
      compaction: this.#compaction,
      collapses: this.#middle.collapses,
      mediaLimits: this.#mediaLimits,
      reactiveCompact: this.#reactiveCompact,
    });
    return this.#recovery;
  }

  compact(...[input, request]: Parameters<NonNullable<ContextPort['compact']>>) {
    return compactNow(input, this.#compaction(), request);
  }

  limitsFor(model: string): ContextLimits {
    return this.#limitsOf(this.#sizes.of(model));
  }

  learnFrom(failure: ModelFailure, model: string): void {
    this.#sizes.learnFrom(failure, model);
  }

  appliedEdits(applied: unknown): SystemBody | undefined {
    return this.#middle.appliedEdits(applied);
  }

  estimate(messages: readonly ViewMessage[], model?: string): number {
    return this.#estimates.estimate(messages, model);
  }

  measure(request: EstimatedRequest): RequestEstimate {
    return this.#estimates.measure(request);
  }

  counted(view: View, tokens: number): void {
    this.#estimates.counted(view, tokens);
  }

  calibrate(estimated: number, reported: number, model: string): void {
    this.#estimates.calibrate(estimated, reported, model);
  }

  #compactionPorts(): CompactionPorts {
    const options = this.#options;
    const modelSize = (model: string) => this.#sizes.of(model);
    const overhead = createFixedOverhead(options.mainRequest);
    return {
      clock: options.clock,
      ids: options.ids,
      hooks: options.hooks,
      overhead,
      spill: options.spill,
      summarise: options.summarise ?? createSummarise({ ...options, callModel: this.#middle.callModel }),
      summaryRooms: createSummaryRooms({ ...options, modelSize, overhead }),
      words: options.summaryWords ?? {},
      sources: options.sources?.() ?? [],
      ...(options.transcriptPath !== undefined && { transcriptPath: options.transcriptPath }),
      ...(options.historyTool !== undefined && { historyTool: options.historyTool }),
    };
  }
}
