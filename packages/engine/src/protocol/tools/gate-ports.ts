/** What the one gate (`tools/gate/gate.ts`) asks of the rooms around it (L5). */
import type { JudgedTool } from '../session/policy-in-force.ts';
import type { CallSpans } from '../tracing.ts';
import type { JudgeVerdict } from './auto-mode.ts';
import type { HookPort } from './hook.ts';
import type {
  DecisionReasonType,
  GateVerdict,
  MatchedRule,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
} from './permission.ts';
import type { AskingAgent } from './permission-explanation.ts';
import type { AnyTool, EffectClass, ToolOutput } from './tool.ts';
import type { ToolCall } from './tool-call.ts';

export interface PermissionQuestion {
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly toolUseId: string;
  /** Base of its relative paths. */
  readonly cwd: string;
  /** Base of rules, and root of the working directories: the session's own folder. Default `cwd`. */
  readonly root?: string | undefined;
  /** The user's home folder, which `~` names in paths. */
  readonly home?: string | undefined;
  readonly additionalDirectories: readonly string[];
  readonly agentId?: string;
  /** Absolute paths that the agent may write without a question: its own notes. Default none. */
  readonly ownDirectories?: readonly string[] | undefined;
  /** Why a hook requires confirmation of the call. */
  readonly hookAsks?: string | undefined;
  readonly hookName?: string | undefined;
  /** The answer to a question about the call is known: a mode that asks no one lets it decide. */
  readonly isAnswered?: boolean | undefined;
  /** Mode of the agent that makes the call; applies where it is stricter than the session's. */
  readonly mode?: PermissionMode | undefined;
  /** From the outermost subagent to the one that makes the call. Default: the main agent makes it. */
  readonly asker?: readonly AskingAgent[] | undefined;
}

/** Rules and modes. Pure apart from resolving paths; never asks the host. */
export interface PermissionPort {
  /** Synchronous where no path has to be resolved. */
  decide(question: PermissionQuestion): GateVerdict | Promise<GateVerdict>;
  readonly mode: PermissionMode;
  /** The mode to return to when a plan is approved. */
  readonly modeBeforePlan: PermissionMode;
  setMode(mode: PermissionMode): void;
  apply(updates: readonly PermissionUpdate[]): void;
}

/** A call that is asked about, and why. */
export interface AskedQuestion extends PermissionQuestion {
  /** Id of the question, if it is recorded. */
  readonly askId?: string;
  readonly message: string;
  readonly reasonType?: DecisionReasonType;
  readonly matched?: MatchedRule;
  /** Name of the hook that asks. */
  readonly hook?: string;
  readonly suggestions?: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  /** The judge of mode `auto` did not decide about it. */
  readonly judge?: JudgeVerdict;
}

/** Asks the user or host. Headless without a host: denies immediately with a clear message. */
export type AskPort = (
  question: AskedQuestion,
  signal: AbortSignal,
) => Promise<
  // Who answered; default the host. `headless`: there is no host. `unanswered`: the host returned no
  // decision. `hook`: a PermissionRequest hook. `asyncAgent`: permission prompts are switched off.
  // `classifier`: the judge of mode `auto`. `judge`: what it said.
  (
    | (PermissionResult & {
        readonly answeredBy?:
          | 'permissionPromptTool'
          | 'headless'
          | 'asyncAgent'
          | 'unanswered'
          | 'hook'
          | 'classifier';
      })
    | { readonly behavior: 'pending'; readonly askId: string }
  ) & { readonly judge?: JudgeVerdict }
>;

/** Detects calls that are repeated without progress. */
export interface RepeatGuard {
  /** Why this call must not run again; undefined: it may run. */
  refusal(tool: string, input: unknown): string | undefined;
  /** Registers a result; returns a note for the model, if any. */
  note(tool: string, input: unknown, output: ToolOutput, changesNothing: boolean): string | undefined;
}

/** The name of the policy that decides about a call, and what it needs to know of the tool. */
export interface JudgedUnder {
  readonly policy: string;
  readonly tool?: JudgedTool;
}

/** A call that is about to run, with the input that runs. */
export interface WatchedCall {
  readonly toolUseId: string;
  readonly toolName: string;
  readonly input: unknown;
  /** It runs in the session's own folder. */
  readonly isAtHome: boolean;
  readonly changesNothing: boolean;
  readonly agentId?: string | undefined;
}

/** Sees the calls that run. */
export interface EffectWatch {
  /** The returned function is called when the call has ended; with undefined when it has failed. */
  begin(call: WatchedCall): (output: ToolOutput | undefined) => void;
}

export interface GatePorts {
  readonly permissions: Pick<PermissionPort, 'decide'>;
  /**
   * Records the policy that is about to decide, if it is another one than before. Absent: it is not recorded.
   */
  recordPolicy?(question: PermissionQuestion, effectKey: string): JudgedUnder;
  readonly ask: AskPort;
  /** Whether `ask` knows the answer about this call already. Absent: it never does. */
  isAnswered?(toolUseId: string): boolean;
  readonly hooks: HookPort;
  /** Sees the calls that run; undefined: nothing is to be seen of them. */
  effects?(): EffectWatch | undefined;
  /** Absent: repetitions are not limited. */
  readonly repeats?: RepeatGuard | undefined;
  /** Recorded (and committed, where the session requires it) before the tool runs. */
  recordIntent(call: ToolCall, effectClass: EffectClass, updatedInput?: unknown): Promise<void> | undefined;
  /** Called when the tool has run, and waited for before its result is made. Must not reject. */
  hasRun?(toolUseId: string): Promise<unknown> | undefined;
  /** Absent: calls are not traced. */
  readonly spans?: CallSpans | undefined;
}
