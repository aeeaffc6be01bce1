/**
 * The decision record of one iteration: the single source for `explain`, traces and the ledger's view. At
 * most about 2 KB; contents are referenced by uuid, never copied.
 */
import type { CacheReport } from '../model/cache.ts';
import type { CompactionState } from '../model/context.ts';
import type { AttemptRecord } from '../model/model.ts';
import type { StopReason, Usage } from '../model/wire.ts';
import type { ToolTrace } from '../tools/tool.ts';
import type { TerminalReason } from './terminal.ts';
import type { TransitionReason } from './transition.ts';

export interface PrepareRecord {
  readonly step: string;
  readonly ran: boolean;
  readonly why: string;
  /** Absent, like `ms`, when the step did not run. */
  readonly tokensBefore?: number;
  /** Absent when the step changed nothing. */
  readonly tokensAfter?: number;
  readonly ms?: number;
  readonly replaced?: readonly string[];
}

export interface RuleRecord {
  readonly name: string;
  readonly verdict: 'pass' | 'continue' | 'stop';
  /** The facts that the rule read. Absent: none, or the same as the rule before it. */
  readonly read?: Readonly<Record<string, unknown>>;
}

/**
 * The state that the next iteration starts with, besides the view, as far as it differs from a fresh one:
 * another process can continue from it (L4.1).
 */
export interface CarriedState {
  readonly recovery?: {
    readonly outputTokenCount: number;
    readonly capOverride: number | undefined;
    readonly escalated: boolean;
    readonly hasAttemptedReactiveCompact: boolean;
    readonly trimmed: boolean;
    readonly mediaReduced: boolean;
    readonly unusableCount: number;
  };
  readonly hooks?: {
    readonly stopHookActive: boolean;
    readonly blocks: number;
  };
  readonly compaction?: CompactionState;
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
  readonly v: 1;
  readonly sessionId: string;
  readonly submission: string;
  readonly iteration: number;
  readonly agentPath: string;
  readonly startedAt: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The transition that led here; absent on the first iteration. */
  readonly in?: TransitionReason;
  readonly prepare: readonly PrepareRecord[];
  readonly view: {
    readonly length: number;
    readonly tokens: number;
    /** Where the token figure comes from. */
    readonly source: 'provider' | 'estimate';
    readonly added: readonly string[];
  };
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
  readonly fallback?: { readonly from: string; readonly to: string };
  readonly response?: {
    readonly messageId: string;
    readonly stopReason: StopReason | null;
    readonly blocks: readonly string[];
  };
  readonly usage?: Usage;
  readonly costUsd?: number;
  readonly wastedCostUsd?: number;
  readonly cache?: CacheReport & { readonly readTokens: number; readonly writtenTokens: number };
  readonly tools: readonly ToolTrace[];
  /** In order, up to the rule that decided. */
  readonly rules: readonly RuleRecord[];
  /** Absent when the iteration was interrupted (crash, takeover). */
  readonly decision?:
    | { readonly kind: 'continue'; readonly transition: TransitionReason; readonly sentence: string }
    | { readonly kind: 'stop'; readonly terminal: TerminalReason; readonly sentence: string };
  readonly next?: CarriedState;
  readonly context?: {
    readonly window: number;
    readonly used: number;
    /** Estimated part of it outside the messages: system prompt, user context and tools. */
    readonly overhead?: number;
    readonly autocompactAt: number;
    readonly blockingAt: number;
  };
  readonly budgets: {
    readonly turnCount: number;
    readonly maxTurns?: number;
    readonly costUsd: number;
  };
}
