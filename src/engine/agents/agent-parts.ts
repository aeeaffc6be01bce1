/**
 * An agent's own share of a session: its conversation, tools, hooks' input, files seen and todos are its own; the model,
 * the ledger, the rules and the hooks are the session's, so that one gate and one budget hold at every depth.
 */

import type { ProjectMemory } from '../../memory/project-memory.ts';
import { createCacheWatch } from '../../model/request/cache-watch.ts';
import type { SpawnRequest } from '../../protocol/agent.ts';
import type { TodoItem } from '../../protocol/attachment.ts';
import type { HookCall, HookPort } from '../../protocol/hook.ts';
import type { AnyTool, ReadFileCache, TodoStore } from '../../protocol/tool.ts';
import { SKILL_TOOL } from '../../skills/skill-tool.ts';
import { selectTools } from '../../subagents/select-tools.ts';
import { HISTORY_TOOL } from '../../tools/builtin/history.ts';
import { SNIP_TOOL } from '../../tools/builtin/snip.ts';
import { SLEEP_TOOL } from '../../tools/builtin/tasks/sleep.ts';
import type { Scope } from '../../util/async/scope.ts';
import { oncePer } from '../../util/collections/weak-memo.ts';
import type { QueryEngineConfig } from '../config.ts';
import { gatedShell } from '../host/gated-shell.ts';
import { Conversation } from '../session/conversation.ts';
import type { ConversationPorts, Session } from '../session/session.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../submission/structured-output.ts';
import { admittedTools, composeAdmission } from '../wiring/admission.ts';
import { composeAttachments } from '../wiring/attachments.ts';
import { type ContextParts, composeContext } from '../wiring/context.ts';
import { tellOfFiles } from '../wiring/hooks.ts';
import { askingWith } from '../wiring/permissions.ts';
import { memoryReaders } from '../wiring/project/memory.ts';
import type { AgentSkills } from '../wiring/project/skills.ts';
import { SeenFiles } from '../wiring/tools/seen-files.ts';
import { composeTools, type ToolParts } from '../wiring/tools/tools.ts';
import { agentDeferredTools } from './agent-deferred-tools.ts';
import { type AgentJournal, composeAgentJournal } from './agent-journal.ts';
import { type AgentSurroundings, agentSurroundings } from './agent-resources.ts';

/** What the session's rooms were made of. */
export interface SessionRoom {
  readonly session: Session;
  readonly tools: ToolParts;
  readonly context: ContextParts;
  /** Every tool of the session: the main thread may have been given fewer. */
  allTools(): readonly AnyTool[];
  readonly sessionDirectory: string | undefined;
  readonly projectMemory: ProjectMemory;
  createReadFileCache(): ReadFileCache;
}

export interface AgentParts extends AgentJournal, Pick<AgentSurroundings, 'notes' | 'problems'> {
  readonly ports: ConversationPorts;
  readonly skills: AgentSkills;
}

/** They belong to the main conversation: its result, its view, its record. */
const MAIN_ONLY: readonly string[] = [STRUCTURED_OUTPUT_TOOL, HISTORY_TOOL, SNIP_TOOL, SLEEP_TOOL];

export async function composeAgentParts(
  request: SpawnRequest,
  model: string,
  scope: Scope,
  room: SessionRoom,
  /** Tools that end at this depth are left out. */
  offered: (all: readonly AnyTool[], depth: number) => readonly AnyTool[],
): Promise<AgentParts> {
  const { session } = room;
  const { definition } = request;
  const { world } = session;
  const { clock, ids } = world;
  const { sessionId } = session.conversation;
  const config = agentConfig(request, session.config);
  const agentJournal = composeAgentJournal(request, session.config, {
    sessionId,
    directory: room.sessionDirectory,
    files: room.tools.files,
    clock,
    mirror: session.mirror,
    model,
  });
  const { journal, transcriptPath } = agentJournal;
  const conversation = new Conversation(sessionId, journal);
  const { root, now } = session.tools.folder;
  const folder = { root, now };
  const hooks = agentHooks(session.hooks, request, { transcriptPath, cwd: folder.now });
  const readFileCache = room.createReadFileCache();
  const todos = ownTodos();
  const ownModel = session.model.forAgent(model, request.effort ?? definition.effort);
  const { files, env } = room.tools;
  const surroundings = await agentSurroundings(definition, {
    config,
    tools: room.allTools,
    mcp: session.mcp,
    files,
    clock,
    random: world.random,
    env,
    scope,
    served: { notices: session.notices, hooks, surroundings: session.mcp.surroundings },
  });
  const skills = session.skills.forAgent({
    contextWindow: () => session.model.infoOf(model).contextWindow,
    isOffered: () => allTools().some(({ name }) => name === SKILL_TOOL),
    adopt: (choice) => ownModel.adopt(choice),
    shell: (signal) => (command, rules) =>
      gatedShell(command, rules, signal, { permissions: session.permissions, tools }),
  });
  const toolsAmong = oncePer((all: readonly AnyTool[]) =>
    selectTools(
      definition,
      offered(all, request.depth).filter(({ name }) => !MAIN_ONLY.includes(name)),
    ).map(skills.own),
  );
  const allTools = () => toolsAmong(surroundings.tools());
  const tools = composeTools(config, {
    ...room.tools,
    scope,
    tools: allTools,
    journal,
    hooks,
    readFileCache,
    todos,
    folder,
    // The session's rules and mode; a mode of the agent's own holds where it is stricter.
    permissions: askingWith(room.tools.permissions, {
      mode: definition.permissionMode,
      ownDirectories: surroundings.ownDirectories,
    }),
    agentId: request.agentId,
  });
  const deferred = agentDeferredTools(
    tools.port,
    () => ownModel.inUse,
    () => conversation.messages,
    world,
  );
  const projectMemory =
    definition.omitClaudeMd === true
      ? undefined
      : room.projectMemory.branch(memoryReaders({ hooks, scope, tools: allTools, folder }));
  const seenFiles = new SeenFiles(config.cwd, { ...room.tools, readFileCache });
  const context = composeContext(config, {
    ...room.context,
    files: seenFiles,
    restored: () => [
      ...session.skills.compactionSources,
      ...(projectMemory ? [projectMemory.restored] : []),
      deferred.restored,
    ],
    hooks,
    tools,
    allTools,
    model: ownModel,
    readFileCache,
    todos,
    scope,
    transcriptPath,
  });
  const { attachments } = composeAttachments({
    clock,
    ids,
    files: seenFiles,
    readFileCache,
    todos,
    stderr: config.stderr,
    sessionId,
    scope,
    inbox: undefined,
    onFileChanged: tellOfFiles(hooks, scope),
    sources: [skills.source, ...(projectMemory ? [projectMemory.source] : []), deferred.source],
  });
  const admit = composeAdmission(config, { model: ownModel, conversation });
  const { notes, problems } = surroundings;
  return {
    ...agentJournal,
    notes,
    problems,
    skills,
    ports: {
      config,
      scope,
      world,
      conversation,
      model: ownModel,
      budget: session.budget.share(config),
      tools: {
        ...admittedTools(tools, admit),
        all: allTools,
        folder,
        state: session.tools.state,
        readFileCache,
        fileHistory: session.tools.fileHistory,
        admit,
      },
      context: {
        port: context,
        attachments,
        cacheWatch: createCacheWatch({
          clock,
          ttl: config.promptCacheTtl ?? '5m',
          priceOf: (name) => session.model.infoOf(name).price,
        }),
        snipMarks: session.context.snipMarks,
        withPrompt: deferred.withPrompt,
      },
      hooks,
      tasks: session.tasks,
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
    outputFormat: undefined,
    includePartialMessages: config.includePartialMessages === true && config.forwardSubagentText === true,
    verbose: false,
    compaction: {
      ...config.compaction,
      window:
        autoCompactWindow === undefined ? window : Math.min(autoCompactWindow, window ?? autoCompactWindow),
    },
  };
}

/** The session's hooks, told whose call it is. */
function agentHooks(
  hooks: HookPort,
  request: SpawnRequest,
  { transcriptPath, cwd }: { readonly transcriptPath: string | undefined; readonly cwd: string },
): HookPort {
  const whose = { cwd, agent_id: request.agentId, agent_type: request.definition.name };
  return {
    has: (event) => hooks.has(event),
    run(call, options) {
      const ends = call.event === 'SubagentStop' && { agent_transcript_path: transcriptPath ?? '' };
      return hooks.run({ ...call, ...whose, ...ends } as HookCall, options);
    },
  };
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
