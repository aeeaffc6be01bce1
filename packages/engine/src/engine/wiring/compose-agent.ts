/**
 * An agent's share of a session: its conversation, tools, hooks' input, files seen and todos are its own; the
 * model, ledger, rules and hooks are the session's, so that one gate and one budget hold at every depth.
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import { NO_MEMORY, type ProjectMemory } from '../../memory/project-memory.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import { SKILL_TOOL } from '../../skills/skill-tool.ts';
import { isFork } from '../../subagents/fork-agent.ts';
import { agentDeferredTools } from '../agents/agent-deferred-tools.ts';
import { composeAgentJournal } from '../agents/agent-journal.ts';
import type { AgentParts, ComposeAgent } from '../agents/agent-parts.ts';
import { agentSurroundings } from '../agents/agent-resources.ts';
import { agentConfig, agentHooks, agentTodos, agentTools, strictestMode } from '../agents/agent-share.ts';
import { askersOf } from '../agents/askers.ts';
import { tellOfFiles } from '../hooks/tell-hooks.ts';
import { askingWith } from '../host/asking.ts';
import { memoryReaders } from '../project/session-memory.ts';
import { Conversation } from '../session/conversation.ts';
import type { Session } from '../session/session.ts';
import { composeAdmission } from '../tools/admitted-content.ts';
import { gatedShell } from '../tools/gated-shell.ts';
import { createReadFileCache } from '../tools/read-file-cache.ts';
import { SeenFiles } from '../tools/seen-files.ts';
import { composeAttachments } from './compose-attachments.ts';
import type { ContextParts } from './compose-context.ts';
import { composeConversation } from './compose-conversation.ts';
import { composeTools, type ToolParts } from './tools/compose-tools.ts';

/** What the session's rooms were made of. */
interface SessionRoom {
  readonly session: Session;
  readonly tools: ToolParts;
  readonly context: ContextParts;
  /** Every tool of the session: the main thread may have been given fewer. */
  allTools(): readonly AnyTool[];
  readonly sessionDirectory: string | undefined;
  readonly projectMemory: ProjectMemory;
}

export async function composeAgentParts(
  room: SessionRoom,
  ...[request, model, scope, offered]: Parameters<ComposeAgent>
): Promise<AgentParts> {
  const { session } = room;
  const { definition } = request;
  const { permissions, world } = session;
  const config = agentConfig(request, session.config);
  const agentJournal = composeAgentJournal(request, session.config, {
    ...world,
    sessionId: session.conversation.sessionId,
    directory: room.sessionDirectory,
    mirror: session.mirror,
    model,
  });
  const { journal, transcriptPath } = agentJournal;
  const conversation = new Conversation(session.conversation.sessionId, journal);
  config.spans?.follow(journal, request.agentId);
  // A `cd` in the agent's shell changes no working directory.
  const folder = session.tools.folder.forAgent();
  const hooks = agentHooks(session.hooks, request, { transcriptPath, folder });
  const own = { hooks, scope, readFileCache: createReadFileCache(), todos: agentTodos() };
  const ownModel = session.model.forAgent(model, request.effort ?? definition.effort);
  const surroundings = await agentSurroundings(definition, {
    ...world,
    config,
    tools: isFork(definition) ? session.tools.all : room.allTools,
    mcp: session.mcp,
    env: room.tools.env,
    scope,
    served: { notices: session.notices, hooks, surroundings: session.mcp.surroundings },
  });
  const skills = session.skills.forAgent({
    contextWindow: () => session.model.infoOf(model).contextWindow,
    isOffered: () => allTools().some(({ name }) => name === SKILL_TOOL),
    adopt: (choice) => ownModel.adopt(choice),
    shell: (signal, invokedBy) => (command, rules) =>
      gatedShell(command, rules, { signal, invokedBy }, { permissions, world, hooks, tools }),
  });
  const toolsAmong = oncePer((all: readonly AnyTool[]) =>
    agentTools(request, offered(all, request.depth)).map(skills.own),
  );
  const allTools = () => toolsAmong(surroundings.tools());
  const toolParts: ToolParts = {
    ...room.tools,
    ...own,
    tools: allTools,
    journal,
    folder,
    // The session's rules and mode; a mode of the agent's own holds where it is stricter.
    permissions: askingWith(room.tools.permissions, {
      mode: strictestMode(request),
      ownDirectories: surroundings.ownDirectories,
      asker: askersOf(session).enter(request, scope),
    }),
    agentId: request.agentId,
    admit: composeAdmission(config, { model: ownModel, conversation }),
  };
  const tools = composeTools(config, toolParts);
  const view = () => conversation.messages;
  const deferred = agentDeferredTools(tools.port, () => ownModel.inUse, view, world);
  const readers = memoryReaders({ hooks, scope, tools: allTools, folder });
  const memory = definition.omitClaudeMd === true ? NO_MEMORY : room.projectMemory.branch(readers);
  const seenFiles = new SeenFiles(config.cwd, toolParts);
  const budget = session.budget.share(config, definition.name);
  const contextParts: ContextParts = {
    ...room.context,
    ledger: budget.account,
    files: seenFiles,
    ...own,
    tools,
    allTools,
    model: ownModel,
    transcriptPath,
    restored: () => [...session.skills.compactionSources, memory.restored, deferred.restored],
  };
  const attachments = composeAttachments({
    ...world,
    ...own,
    files: seenFiles,
    stderr: config.stderr,
    onFileChanged: tellOfFiles(hooks, scope),
    sources: [
      skills.source,
      memory.source,
      deferred.source,
      ...(session.language?.lateSources(request.agentId) ?? []),
    ],
  });
  return {
    ...agentJournal,
    notes: surroundings.notes,
    problems: surroundings.problems,
    skills,
    ports: {
      config,
      scope,
      world,
      conversation,
      model: ownModel,
      budget,
      ...composeConversation(config, {
        attachments,
        contextParts,
        toolParts,
        tools,
        toolState: session.tools.state,
        withPrompt: deferred.withPrompt,
      }),
      hooks,
      tasks: session.tasks,
    },
  };
}
