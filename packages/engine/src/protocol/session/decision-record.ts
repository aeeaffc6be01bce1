/**
 * The decision record of one iteration: the single source for `explain`, traces and the ledger's view. At
 * most about 2 KB; contents are referenced by uuid, never copied.
 */
import type { CacheReport } from '../model/cache.ts';
import type { CompactionState } from '../model/context.ts';
import type { FallbackTrigger } from '../model/fallback.ts';
import type { AttemptRecord } from '../model/model.ts';
import type { StopReason, Usage } from '../model/wire.ts';
import type { HookTrace } from '../tools/hook.ts';
import type { ToolTrace } from '../tools/tool-call.ts';
import type { TerminalReason } from './terminal.ts';
import type { TransitionReason } from './transition.ts';
import type { Verification, VerifyCheck } from './verification.ts';

/** Another model took over. */
export interface ModelHop {
  readonly from: string;
  readonly to: string;
  /** Absent in records of earlier versions. */
  readonly trigger?: FallbackTrigger;
}

export interface PrepareRecord {
  /** Name of the context step. */
  readonly step: string;
  readonly ran: boolean;
  /** Why it ran, or did not, in a few words. */
  readonly why: string;
  /** Absent, like `ms`, when the step did not run. */
  readonly tokensBefore?: number;
  /** Absent when the step changed nothing. */
  readonly tokensAfter?: number;
  readonly ms?: number;
  /** uuids of the messages that it changed. */
  readonly replaced?: readonly string[];
}

export interface RuleRecord {
  readonly name: string;
  readonly verdict: 'pass' | 'continue' | 'stop' | 'park';
  /** The facts that the rule read. Absent: none, or the same as the rule before it. */
  readonly read?: Readonly<Record<string, unknown>>;
}

/**
 * The state that the next iteration starts with, besides the view, as far as it differs from a fresh one:
 * another process can continue from it (L4.1).
 */
export interface CarriedState {
  /** What has been tried for this submission: the limits of the recoveries count across iterations. */
  readonly recovery?: {
    readonly outputTokenCount: number;
    readonly capOverride: number | undefined;
    readonly escalated: boolean;
    readonly hasAttemptedReactiveCompact: boolean;
    readonly trimmed: boolean;
    readonly mediaReduced: boolean;
    readonly unusableCount: number;
  };
  /** Stop hooks: whether one keeps the run going, and how often in a row. */
  readonly hooks?: {
    readonly stopHookActive: boolean;
    readonly blocks: number;
  };
  readonly compaction?: CompactionState;
  /** How often failed completion conditions have sent the model back. */
  readonly verify?: { readonly sentBack: number };
  /** State of a token budget. */
  readonly continued?: {
    readonly outputTokens: number;
    readonly continuations: number;
    readonly smallGains: number;
    readonly outputTokensAtContinuation: number;
  };
}

/** Why an iteration ended as it did, with its attempts, tools and rules. Times in ms, costs in USD. */
export interface DecisionRecord {
  /** Version of this format. */
  readonly v: 1;
  readonly sessionId: string;
  /** Id of the submission. */
  readonly submission: string;
  /** Number within the submission, from 1. */
  readonly iteration: number;
  /** Ids of the agents from the main one to this one, separated by slashes; '' for the main agent. */
  readonly agentPath: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** Monotonic clock, as all times of the record. */
  readonly startMs: number;
  readonly endMs: number;
  /** The transition that led here; absent on the first iteration. */
  readonly in?: TransitionReason;
  /** The context steps, in the order of execution. */
  readonly prepare: readonly PrepareRecord[];
  /** The conversation as the model received it. */
  readonly view: {
    readonly length: number;
    readonly tokens: number;
    /** Where the token figure comes from. */
    readonly source: 'provider' | 'estimate';
    readonly added: readonly string[];
  };
  /** Absent when a limit stopped the run before a request was made. */
  readonly request?: {
    readonly model: string;
    readonly maxTokens: number;
    readonly effort?: string;
    readonly bytes?: number;
    readonly systemHash?: string;
    readonly toolsHash?: string;
  };
  /** `usage` is left out where it equals the record's own. */
  readonly attempts: readonly AttemptRecord[];
  /** The last exchange of models in this iteration; `before`: those before it, in order. */
  readonly fallback?: ModelHop & { readonly before?: readonly ModelHop[] };
  /** Absent when no response began. */
  readonly response?: {
    readonly messageId: string;
    readonly stopReason: StopReason | null;
    readonly blocks: readonly string[];
  };
  /** Usage of the response that counts. */
  readonly usage?: Usage;
  /** Cost of the iteration; absent if the model has no known price. */
  readonly costUsd?: number;
  /** Part of it for responses that were discarded. */
  readonly wastedCostUsd?: number;
  readonly cache?: CacheReport & { readonly readTokens: number; readonly writtenTokens: number };
  /** In the order in which they ended. */
  readonly tools: readonly ToolTrace[];
  /** In order, up to the rule that decided. */
  readonly rules: readonly RuleRecord[];
  /** Absent when the iteration was interrupted (crash, takeover). */
  readonly decision?:
    | { readonly kind: 'continue'; readonly transition: TransitionReason; readonly sentence: string }
    | {
        readonly kind: 'stop';
        readonly terminal: TerminalReason;
        readonly sentence: string;
        readonly verification?: Verification;
      }
    /** The run ended, its submission did not: a later run continues this iteration. */
    | { readonly kind: 'park'; readonly sentence: string };
  /** Hooks that ran since the decision before. Absent: none. */
  readonly hooks?: readonly HookTrace[];
  /** The completion conditions, where they were checked. */
  readonly checks?: readonly VerifyCheck[];
  /** State for the next iteration; absent where it is that of a fresh one. */
  readonly next?: CarriedState;
  /** Fill of the context window, in tokens. */
  readonly context?: {
    readonly window: number;
    readonly used: number;
    /** Estimated part of it outside the messages: system prompt, user context and tools. */
    readonly overhead?: number;
    readonly autocompactAt: number;
    readonly blockingAt: number;
  };
  /** Spent so far, and the limits that apply. */
  readonly budgets: {
    readonly turnCount: number;
    readonly maxTurns?: number;
    readonly costUsd: number;
  };
}
