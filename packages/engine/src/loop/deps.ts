/**
 * The ports of the loop: everything that it can see of the world. All of it is passed in, so a test drives
 * the real loop with a scripted model, and the same loop runs in a CLI, a server or a worker.
 */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Life } from '../protocol/life.ts';
import type { CacheWatch } from '../protocol/model/cache.ts';
import type { CompactionState, ContextPort } from '../protocol/model/context.ts';
import type {
  AttachmentMessage,
  ToolUseSummaryMessage,
  UserMessage,
  ViewMessage,
} from '../protocol/model/messages.ts';
import type { CallModel, QuerySource } from '../protocol/model/model.ts';
import type { View } from '../protocol/model/view.ts';
import type { EffortLevel, ThinkingConfig, ToolUseBlock, WireTool } from '../protocol/model/wire.ts';
import type { Clock, Ids, Ledger } from '../protocol/ports.ts';
import type { Recorder } from '../protocol/session/journal.ts';
import type { ParkingPort } from '../protocol/session/parking.ts';
import type { ResumePoint } from '../protocol/session/resume-point.ts';
import type { Terminal } from '../protocol/session/terminal.ts';
import type { VerifyPort } from '../protocol/session/verification.ts';
import type { HookPort } from '../protocol/tools/hook.ts';
import type { McpOrigin } from '../protocol/tools/mcp.ts';
import type { PermissionDenial } from '../protocol/tools/permission.ts';
import type { ToolExecutor } from '../protocol/tools/tool-call.ts';

/** What does not change while a submission runs. Plain data but for the scope and the way to the view. */
export interface LoopParams {
  readonly sessionId: string;
  /** Id of this submission: the first part of every effect key. */
  readonly submission: string;
  readonly querySource: QuerySource;
  readonly foreground: boolean;
  /** `''` for the main agent, else the path of agent ids. */
  readonly agentPath: string;
  readonly chainId: string;
  readonly depth: number;
  /**
   * Called once, when the loop begins: an object that keeps these parameters keeps no message alive (L1 phase
   * 7).
   */
  readonly view: () => PersistentList<ViewMessage>;
  readonly system: readonly string[];
  readonly userContext: readonly string[];
  readonly model: string;
  /** Tried in order, each at most once per submission. */
  readonly fallbackModels: readonly string[];
  readonly thinking?: ThinkingConfig;
  readonly effort?: EffortLevel;
  readonly betas?: readonly string[];
  readonly speed?: 'fast';
  readonly maxTurns?: number;
  readonly taskBudget?: { readonly total: number };
  /** What is left of `taskBudget` after earlier compactions. */
  readonly taskBudgetRemaining?: number;
  readonly tokenBudget?: { readonly target: number };
  /** Set by the caller: the cap is then never escalated. */
  readonly maxOutputTokens?: number;
  /** Default cap when none was set. */
  readonly defaultOutputCap: number;
  readonly escalatedOutputCap: number;
  readonly includePartialMessages: boolean;
  /** A break of the prompt cache is shown too, as an informational message. */
  readonly showCacheBreaks?: boolean;
  /** Ninth block of a submission is overridden when this is 8. */
  readonly stopHookBlockCap: number;
  /** A JSON schema is set: the run owes a structured value. */
  readonly structuredOutput?: { readonly toolName: string };
  readonly compaction: CompactionState;
  /** Where an interrupted submission is continued (L4.1); default its beginning. */
  readonly startAt?: ResumePoint | undefined;
  /**
   * Added to attempt numbers, so that a later process of the session does not reuse ids (L4.1). Default 0.
   */
  readonly attemptBase?: number;
  readonly scope: Scope;
}

interface AttachmentInput {
  readonly toolUses: readonly ToolUseBlock[];
  readonly results: readonly UserMessage[];
  readonly view: View;
  readonly turnCount: number;
}

export interface AttachmentPort {
  /** Context for the model besides tool results, in order. The queue is only peeked at. */
  collect(
    input: AttachmentInput,
    life: Life,
  ): readonly AttachmentMessage[] | Promise<readonly AttachmentMessage[]>;
  /** `next_turn` alone calls this: what was peeked is now consumed. Returns the consumed keys. */
  acknowledge(): readonly string[];
}

export interface ToolsPort {
  /** In the API's shape, in a stable order. The same array while the set is unchanged. */
  wireTools(model: string): readonly WireTool[] | Promise<readonly WireTool[]>;
  /** One executor per iteration; it dies with the scope. */
  open(input: {
    readonly scope: Scope;
    readonly iteration: number;
    readonly chainId: string;
    readonly depth: number;
  }): ToolExecutor;
  backfill(block: ToolUseBlock): ToolUseBlock;
  /** Of a tool that an MCP server offers. */
  mcpOf?(name: string): McpOrigin | undefined;
  /** The input as hooks and hosts receive it: with absolute paths. */
  outwardInput(block: ToolUseBlock): JsonObject;
}

/** The engine's verdicts, outside the rules: money and structured output. */
export interface OuterGuard {
  verdict(): Terminal | undefined;
  /** Whether a structured value has been accepted, and how many nudges and refused calls were spent. */
  structuredOutput(): { readonly accepted: boolean; readonly value?: unknown };
}

export interface LoopDeps {
  readonly callModel: CallModel;
  readonly recorder: Recorder;
  readonly tools: ToolsPort;
  readonly context: ContextPort;
  readonly hooks: HookPort;
  readonly attachments: AttachmentPort;
  readonly ledger: Ledger;
  readonly guard: OuterGuard;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What is fit to send to a model: its output cap and whether non-streaming repeats are allowed. */
  modelLimits(model: string): { readonly maxOutputTokens: number; readonly nonStreamingRepeat: boolean };
  /** Who serves a model; undefined: the session's own provider. Absent: that one serves all. */
  providerOf?(model: string): string | undefined;
  /** Resolves when the sizes of a model are as good as known, soon; undefined: they are. Never rejects. */
  modelReady?(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** Finds out why a prefix was not read from the prompt cache. Absent: the cause is not determined. */
  readonly cacheWatch?: CacheWatch;
  /** Called when tools of a turn are done; yields a summary in a later iteration. Off by default. */
  readonly toolUseSummary?: {
    start(toolUses: readonly ToolUseBlock[], results: readonly UserMessage[]): string;
    /** A summary that is settled, of this round or an earlier one; never waits. */
    take(key: string): ToolUseSummaryMessage | undefined;
  };
  /**
   * The model or effort that a command or skill asks for, for the rest of the submission. Called before each
   * request; a switch is returned once.
   */
  takeSwitch?():
    | { readonly model?: string | undefined; readonly effort?: EffortLevel | undefined }
    | undefined;
  /** The completion conditions. Absent: there are none. */
  readonly verify?: VerifyPort | undefined;
  /** Which waits end the run. Absent: none. */
  readonly parking?: Pick<ParkingPort, 'isTooLong'> | undefined;
  /** Called at every stage that the engine's state machine reports. */
  onStage?(stage: 'streaming' | 'tools' | 'recovery_check' | 'compact_check'): void;
  onDenial?(denial: PermissionDenial): void;
}
