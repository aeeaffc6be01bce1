/** A call of the model on its way: what the executor takes, reports and records of it. */

import type { InformationalBody, ProgressMessage, UserMessage } from '../model/messages.ts';
import type { ToolUseBlock } from '../model/wire.ts';
import type { Wait } from '../session/parking.ts';
import type { JudgedTool } from '../session/policy-in-force.ts';
import type { JudgeVerdict } from './auto-mode.ts';
import type { CommandPlace } from './isolation.ts';
import type { DecisionReasonType, GateReasonType, GateVerdict, PermissionDenial } from './permission.ts';

/** A complete call of the model. */
export interface ToolCall {
  readonly block: ToolUseBlock;
  readonly assistantUuid: string;
  readonly effectKey: string;
  /** The input is not valid JSON, so the call never runs. `cut`: it was truncated. */
  readonly unparsed?: { readonly raw: string; readonly cut: boolean } | undefined;
}

/** Outcome of a call, for the decision record. */
export interface ToolTrace {
  readonly id: string;
  readonly name: string;
  /** Monotonic clock, as the next two. */
  readonly queuedMs: number;
  /** Absent when it never ran. */
  readonly startedMs?: number;
  readonly endedMs: number;
  readonly outcome: 'ok' | 'error' | 'denied' | 'invalid' | 'aborted' | 'unknown_tool';
  readonly inputChars: number;
  readonly resultChars: number;
  /** It ran beside another call. */
  readonly concurrent: boolean;
  /** Where its command ran; absent if commands are not isolated, or it ran none. */
  readonly ranIn?: CommandPlace;
  readonly permission?: {
    readonly verdict: GateVerdict['kind'];
    /** What decided: a rule, the mode, a hook, the host, … */
    readonly source: GateReasonType;
    /** The rule that decided, as written, and its source. */
    readonly rule?: string;
    readonly ruleSource?: string;
    readonly askedMs?: number;
    /** What rules and mode said, where a hook or an answer had the last word. */
    readonly ruled?: RuledVerdict;
    /** What became of it with the judge of mode `auto`; absent: it was not for the judge. */
    readonly judge?: JudgeVerdict;
    /** What a PreToolUse hook answered. */
    readonly hook?: 'allow' | 'ask';
    /** The policy that decided, by the name of its record; absent: none was recorded. */
    readonly policy?: string;
    /** Base of its relative paths, where it is not the session's own folder. */
    readonly cwd?: string;
    /**
     * The input that was judged, where a hook changed the model's. true: the intent has it; false: it was too
     * long to be kept.
     */
    readonly input?: unknown;
    readonly tool?: JudgedTool;
  };
}

/** What rules and mode said about a call, with the rule, as written, and its source. */
export interface RuledVerdict {
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly source: GateReasonType;
  readonly rule?: string;
  readonly ruleSource?: string;
}

/** Reason of a denial that was not made by the user or host. */
export interface DenialNotice {
  readonly decision_reason_type: DecisionReasonType;
  readonly decision_reason?: string;
}

export type ToolUpdate =
  | { readonly kind: 'progress'; readonly message: ProgressMessage }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly message: UserMessage;
      readonly extraMessages: readonly UserMessage[];
      readonly endsTurn: boolean;
      /** Set by a PostToolUse hook with `continue: false`. */
      readonly preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
      /** Context for the model from hooks of this call. */
      readonly hookContext: readonly string[];
      /** Messages for the user from hooks that ran after the call; emitted behind the result. */
      readonly said?: readonly InformationalBody[];
      readonly denial?: PermissionDenial;
      /** What is emitted about the denial; absent if nothing is. */
      readonly denialNotice?: DenialNotice | undefined;
      /** The call was denied with an interrupt: the run stops as `aborted_tools`. */
      readonly interrupt?: boolean;
      readonly trace: ToolTrace;
    };

/**
 * Why calls end before their time: the user stopped the turn, or sent a prompt that cannot wait; who runs the
 * session left it; a limit of the run was reached; the answer that made them is a refusal, was dropped, was
 * replaced, or failed.
 */
export type AbortWhy =
  | 'interrupted'
  | 'preempted'
  | 'left'
  | 'out_of_money'
  | 'out_of_attempts'
  | 'out_of_time'
  | 'refused'
  | 'discarded'
  | 'superseded'
  | 'failed';

/**
 * Runs the calls of one iteration. Contract: exactly one `result` update per added call, on every path but
 * `leave`. `add` starts a call as soon as its turn comes; only outward steps wait for the consumer.
 */
export interface ToolExecutor {
  add(call: ToolCall): void;
  /** The consumer has taken the call's block: its gate may now ask hooks and hosts. */
  delivered(callId: string): void;
  /** Updates that are ready, without waiting. */
  take(): ToolUpdate[];
  /** Calls added and not yet reported. Once nothing but parked calls is left: those that are not parked. */
  readonly open: number;
  /** What parked calls wait for: they, and those that may not run before them, have no result yet. */
  readonly waits: readonly Wait[];
  /** Resolves when `take()` would return something, or nothing is open. */
  ready(): Promise<void>;
  /** Stops everything that runs or waits; each open call is answered with `why`. */
  abort(why: AbortWhy): Promise<void>;
  /** The run ends without results for the calls that are left: another run makes them. */
  leave(): void;
}
