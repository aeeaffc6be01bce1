/** The parts of a session. Each object owns its state; a function takes the ones it needs. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SnipMarks } from '../../context/clearing/snip-marks.ts';
import type { AttachmentPort } from '../../loop/deps.ts';
import type { MemoryFile } from '../../memory/memory-file.ts';
import type { PromptInNeed } from '../../memory/relevant-memory.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { CacheWatch } from '../../protocol/model/cache.ts';
import type { ContextPort } from '../../protocol/model/context.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { Clock, Ids, RandomPort } from '../../protocol/ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { SandboxPort } from '../../protocol/tools/isolation.ts';
import type { AnyTool, ReadFileCache } from '../../protocol/tools/tool.ts';
import type { FileHistory } from '../../session/file-history/create-file-history.ts';
import type { SessionTaskTable } from '../../tasks/task-table.ts';
import type { SubagentRoom } from '../agents/subagents.ts';
import type { AppStateAccess } from '../app-state.ts';
import type { SessionBudget } from '../budget/session-budget.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionHooks } from '../hooks/session-hooks.ts';
import type { SessionCommands } from '../host/session-commands.ts';
import type { Judging } from '../judging/judging.ts';
import type { SessionLanguages } from '../language/language-setup.ts';
import type { McpRoom } from '../mcp/mcp-room.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { SkillsRoom } from '../project/session-skills.ts';
import type { SessionMirror } from '../storage/mirror.ts';
import type { PromptQueue } from '../submission/prompt-queue.ts';
import type { StructuredOutput } from '../submission/structured-output.ts';
import type { Admit } from '../tools/admitted-content.ts';
import type { ToolState } from '../tools/tool-state.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';
import type { CallFolder } from '../tools/working-folder.ts';
import type { SessionVerification } from '../verifying/session-verification.ts';
import type { Conversation } from './conversation.ts';
import type { HostChannel } from './host-channel.ts';
import type { RecordedQuestions } from './recorded-questions.ts';
import type { SessionNotices } from './session-notices.ts';
import type { SessionParking } from './session-parking.ts';
import type { Submissions } from './submissions.ts';

/** The parts that run one conversation: the session's own, or an agent's. */
export interface ConversationPorts {
  readonly config: QueryEngineConfig;
  readonly scope: Scope;
  readonly world: SystemPorts;
  readonly conversation: Conversation;
  readonly model: SessionModel;
  readonly budget: SessionBudget;
  readonly tools: ConversationTools;
  readonly context: ConversationContext;
  /** An agent's add which agent makes the call. */
  readonly hooks: HookPort;
  readonly tasks: SessionTaskTable;
}

export interface Session extends ConversationPorts {
  readonly submissions: Submissions;
  readonly questions: RecordedQuestions;
  /** Of the mode `auto`. */
  readonly judging: Judging;
  /** undefined: no wait ends a run. */
  readonly parking: SessionParking | undefined;
  readonly permissions: Permissions;
  /** State that host and engine share and both may change. */
  readonly appState: AppStateAccess;
  readonly host: HostChannel;
  readonly notices: SessionNotices;
  readonly commands: SessionCommands;
  readonly queue: PromptQueue;
  readonly hooks: SessionHooks;
  /** undefined: there are no language servers. */
  readonly language: SessionLanguages | undefined;
  readonly mcp: McpRoom;
  readonly skills: SkillsRoom;
  readonly agents: SubagentRoom;
  readonly sources: ContextSources;
  readonly verification: SessionVerification;
  /** undefined: structured output is off. */
  readonly structured: StructuredOutput | undefined;
  /** Also receives what is written to the session's files; undefined: there is none. */
  readonly mirror: SessionMirror | undefined;
  /** undefined: commands are not isolated. */
  readonly sandbox: Pick<SandboxPort, 'close'> | undefined;
}

/** Ports to what is outside of the process, and to randomness. */
export interface SystemPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: RandomPort;
  readonly files: PersistentFiles;
}

/** The tools of one conversation, and what they work on. */
export interface ConversationTools extends ToolsRoom {
  readonly folder: Pick<CallFolder, 'forAgent' | 'home' | 'now' | 'root'>;
  /** Every tool that the conversation may call; the same array while nothing changes. */
  all(): readonly AnyTool[];
  readonly state: ToolState;
  readonly readFileCache: ReadFileCache;
  /** undefined: checkpointing is off. */
  readonly fileHistory: FileHistory | undefined;
  /** Brings large results of earlier processes to this machine; undefined: they are where they were. */
  readonly restoreResults: (() => Promise<void>) | undefined;
  /** Decides what may enter the conversation. */
  readonly admit: Admit;
}

/** Keeps the view within the context window, and adds attachments to it. */
export interface ConversationContext {
  readonly port: ContextPort;
  readonly attachments: AttachmentPort;
  readonly cacheWatch: CacheWatch;
  readonly snipMarks: SnipMarks;
  /** Attachments that are recorded with a prompt. */
  withPrompt(model: string): Promise<readonly AttachmentMessage[]>;
}

/** Reads the contexts of the conversation; each is called once per session. */
export interface ContextSources {
  memoryFiles(): Promise<readonly MemoryFile[]>;
  /** Starts a search for memory that concerns a prompt; nothing waits for it. undefined: it is off. */
  readonly relevantMemory: ((need: PromptInNeed) => void) | undefined;
  /** The working directory belongs to a git repository. */
  isRepository(): Promise<boolean>;
  gitStatus(signal: AbortSignal): Promise<string>;
  /** Instructions for the model's own notes, and the notes; undefined: it keeps none. */
  ownMemory(): Promise<string | undefined>;
}
