/** What one session is made of once it is composed: ports and the little state that outlives a submission. */

import type { InputQueue } from '../../attachments/input-queue.ts';
import type { SnipMarks } from '../../context/clearing/snip-marks.ts';
import type { AttachmentPort, LoopParams, ToolsPort } from '../../loop/deps.ts';
import type { MemoryFile } from '../../memory/memory-file.ts';
import type { PromptInNeed } from '../../memory/relevant-memory.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { CacheWatch } from '../../protocol/cache.ts';
import type { ContextPort } from '../../protocol/context.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { HookPort } from '../../protocol/hook.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Life } from '../../protocol/life.ts';
import type { AttachmentMessage } from '../../protocol/messages.ts';
import type { CallModel, FastModeStatus, ModelInfo } from '../../protocol/model.ts';
import type { PermissionDenial, PermissionResult } from '../../protocol/permission.ts';
import type { Clock, Ids, InboxItem, RandomPort } from '../../protocol/ports.ts';
import type { SDKResultMessage, SubagentStats } from '../../protocol/result-message.ts';
import type { SandboxPort } from '../../protocol/sandbox.ts';
import type { McpOrigin, ReadFileCache, ToolOutput } from '../../protocol/tool.ts';
import type { EffortLevel, ThinkingConfig, Usage, WireTool } from '../../protocol/wire.ts';
import type { FileHistory } from '../../session/file-history/file-history.ts';
import type { SessionTaskTable } from '../../tasks/task-table.ts';
import type { Scope } from '../../util/async/scope.ts';
import type { AppStateAccess } from '../app-state.ts';
import type { CapWarnings } from '../budget/limit-warnings.ts';
import type { UsageLedger } from '../budget/usage-ledger.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { GatedAnswer } from '../host/host-call.ts';
import type { StructuredOutput } from '../submission/structured-output.ts';
import type { Admit } from '../wiring/admission.ts';
import type { SessionHooks } from '../wiring/hooks.ts';
import type { McpRoom } from '../wiring/mcp/mcp.ts';
import type { SessionMirror } from '../wiring/mirror.ts';
import type { SkillsRoom } from '../wiring/project/skills.ts';
import type { ToolState } from '../wiring/tools/tool-state.ts';
import type { Announcer } from './session-events.ts';
import type { SessionJournal } from './session-journal.ts';
import type { SessionNotices } from './session-notices.ts';
import type { StateMachine } from './status-reporter.ts';
import type { WorkingFolder } from './working-folder.ts';

export interface ModelPort {
  readonly call: CallModel;
  /** What is known by now. */
  infoOf(model: string): ModelInfo;
  /** Resolves when `infoOf` is as good as it gets, soon; undefined: it is already. Never rejects. */
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** What became of fast requests so far. */
  fastMode(): FastModeStatus;
  /** An alias to its id, `undefined` to the default model. */
  resolve(name: string | undefined): string;
  /** ms that the model calls of this submission took together. */
  apiMs(): number;
  /** The same, of all submissions. */
  sessionApiMs(): number;
  startSubmission(): void;
  close(): void;
}

export interface ToolsRoom {
  readonly port: ToolsPort;
  /** Of a tool that an MCP server offers. */
  mcpOf(name: string): McpOrigin | undefined;
  /** Names, in the order the model sees them. */
  names(): readonly string[];
  /** Tools that are told by name and left out of requests until they are loaded. */
  deferred(model: string): Promise<readonly WireTool[]>;
  /** A call that is not the model's, through the one gate; nobody is asked. Never rejects. */
  callGated(name: string, input: JsonObject, signal: AbortSignal): Promise<GatedAnswer>;
  /** The host's answer is known before it is asked (an orphaned permission). */
  presetAnswer(answer: PermissionResult & { readonly toolUseID: string }): void;
  /** Runs a tool beside the conversation, past the gate: for what the host itself asked for. */
  callTool(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
}

/** Reads what goes before the conversation; each is asked once per session. */
export interface ContextSources {
  memoryFiles(): Promise<readonly MemoryFile[]>;
  /** Begins to look for what bears on a prompt; nobody waits for it. undefined: that is not wanted. */
  readonly relevantMemory: ((need: PromptInNeed) => void) | undefined;
  /** The working directory belongs to a git repository. */
  isRepository(): Promise<boolean>;
  gitStatus(signal: AbortSignal): Promise<string>;
  /** How the main conversation keeps notes, and what they say; undefined: it keeps none. */
  ownMemory(): Promise<string | undefined>;
}

export interface EngineParts {
  readonly config: QueryEngineConfig;
  readonly sessionId: string;
  readonly scope: Scope;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: RandomPort;
  readonly journal: SessionJournal;
  readonly folder: Pick<WorkingFolder, 'now' | 'root'>;
  /** Whom else gets what is written to the session's files. undefined: no one. */
  readonly mirror: SessionMirror | undefined;
  readonly ledger: UsageLedger;
  readonly model: ModelPort;
  readonly permissions: Permissions;
  readonly hooks: HookPort;
  /** The session's hooks as a whole, whatever agent asks. */
  readonly hookRoom: SessionHooks;
  /** undefined: nothing is isolated. */
  readonly sandbox: Pick<SandboxPort, 'close'> | undefined;
  readonly tools: ToolsRoom;
  readonly mcp: McpRoom;
  readonly skills: SkillsRoom;
  /** Agents and hooks of plugins that were read again hold from here on. */
  takeUpPlugins(): void;
  readonly context: ContextPort;
  /** What may enter the conversation. */
  readonly admit: Admit;
  readonly cacheWatch: CacheWatch;
  readonly attachments: AttachmentPort;
  /** What goes into the conversation with a prompt. */
  readonly withPrompt: (model: string) => Promise<readonly AttachmentMessage[]>;
  readonly toolState: ToolState;
  readonly snipMarks: SnipMarks;
  readonly files: PersistentFiles;
  readonly readFileCache: ReadFileCache;
  /** undefined: checkpointing is off. */
  readonly fileHistory: FileHistory | undefined;
  readonly notices: SessionNotices;
  readonly queue: PromptLine;
  readonly appState: AppStateAccess;
  readonly sources: ContextSources;
  readonly structured: StructuredOutput | undefined;
  readonly state: StateMachine;
  readonly tasks: SessionTaskTable;
  /** What became of agents so far. */
  subagentStats(): SubagentStats;
  readonly announcer: Announcer;
  readonly memory: SessionMemory;
}

/** Prompts that wait: in memory, fed by the inbox when there is one. */
export interface PromptLine extends Pick<InputQueue, 'peek' | 'acknowledge' | 'onArrival' | 'onNow'> {
  put(item: Omit<InboxItem, 'n'>): Promise<void>;
  /** The running turn has been shown it and has not taken it yet. */
  isJoining(key: string): boolean;
  /** Calls back with the keys of what the running turn took. Returns its end. */
  onJoined(listener: (keys: readonly string[]) => void): () => void;
  /** Begins to follow the inbox, but for what an earlier life consumed; later calls change nothing. */
  follow(consumed?: ReadonlySet<string>): Promise<void>;
}

/** What changes between submissions and is no port. */
export interface SessionMemory {
  /** The configured model, as `setModel` last left it. */
  modelName: string | undefined;
  /** Set while the session runs; undefined: as configured. */
  thinking: ThinkingConfig | undefined;
  /** What of it is shown; null: the model's own way, undefined: as configured. */
  thinkingDisplay: 'summarized' | 'omitted' | null | undefined;
  /** Likewise. */
  effort: EffortLevel | undefined;
  /** See `QueryEngineConfig.fastMode`; it may be switched while the session runs. */
  fastMode: boolean | 'disabled_by_env' | undefined;
  /** What a skill wants the rest of the submission to be worked on with; until the next request. */
  adopted: { readonly model?: string | undefined; readonly effort?: EffortLevel | undefined } | undefined;
  opened: boolean;
  /** uuids of prompts that an earlier life answered, or a session that this one is a fork of. */
  answered: ReadonlySet<string> | undefined;
  /** Submissions that are on record. */
  submissions: number;
  /** The running one's id. */
  submission: string | undefined;
  /** Results that were given. */
  results: number;
  lastResult: SDKResultMessage | undefined;
  /** Answers that were refusals. */
  safetyStops: number;
  /** SessionStart hooks have run. */
  started: boolean;
  /** Calls off what is done while nobody prompts. */
  endIdle: (() => void) | undefined;
  /** The prompt that is being worked on. */
  promptId: string | undefined;
  /** What the session is called. */
  title: string | undefined;
  orphanHandled: boolean;
  /** Why a strict budget did not let the main loop ask again, in this submission. */
  unaffordable: string | undefined;
  /** Limits that are nearly reached. */
  readonly capWarnings: CapWarnings;
  /** Denials of the running submission. */
  denials: PermissionDenial[];
  /** Head of the running submission's requests; a compaction asks with the same one. */
  request: LoopParams | undefined;
  /** What is left of `taskBudget`. */
  taskRemaining: number | undefined;
  contexts:
    | {
        readonly memoryFiles: readonly MemoryFile[];
        readonly isRepository: boolean;
        readonly gitStatus: string;
        readonly ownMemory: string | undefined;
        readonly date: string;
      }
    | undefined;
  /** Usage of the last answer, and how long the view was when it had ended. */
  measured: { readonly usage: Usage; readonly length: number; readonly root: object } | undefined;
  /** The list of commands that hosts were told of last; undefined: the one they could ask for. */
  commandsTold: string | undefined;
  /** Id of the session that follows this one: it was cleared. */
  successor: string | undefined;
  /** That session has an engine, which took over what this one would close. */
  handedOver: boolean;
  /** How the session began, when it is not resumed. */
  readonly begun: 'startup' | 'clear';
  /** Sum of the last recorded context snapshot. */
  snapshot: string | undefined;
}
