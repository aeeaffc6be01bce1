/** Making the view fit (L2): steps, limits, recoveries. Implemented in `context/`, driven by the loop. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { TerminalReason } from '../session/terminal.ts';
import type { ModelFailure } from './failure.ts';
import type { LoopMessage, SystemBody, UserMessage, ViewMessage } from './messages.ts';
import type { ModelRequest, QuerySource } from './model.ts';
import type { EditSource, View, ViewEdit } from './view.ts';

/** Token limits of one model, by the formulas of L2. */
export interface ContextLimits {
  readonly window: number;
  readonly maxOutput: number;
  readonly effective: number;
  readonly autocompactAt: number;
  readonly warnAt: number;
  readonly blockingAt: number;
}

/** State of compaction; part of the loop's State. */
export interface CompactionState {
  /** Set by a compaction, counted up by `next_turn`; undefined before the first. */
  readonly turnsSinceCompact?: number;
  /** How often in a row the context was full again within three turns of a compaction. */
  readonly rapidRefills: number;
  readonly consecutiveFailures: number;
  /** Switched off until the next submission after three failures. */
  readonly switchedOff: boolean;
  readonly warned: boolean;
}

export interface StepInput {
  readonly view: View;
  /** The entries appended since the steps last ran. */
  readonly fresh: readonly ViewMessage[];
  /**
   * Tokens of the complete request: the figure reported by the provider if there is one, plus a calibrated
   * estimate of what was appended since, minus what earlier steps of this pass have freed.
   */
  readonly estimateTokens: number;
  /** Estimated tokens outside the messages: system prompt, user context and tools. Absent: unknown. */
  readonly overheadTokens?: number;
  /**
   * Real tokens per estimated token, learned from usage. Figures that a step estimates are multiplied by it.
   * Default 1.
   */
  readonly tokenFactor?: number;
  /**
   * The smallest request that the provider has reported for this model, in tokens: an upper bound of the
   * tokens outside the messages.
   */
  readonly leastCounted?: number | undefined;
  /** A step of this pass has already compacted. */
  readonly compactedInThisPass: boolean;
  readonly limits: ContextLimits;
  readonly compaction: CompactionState;
  readonly turnCount: number;
  readonly model: string;
  readonly querySource: QuerySource;
  /** Key of this pass; a step that calls a model appends a suffix of its own. */
  readonly effectKey: string;
  /** Its signal is created when it is first read. */
  readonly life: { readonly signal: AbortSignal };
}

export type StepOutcome =
  /** Nothing to do; `why` goes into the decision record. */
  | { readonly kind: 'skip'; readonly why: string }
  | {
      readonly kind: 'edits';
      readonly source: EditSource;
      readonly edits: readonly ViewEdit[];
      readonly why: string;
      readonly tokensFreed: number;
      /** A compaction replaced the view; carries the state that follows it. */
      readonly compaction?: CompactionState;
    }
  /**
   * The view is unchanged; the API is asked to clear its copy. The cleared tokens are announced once the
   * response reports them.
   */
  | { readonly kind: 'request'; readonly contextManagement: unknown; readonly why: string }
  /** The state changed, the view did not (for example, a failed compaction was counted). */
  | { readonly kind: 'note'; readonly why: string; readonly compaction: CompactionState }
  | {
      readonly kind: 'stop';
      readonly reason: Extract<TerminalReason, 'blocking_limit' | 'rapid_refill_breaker'>;
      readonly message: string;
    };

export interface ContextStep {
  readonly name: string;
  /**
   * The outcome when there is nothing to emit or to wait for, as with most steps on nearly every pass;
   * else the work that is left.
   */
  run(input: StepInput): StepOutcome | ContextWork<StepOutcome>;
}

/** Not begun until it is called. Emits what it announces: status, boundaries, messages of its edit. */
export type ContextWork<R> = (output: Output<LoopMessage>) => R | Promise<R>;

export type RecoveryOutcome =
  | {
      readonly kind: 'edits';
      readonly source: EditSource;
      readonly edits: readonly ViewEdit[];
      readonly tokensFreed: number;
      readonly compacted: boolean;
      /** Only the block that the refusal named was replaced; a further refusal may name another one. */
      readonly named?: boolean;
    }
  /** Nothing could be done; `why` is the reason. */
  | { readonly kind: 'none'; readonly why: string };

/** What the rules of L7 may try when a request did not fit. Each is a no-op ("none") when switched off. */
export interface ContextRecovery {
  /** Commit every staged collapse. */
  drainCollapses(input: StepInput): ContextWork<RecoveryOutcome>;
  /** One summary of everything before the kept tail. */
  reactiveCompact(input: StepInput, failure: ModelFailure): ContextWork<RecoveryOutcome>;
  /** Needs no model: drops the oldest whole rounds. */
  mechanicalTrim(input: StepInput): ContextWork<RecoveryOutcome>;
  /** Strips or replaces images and documents. */
  reduceMedia(input: StepInput, failure: ModelFailure): ContextWork<RecoveryOutcome>;
}

export interface ContextPort {
  /** In the order they run (`context/steps/index.ts`). */
  readonly steps: readonly ContextStep[];
  readonly recovery: ContextRecovery;
  /**
   * The result of a call as it is to be recorded. A text that is too large is written to a file first, and
   * replaced by a preview that names the file. Never rejects. Absent: results are recorded unchanged.
   */
  keepResult?(message: UserMessage, toolName: string): UserMessage | Promise<UserMessage>;
  /** A compaction on request, regardless of the estimate. `none`: the view is unchanged, and why. */
  compact?(
    input: StepInput,
    request: { readonly trigger: 'manual'; readonly instructions?: string },
  ): ContextWork<RecoveryOutcome>;
  limitsFor(model: string): ContextLimits;
  /** What to announce when a response reports edits that the API applied to its copy of the context. */
  appliedEdits?(applied: unknown): SystemBody | undefined;
  /**
   * Estimated tokens of a complete request, and of its part outside the messages. O(entries that are new in
   * its view).
   */
  measure?(request: EstimatedRequest): RequestEstimate;
  /**
   * Reports the tokens that the provider counted for this view in a previous process, so that it is not
   * estimated again.
   */
  counted?(view: View, tokens: number): void;
  /**
   * Reports the tokens that the provider counted beside those that `measure` estimated: calibrates later
   * estimates for this model.
   */
  calibrate?(estimatedTokens: number, reportedTokens: number, model: string): void;
  /** Learns the real window from a request that did not fit. */
  learnFrom?(failure: ModelFailure, model: string): void;
  /** Estimated tokens of these messages, calibrated if a model is named. O(messages given). */
  estimate(messages: readonly ViewMessage[], model?: string): number;
}

export type EstimatedRequest = Pick<ModelRequest, 'model' | 'view' | 'system' | 'userContext' | 'tools'>;

export interface RequestEstimate {
  readonly tokens: number;
  readonly overheadTokens: number;
  /** Real tokens per estimated token, as learned for this model. */
  readonly factor: number;
  /** The smallest request that the provider has counted for this model, in tokens; absent until it has. */
  readonly leastCounted?: number | undefined;
}

/** Restores something after a compaction (recent files, todos, skills, plan, tasks). */
export interface CompactionSource {
  readonly name: string;
  collect(input: {
    readonly summarised: readonly ViewMessage[];
    /** The kept messages, which need not be restored. */
    readonly kept: readonly ViewMessage[];
    readonly budgetTokens: number;
    /** Aborted when the result is no longer needed. */
    readonly signal: AbortSignal;
  }): Promise<readonly ViewMessage[]>;
}
