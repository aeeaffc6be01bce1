/**
 * An agent's own share of a session: its conversation, tools, hooks' input, files seen and todos are its own; the model,
 * the ledger, the rules and the hooks are the session's, so that one gate and one budget hold at every depth.
 */
import { createCacheWatch } from '../../model/cache-watch.ts';
import type { SpawnRequest } from '../../protocol/agent.ts';
import type { PermissionQuestion } from '../../protocol/gate.ts';
import type { HookCall, HookPort } from '../../protocol/hook.ts';
import type { TodoItem } from '../../protocol/messages.ts';
import type { AnyTool, ReadFileCache, TodoStore } from '../../protocol/tool.ts';
import { selectTools } from '../../subagents/select-tools.ts';
import { HISTORY_TOOL } from '../../tools/builtin/history.ts';
import { SNIP_TOOL } from '../../tools/builtin/snip.ts';
import type { Scope } from '../../util/scope.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { EngineParts, SessionMemory } from '../parts.ts';
import { createStateMachine } from '../state-machine.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../structured-output.ts';
import { admittedResults, composeAdmission } from './admission.ts';
import { type AgentJournal, composeAgentJournal } from './agent-journal.ts';
import { composeAttachments } from './attachments.ts';
import { type ContextParts, composeContext } from './context.ts';
import { tellOfFiles } from './hooks.ts';
import type { ComposedPermissions } from './permissions.ts';
import { composeTools, type ToolParts } from './tools.ts';

/** What the session's rooms were made of. */
export interface SessionRoom {
  readonly parts: EngineParts;
  readonly tools: ToolParts;
  readonly context: ContextParts;
  /** Every tool of the session: the main thread may have been given fewer. */
  allTools(): readonly AnyTool[];
  readonly sessionDirectory: string | undefined;
  createReadFileCache(): ReadFileCache;
}

export interface AgentParts extends AgentJournal {
  readonly parts: EngineParts;
}

/** They belong to the main conversation: its result, its view, its record. */
const MAIN_ONLY: readonly string[] = [STRUCTURED_OUTPUT_TOOL, HISTORY_TOOL, SNIP_TOOL];

export function composeAgentParts(
  request: SpawnRequest,
  model: string,
  scope: Scope,
  room: SessionRoom,
  /** Tools that end at this depth are left out. */
  offered: (all: readonly AnyTool[], depth: number) => readonly AnyTool[],
): AgentParts {
  const { parts: session } = room;
  const { clock, ids, random } = session;
  const config = agentConfig(request, session.config);
  const agentJournal = composeAgentJournal(request, session.config, {
    sessionId: session.sessionId,
    directory: room.sessionDirectory,
    files: room.tools.files,
    clock,
  });
  const { journal, transcriptPath } = agentJournal;
  const hooks = agentHooks(session.hooks, request, transcriptPath);
  const readFileCache = room.createReadFileCache();
  const todos = ownTodos();
  const memory = freshMemory(model, request, session.memory);
  const allTools = remembered(room.allTools, (all) =>
    selectTools(
      request.definition,
      offered(all, request.depth).filter(({ name }) => !MAIN_ONLY.includes(name)),
    ),
  );
  const tools = composeTools(config, {
    ...room.tools,
    scope,
    tools: allTools,
    journal,
    hooks,
    readFileCache,
    todos,
    permissions: agentPermissions(room.tools.permissions, request),
    agentId: request.agentId,
  });
  const context = composeContext(config, {
    ...room.context,
    hooks,
    tools,
    allTools,
    memory,
    readFileCache,
    todos,
    scope,
    transcriptPath,
  });
  const { attachments, queue } = composeAttachments({
    clock,
    ids,
    files: room.tools.files,
    readFileCache,
    todos,
    stderr: config.stderr,
    sessionId: session.sessionId,
    scope,
    inbox: undefined,
    onFileChanged: tellOfFiles(hooks, scope),
    sources: [],
  });
  const admit = composeAdmission(config, { model: session.model, memory, journal });
  return {
    ...agentJournal,
    parts: {
      ...session,
      config,
      scope,
      random,
      journal,
      hooks,
      tools: {
        port: admittedResults(tools.port, admit),
        get names() {
          return tools.names;
        },
        presetAnswer: tools.presetAnswer,
        callTool: tools.callTool,
        callGated: tools.callGated,
      },
      context,
      admit,
      cacheWatch: createCacheWatch({
        clock,
        ttl: config.promptCacheTtl ?? '5m',
        priceOf: (name) => session.model.infoOf(name).price,
      }),
      attachments,
      queue,
      structured: undefined,
      state: createStateMachine(undefined),
      memory,
    },
  };
}

/** What is said for the main conversation alone does not hold for an agent's. */
function agentConfig({ definition }: SpawnRequest, config: QueryEngineConfig): QueryEngineConfig {
  const { autoCompactWindow } = definition;
  const { window } = config.compaction ?? {};
  return {
    ...config,
    maxTurns: definition.maxTurns,
    taskBudget: undefined,
    tokenBudget: undefined,
    jsonSchema: undefined,
    includePartialMessages: false,
    verbose: false,
    compaction: {
      ...config.compaction,
      window:
        autoCompactWindow === undefined ? window : Math.min(autoCompactWindow, window ?? autoCompactWindow),
    },
  };
}

/** The session's hooks, told whose call it is. */
function agentHooks(hooks: HookPort, request: SpawnRequest, transcriptPath: string | undefined): HookPort {
  const whose = { agent_id: request.agentId, agent_type: request.definition.name };
  return {
    has: (event) => hooks.has(event),
    run(call, options) {
      const ends = call.event === 'SubagentStop' && { agent_transcript_path: transcriptPath ?? '' };
      return hooks.run({ ...call, ...whose, ...ends } as HookCall, options);
    },
  };
}

/** The session's rules and mode; a mode of the agent's own holds where it is stricter. */
function agentPermissions(session: ComposedPermissions, { definition }: SpawnRequest): ComposedPermissions {
  const { permissions } = session;
  const { permissionMode: mode } = definition;
  if (mode === undefined) return session;
  const own = Object.create(permissions, {
    decide: { value: (question: PermissionQuestion) => permissions.decide({ ...question, mode }) },
  }) as ComposedPermissions['permissions'];
  return { ...session, permissions: own };
}

function ownTodos(): TodoStore {
  let todos: readonly TodoItem[] = [];
  return {
    get: () => todos,
    set(next) {
      todos = next;
    },
  };
}

/** What holds for the session holds for its agents: the thinking, the contexts, the prompt at work. */
function freshMemory(model: string, request: SpawnRequest, session: SessionMemory): SessionMemory {
  return {
    ...session,
    modelName: model,
    effort: request.effort ?? request.definition.effort ?? session.effort,
    opened: true,
    submissions: 1,
    orphanHandled: true,
    denials: [],
    request: undefined,
    taskRemaining: undefined,
    measured: undefined,
    snapshot: undefined,
  };
}

/** Worked out anew only when the source is another array. */
function remembered(
  source: () => readonly AnyTool[],
  make: (all: readonly AnyTool[]) => readonly AnyTool[],
): () => readonly AnyTool[] {
  let from: readonly AnyTool[] | undefined;
  let made: readonly AnyTool[] = [];
  return () => {
    const now = source();
    if (now !== from) {
      from = now;
      made = make(now);
    }
    return made;
  };
}
