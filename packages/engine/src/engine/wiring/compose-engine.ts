/** Puts a session together: ports to adapters, room by room. No I/O happens here. */

import { extended } from '@turnwright/base/collections/extended.ts';
import { queuedCommands } from '../../attachments/queued-commands.ts';
import type { SubagentRun } from '../agents/agent-run.ts';
import { createTodoStore } from '../app-state.ts';
import { checkConfig } from '../check-config.ts';
import { tellOfFiles } from '../hooks/tell-hooks.ts';
import { askingWith } from '../host/asking.ts';
import { SessionCommands } from '../host/session-commands.ts';
import { composeContextSources, listOwnDirectories } from '../project/context-sources.ts';
import { composeMemory, restoredSources } from '../project/session-memory.ts';
import { type PublicConfig, underOwnNames } from '../published-names.ts';
import type { Inherited } from '../session/hand-over.ts';
import type { Session } from '../session/session.ts';
import { judgeJoining } from '../submission/prompt-hooks.ts';
import { PromptQueue } from '../submission/prompt-queue.ts';
import { composeAdmission } from '../tools/admitted-content.ts';
import { createReadFileCache } from '../tools/read-file-cache.ts';
import { SeenFiles } from '../tools/seen-files.ts';
import { SessionVerification } from '../verifying/session-verification.ts';
import { composeAttachments } from './compose-attachments.ts';
import type { ContextParts } from './compose-context.ts';
import { composeConversation } from './compose-conversation.ts';
import { composeFoundation } from './compose-foundation.ts';
import { composeRooms } from './compose-rooms.ts';
import { endedTasks } from './compose-tasks.ts';
import { composeFileHistory } from './tools/compose-file-history.ts';
import { composeTools, type ToolParts } from './tools/compose-tools.ts';

/** Throws `invalid_option` for a configuration that contradicts itself. */
export function composeEngine(given: PublicConfig, inherited?: Inherited): Session {
  const config = underOwnNames(given);
  checkConfig(config);
  const foundation = composeFoundation(config, inherited);
  const { budget, conversation, env, host, model, place, ref, scope, submissions, world } = foundation;
  const { clock, ids, files } = world;
  const { journal, sessionId } = conversation;

  const rooms = composeRooms(config, foundation, inherited);
  const { agents, allTools, appState, asking, hooks, mainTools, mcp, notices, permissions } = rooms;
  const { folder, language, notes, sandbox, skills, snipMarks, spill, structured, tasks, toolState } = rooms;
  const basics = { sessionId, scope, clock, ids, files, host };

  const verification = new SessionVerification(config.verify);
  const todos = createTodoStore(appState);
  const readFileCache = config.readFileCache ?? createReadFileCache();
  const fileHistory = composeFileHistory(config, { session: place, journal, files, ids });
  const shared = { hooks, readFileCache, spill, todos, ...basics };
  const toolParts: ToolParts = {
    sandbox,
    tools: mainTools,
    journal,
    permissions: askingWith(asking, { ownDirectories: listOwnDirectories(config) }),
    folder,
    fileHistory,
    env,
    tasks: config.backgroundTasks === false ? undefined : tasks.table,
    toolState,
    effects: () => verification.effects,
    admit: composeAdmission(config, { model, conversation }),
    ...shared,
  };
  const tools = composeTools(config, toolParts);
  toolState.watch(tools.port);
  const projectMemory = composeMemory(config, { conversation, model, budget, world, notes, ...toolParts });
  const seenFiles = new SeenFiles(config.cwd, toolParts);
  const contextParts: ContextParts = extended(shared, {
    model,
    ledger: budget.account,
    tools,
    allTools: mainTools,
    transcriptPath: place.transcriptPath,
    files: seenFiles,
    snipMarks,
    tasks: tasks.table,
    restored: () => restoredSources({ conversation, projectMemory, skills, toolState, world }),
  });
  const queue = new PromptQueue({ inbox: config.inbox, stderr: config.stderr, ...basics });
  const attachments = composeAttachments({
    stderr: config.stderr,
    onFileChanged: tellOfFiles(hooks, scope),
    sources: [
      queuedCommands(queue, {
        judge: (item, signal) => judgeJoining(item, signal, ref.session),
        admit: toolParts.admit,
      }),
      endedTasks(tasks.table),
      projectMemory.source,
      ...[skills.attachmentSources, toolState.sources, language?.lateSources() ?? []].flat(),
    ],
    ...shared,
    files: seenFiles,
  });

  const session: Session = {
    config,
    scope,
    world,
    conversation,
    submissions,
    questions: rooms.questions,
    judging: rooms.judging,
    parking: rooms.parking,
    model,
    budget,
    permissions,
    appState,
    host,
    notices,
    commands: new SessionCommands(config, mcp, host),
    queue,
    ...composeConversation(config, {
      attachments,
      contextParts,
      toolParts,
      tools,
      toolState,
      withPrompt: (name) => toolState.withPrompt(name, conversation.messages),
    }),
    hooks,
    language,
    mcp,
    skills,
    agents,
    tasks: tasks.table,
    sources: composeContextSources(config, { projectMemory, files, env }),
    structured,
    verification,
    mirror: place.mirror,
    sandbox,
  };
  ref.bind(session);
  const room = {
    session,
    tools: toolParts,
    context: contextParts,
    allTools,
    projectMemory,
    sessionDirectory: place.directory,
  };
  agents.link({
    host,
    recorder: conversation.recorder,
    async *run(request, signal, place) {
      const [{ runSubagent }, { composeAgentParts }] = await Promise.all([
        import('../agents/agent-run.ts'),
        import('./compose-agent.ts'),
      ]);
      const compose: SubagentRun['compose'] = (...own) =>
        composeAgentParts(room, request, ...own, place.offered);
      return yield* runSubagent({ request, signal, session, compose, keeper: place.keeper });
    },
  });
  return session;
}
