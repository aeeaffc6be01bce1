/** What the one gate (`tools/gate/gate.ts`) asks of the rooms around it (L5). */
import type { HookPort } from './hook.ts';
import type {
  DecisionReasonType,
  GateVerdict,
  MatchedRule,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
} from './permission.ts';
import type { AnyTool, EffectClass, ToolCall, ToolOutput } from './tool.ts';

export interface PermissionQuestion {
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly toolUseId: string;
  /** Where its relative paths count from. */
  readonly cwd: string;
  /** Where rules count from, and what may be worked in: the session's own folder. Default `cwd`. */
  readonly root?: string | undefined;
  readonly additionalDirectories: readonly string[];
  readonly agentId?: string;
  /** Absolute paths that the asker may write without being asked: an agent's own notes. Default none. */
  readonly ownDirectories?: readonly string[] | undefined;
  /** Why a hook wants the call to be confirmed. */
  readonly hookAsks?: string | undefined;
  /** Of the agent that asks: holds where it is stricter than the session's. */
  readonly mode?: PermissionMode | undefined;
}

/** Rules and modes. Pure but for reading real paths; never asks anybody. */
export interface PermissionPort {
  /** Known at once where no path has to be looked up. */
  decide(question: PermissionQuestion): GateVerdict | Promise<GateVerdict>;
  readonly mode: PermissionMode;
  /** The mode to go back to when a plan is approved. */
  readonly modeBeforePlan: PermissionMode;
  setMode(mode: PermissionMode): void;
  apply(updates: readonly PermissionUpdate[]): void;
}

/** Asks the person or host. Headless without a host: denies with a clear message, at once. */
export type AskPort = (
  question: PermissionQuestion & {
    readonly message: string;
    readonly reasonType?: DecisionReasonType;
    readonly matched?: MatchedRule;
    readonly suggestions?: readonly PermissionUpdate[];
    readonly blockedPath?: string;
  },
  signal: AbortSignal,
) => Promise<
  // `answeredBy`: default the host. `headless`: there was none to ask. `unanswered`: its answer was none. `hook`: one for
  // permission requests. `asyncAgent`: permission prompts are switched off.
  | (PermissionResult & {
      readonly answeredBy?: 'permissionPromptTool' | 'headless' | 'asyncAgent' | 'unanswered' | 'hook';
    })
  | { readonly behavior: 'pending'; readonly askId: string }
>;

/** Looks for calls that are made again and again and bring nothing new. */
export interface RepeatGuard {
  /** Why this call is not run once more; undefined: it may run. */
  refusal(tool: string, input: unknown): string | undefined;
  /** Takes note of a result; returns what the model should hear beside it. */
  note(tool: string, input: unknown, output: ToolOutput, changesNothing: boolean): string | undefined;
}

export interface GatePorts {
  readonly permissions: Pick<PermissionPort, 'decide'>;
  readonly ask: AskPort;
  readonly hooks: HookPort;
  /** Absent: calls may repeat without end. */
  readonly repeats?: RepeatGuard | undefined;
  /** Written (and committed, where the session asks for it) before the tool runs. */
  recordIntent(call: ToolCall, effectClass: EffectClass, updatedInput?: unknown): Promise<void> | undefined;
}
