/** What a session is made of once it is put together. Each object owns its state; a function takes the ones it needs. */
import type { SnipMarks } from '../../context/clearing/snip-marks.ts';
import type { AttachmentPort } from '../../loop/deps.ts';
import type { MemoryFile } from '../../memory/memory-file.ts';
import type { PromptInNeed } from '../../memory/relevant-memory.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { CacheWatch } from '../../protocol/model/cache.ts';
import type { ContextPort } from '../../protocol/model/context.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { Clock, Ids, RandomPort } from '../../protocol/ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { SandboxPort } from '../../protocol/tools/sandbox.ts';
import type { AnyTool, ReadFileCache } from '../../protocol/tools/tool.ts';
import type { FileHistory } from '../../session/file-history/file-history.ts';
import type { SessionTaskTable } from '../../tasks/task-table.ts';
import type { Scope } from '../../util/async/scope.ts';
import type { SubagentRoom } from '../agents/subagents.ts';
import type { AppStateAccess } from '../app-state.ts';
import type { SessionBudget } from '../budget/session-budget.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { SessionCommands } from '../host/session-commands.ts';
import type { McpRoom } from '../mcp/mcp-room.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { SkillsRoom } from '../project/session-skills.ts';
import type { SessionMirror } from '../storage/mirror.ts';
import type { PromptQueue } from '../submission/prompt-queue.ts';
import type { StructuredOutput } from '../submission/structured-output.ts';
import type { Admit } from '../tools/admission.ts';
import type { ToolState } from '../tools/tool-state.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';
import type { WorkingFolder } from '../tools/working-folder.ts';
import type { Conversation } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';
import type { SessionNotices } from './session-notices.ts';
import type { Submissions } from './submissions.ts';

/** What one conversation is driven with: the session's own, or that of an agent. */
export interface ConversationPorts {
  readonly config: QueryEngineConfig;
  readonly scope: Scope;
  readonly world: World;
  readonly conversation: Conversation;
  readonly model: SessionModel;
  readonly budget: SessionBudget;
  readonly tools: ConversationTools;
  readonly context: ConversationContext;
  /** An agent's say whose call it is. */
  readonly hooks: HookPort;
  readonly tasks: SessionTaskTable;
}

export interface Session extends ConversationPorts {
  readonly submissions: Submissions;
  readonly permissions: Permissions;
  /** What host and engine share and both may change. */
  readonly appState: AppStateAccess;
  readonly host: HostChannel;
  readonly notices: SessionNotices;
  readonly commands: SessionCommands;
  readonly queue: PromptQueue;
  readonly hooks: SessionHooks;
  readonly mcp: McpRoom;
  readonly skills: SkillsRoom;
  readonly agents: SubagentRoom;
  readonly sources: ContextSources;
  /** undefined: no structured output was asked for. */
  readonly structured: StructuredOutput | undefined;
  /** Who else gets what is written to the session's files; undefined: no one. */
  readonly mirror: SessionMirror | undefined;
  /** undefined: commands are not isolated. */
  readonly sandbox: Pick<SandboxPort, 'close'> | undefined;
}

/** Ports to what is outside of the process, and to chance. */
export interface World {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: RandomPort;
  readonly files: PersistentFiles;
}

/** The same, with what they work on. */
export interface ConversationTools extends ToolsRoom {
  readonly folder: Pick<WorkingFolder, 'now' | 'root'>;
  /** Every tool that it may call; the same array while nothing changed. */
  all(): readonly AnyTool[];
  readonly state: ToolState;
  readonly readFileCache: ReadFileCache;
  /** undefined: checkpointing is off. */
  readonly fileHistory: FileHistory | undefined;
  /** What may enter the conversation. */
  readonly admit: Admit;
}

/** How the view is made to fit, and what joins it. */
export interface ConversationContext {
  readonly port: ContextPort;
  readonly attachments: AttachmentPort;
  readonly cacheWatch: CacheWatch;
  readonly snipMarks: SnipMarks;
  /** What goes into the conversation with a prompt. */
  withPrompt(model: string): Promise<readonly AttachmentMessage[]>;
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
