/** Making the view fit (L2): steps, limits, recoveries. Implemented in `context/`, driven by the loop. */

import type { ModelFailure } from './failure.ts';
import type { LoopMessage, SystemBody, UserMessage, ViewMessage } from './messages.ts';
import type { ModelRequest, QuerySource } from './model.ts';
import type { TerminalReason } from './terminal.ts';
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

/** Where compaction stands; part of the loop's State. */
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
   * Of the whole request: the provider's figure where there is one, and a calibrated estimate of what came after it.
   * What earlier steps of this pass have freed is taken off.
   */
  readonly estimateTokens: number;
  /** Estimate of what no message accounts for: system prompt, user context and tools. Absent: not known. */
  readonly overheadTokens?: number;
  /** Real tokens per estimated one, learned from usage; what a step says in estimates is multiplied by it. Default 1. */
  readonly tokenFactor?: number;
  /** The smallest request that the provider has counted for this model: what no message accounts for is no more. */
  readonly leastCounted?: number | undefined;
  /** A step of this pass has already compacted. */
  readonly compactedInThisPass: boolean;
  readonly limits: ContextLimits;
  readonly compaction: CompactionState;
  readonly turnCount: number;
  readonly model: string;
  readonly querySource: QuerySource;
  /** Of this pass: who asks a model adds what tells its calls from those of other steps. */
  readonly effectKey: string;
  /** Made when it is first asked for. */
  readonly signal: AbortSignal;
}

export type StepOutcome =
  /** Nothing to do, and why: goes into the decision record. */
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
  /** The view stays; the API is asked to clear on its side. What it cleared is announced once the response says so. */
  | { readonly kind: 'request'; readonly contextManagement: unknown; readonly why: string }
  /** State changed, the view did not (a failed compaction counts a strike). */
  | { readonly kind: 'note'; readonly why: string; readonly compaction: CompactionState }
  | {
      readonly kind: 'stop';
      readonly reason: Extract<TerminalReason, 'blocking_limit' | 'rapid_refill_breaker'>;
      readonly message: string;
    };

export interface ContextStep {
  readonly name: string;
  /** A step that has nothing to show and nothing to wait for answers at once: most do, on nearly every pass. */
  run(input: StepInput): StepOutcome | AsyncGenerator<LoopMessage, StepOutcome>;
}

export type RecoveryOutcome =
  | {
      readonly kind: 'edits';
      readonly source: EditSource;
      readonly edits: readonly ViewEdit[];
      readonly tokensFreed: number;
      readonly compacted: boolean;
      /** Just the block that the refusal named was replaced: another refusal may name another. */
      readonly named?: boolean;
    }
  /** Nothing could be done, and why. */
  | { readonly kind: 'none'; readonly why: string };

/** What the rules of L7 may try when a request did not fit. Each is a no-op ("none") when switched off. */
export interface ContextRecovery {
  /** Commit every staged collapse. */
  drainCollapses(input: StepInput): AsyncGenerator<LoopMessage, RecoveryOutcome>;
  /** One summary of everything before the kept tail. */
  reactiveCompact(input: StepInput, failure: ModelFailure): AsyncGenerator<LoopMessage, RecoveryOutcome>;
  /** Needs no model: drops the oldest whole rounds. */
  mechanicalTrim(input: StepInput): AsyncGenerator<LoopMessage, RecoveryOutcome>;
  /** Strips or replaces images and documents. */
  reduceMedia(input: StepInput, failure: ModelFailure): AsyncGenerator<LoopMessage, RecoveryOutcome>;
}

export interface ContextPort {
  /** In the order they run (`context/steps/index.ts`). */
  readonly steps: readonly ContextStep[];
  readonly recovery: ContextRecovery;
  /**
   * A call's result as it is to be recorded. Where its text is too large, it stands in a file before this resolves, and
   * what comes back shows a preview that names it. Never rejects. Absent: results are recorded as they are.
   */
  keepResult?(message: UserMessage, toolName: string): UserMessage | Promise<UserMessage>;
  /** One compaction because somebody asked for it, whatever the estimate says. `none`: the view stays, and why. */
  compact?(
    input: StepInput,
    request: { readonly trigger: 'manual'; readonly instructions?: string },
  ): AsyncGenerator<LoopMessage, RecoveryOutcome>;
  limitsFor(model: string): ContextLimits;
  /** What to announce when a response reports edits that the API applied to its copy of the context. */
  appliedEdits?(applied: unknown): SystemBody | undefined;
  /** What a whole request costs by the same estimate, and what of it no message accounts for. O(what is new in its view). */
  measure?(request: EstimatedRequest): RequestEstimate;
  /** What the provider counted, in an earlier life of the session, for this view and all that went with it: it need not be estimated. */
  counted?(view: View, tokens: number): void;
  /** What the provider counted for a request, beside what `measure` said: calibrates later estimates for this model. */
  calibrate?(estimatedTokens: number, reportedTokens: number, model: string): void;
  /** A request that did not fit says what the window really is. */
  learnFrom?(failure: ModelFailure, model: string): void;
  /** An estimate of what these messages cost, in tokens; calibrated for a model that is named. O(messages given). */
  estimate(messages: readonly ViewMessage[], model?: string): number;
}

export type EstimatedRequest = Pick<ModelRequest, 'model' | 'view' | 'system' | 'userContext' | 'tools'>;

export interface RequestEstimate {
  readonly tokens: number;
  readonly overheadTokens: number;
  /** Real tokens per estimated one, as learned for this model. */
  readonly factor: number;
  /** The smallest request that the provider has counted for this model, in tokens; absent until it has. */
  readonly leastCounted?: number | undefined;
}

/** Restores something after a compaction (recent files, todos, skills, plan, tasks). */
export interface CompactionSource {
  readonly name: string;
  collect(input: {
    readonly summarised: readonly ViewMessage[];
    /** What stays as it is: it need not be put back. */
    readonly kept: readonly ViewMessage[];
    readonly budgetTokens: number;
    /** Aborted: nobody waits for the answer any more. */
    readonly signal: AbortSignal;
  }): Promise<readonly ViewMessage[]>;
}
