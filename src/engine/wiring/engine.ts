/** Puts a session together: ports to adapters, room by room. No I/O happens here. */

import { createSnipMarks } from '../../context/clearing/snip-marks.ts';
import { createCacheWatch } from '../../model/request/cache-watch.ts';
import { openAppState, todosOf } from '../app-state.ts';
import { checkConfig } from '../check-config.ts';
import { askHooksFirst } from '../host/ask-hooks.ts';
import { gatedShell } from '../host/gated-shell.ts';
import { SessionCommands } from '../host/session-commands.ts';
import { type PublicConfig, underOwnNames } from '../published-names.ts';
import { createReadFileCache } from '../session/read-file-cache.ts';
import { askOnRecord } from '../session/recorded-questions.ts';
import type { Session } from '../session/session.ts';
import { createSessionNotices } from '../session/session-notices.ts';
import { WorkingFolder } from '../session/working-folder.ts';
import { judgeJoining } from '../submission/prompt-hooks.ts';
import { createStructuredOutput } from '../submission/structured-output.ts';
import { lendOnRecord } from '../submission/temporary-rules.ts';
import { admittedTools, composeAdmission } from './admission.ts';
import { composeAttachments } from './attachments.ts';
import { type ContextParts, composeContext } from './context.ts';
import { composeFoundation, type Inherited } from './foundation.ts';
import { composeHooks, tellOfFiles } from './hooks.ts';
import { McpRoom } from './mcp/mcp.ts';
import { askingWith, composePermissions } from './permissions.ts';
import { composeContextSources, ownDirectoriesOf } from './project/context-sources.ts';
import { composeMemory } from './project/memory.ts';
import { composeSkills } from './project/skills.ts';
import { composeSubagents } from './project/subagents.ts';
import { sandboxFor } from './sandbox-parts.ts';
import { composeTasks, endedTasks } from './tasks.ts';
import { composeFileHistory } from './tools/file-history.ts';
import { allToolsOf, composeOwnTools } from './tools/own-tools.ts';
import { SeenFiles } from './tools/seen-files.ts';
import { composeSpill } from './tools/spill.ts';
import { composeToolState } from './tools/tool-state.ts';
import { composeTools, type ToolParts } from './tools/tools.ts';

/** Throws `invalid_option` for a configuration that contradicts itself. */
export function composeEngine(given: PublicConfig, inherited?: Inherited): Session {
  const config = underOwnNames(given);
  checkConfig(config);
  const foundation = composeFoundation(config, inherited);
  const { budget, conversation, env, host, model, place, ref, scope, submissions, world } = foundation;
  const { clock, ids, files } = world;
  const { journal, sessionId } = conversation;

  const spill = composeSpill(files, place.directory, sessionId, config.durability);
  const basics = { sessionId, scope, clock, ids, files, host };
  const tasks = composeTasks({ ...basics, directory: place.directory, journal, stderr: config.stderr });
  scope.onClose(() => tasks.table.stopAll('session'));
  const mcp = inherited?.mcp ?? new McpRoom(config, { ...world, env });
  scope.onClose(() => (conversation.isHandedOver ? undefined : mcp.close()));
  const readable = () => [spill.folders(), tasks.folders(), ref.session.skills.readableDirectories()].flat();
  const surroundings = { readable, permissions: () => ref.session.permissions };
  const sandbox = sandboxFor(config, surroundings);
  const asking = composePermissions(config, {
    ...basics,
    sandbox,
    asksAlways: (tool) => mcp.isOverridden(tool),
    readableDirectories: readable,
    callTool: (...call) => ref.session.tools.callTool(...call),
  });
  const { permissions } = asking;
  const appState = openAppState(config, { permissionMode: permissions.mode, todos: [] });
  const notices = createSessionNotices({ host, permissions, appState });
  const folder = new WorkingFolder(config, { files, permissions });

  const structured = config.outputFormat && createStructuredOutput(config.outputFormat.schema);
  const snipMarks = config.compaction?.snipMarks ?? createSnipMarks();
  const toolState = composeToolState(config, {
    sessionId,
    permissions,
    files,
    clock,
    ids,
    model,
    isKept: place.directory !== undefined,
    instructions: () => mcp.instructions,
  });
  const agents = composeSubagents(config, { ids });
  const skills = composeSkills(config, {
    ...basics,
    folder,
    contextWindow: () => model.infoOf(model.current).contextWindow,
    allow: (rules) => lendOnRecord(rules, permissions, ref.session),
    adopt: (choice) => model.adopt(choice),
    fork: (...call) => agents.fork(...call),
    shell: (signal) => (command, rules) => gatedShell(command, rules, signal, ref.session),
  });
  const own = composeOwnTools(config, {
    session: place,
    toolState,
    structured,
    snipMarks,
    sleep: { clock, prompts: () => ref.session.queue },
    web: { conversation, model, budget, world, permissions },
  });
  const allTools = allToolsOf(config.tools, { mcp, subagents: agents, own, late: skills });
  const mainTools = agents.forMain(allTools);

  const hooks = composeHooks(config, {
    ...basics,
    sandbox,
    env,
    now: () => ({
      cwd: folder.now,
      transcriptPath: place.transcriptPath,
      promptId: submissions.promptId,
      mode: permissions.mode,
      effort: model.effortNow,
    }),
    tools: allTools,
    callTool: (...call) => ref.session.tools.callTool(...call),
    enqueue: (item) => ref.session.queue.put(item),
  });
  mcp.serve({ notices, hooks, surroundings });
  const hasHost = config.canUseTool !== undefined;
  const asked = hasHost ? askOnRecord(asking.ask, { ids, conversation, submissions }) : asking.ask;
  const ask = askHooksFirst(asked, { hooks, permissions, hasHost });

  const todos = todosOf(appState);
  const readFileCache = config.readFileCache ?? createReadFileCache();
  const fileHistory = composeFileHistory(config, { session: place, journal, files, ids });
  const toolParts: ToolParts = {
    ...basics,
    sandbox,
    tools: mainTools,
    journal,
    permissions: askingWith({ ...asking, ask }, { ownDirectories: ownDirectoriesOf(config) }),
    hooks,
    readFileCache,
    todos,
    spill,
    folder,
    fileHistory,
    env,
    tasks: config.backgroundTasks === false ? undefined : tasks.table,
    toolState,
  };
  const tools = composeTools(config, toolParts);
  toolState.watch(tools.port);
  const admit = composeAdmission(config, { model, conversation });
  const projectMemory = composeMemory(config, { ...toolParts, conversation, model, budget, world });
  const seenFiles = new SeenFiles(config.cwd, toolParts);
  const contextParts: ContextParts = {
    ...basics,
    model,
    ledger: budget.ledger,
    hooks,
    spill,
    tools,
    allTools: mainTools,
    transcriptPath: place.transcriptPath,
    files: seenFiles,
    readFileCache,
    todos,
    snipMarks,
    tasks: tasks.table,
    restored: () => [...skills.compactionSources, projectMemory.restored, ...toolState.compactionSources],
  };
  const { attachments, queue } = composeAttachments({
    ...basics,
    files: seenFiles,
    readFileCache,
    todos,
    stderr: config.stderr,
    inbox: config.inbox,
    judgePrompt: (item, signal) => judgeJoining(item, signal, ref.session),
    onFileChanged: tellOfFiles(hooks, scope),
    sources: [
      endedTasks(tasks.table),
      projectMemory.source,
      ...skills.attachmentSources,
      ...toolState.sources,
    ],
  });

  const session: Session = {
    config,
    scope,
    world,
    conversation,
    submissions,
    model,
    budget,
    permissions,
    appState,
    host,
    notices,
    commands: new SessionCommands(config, mcp, host),
    queue,
    tools: {
      ...admittedTools(tools, admit),
      all: mainTools,
      folder,
      state: toolState,
      readFileCache,
      fileHistory,
      admit,
    },
    context: {
      port: composeContext(config, contextParts),
      attachments,
      cacheWatch: createCacheWatch({
        clock,
        ttl: config.promptCacheTtl ?? '5m',
        priceOf: (name) => model.infoOf(name).price,
      }),
      snipMarks,
      withPrompt: (name) => toolState.withPrompt(name, conversation.messages),
    },
    hooks,
    mcp,
    skills,
    agents,
    tasks: tasks.table,
    sources: composeContextSources(config, { projectMemory, files, env }),
    structured,
    mirror: place.mirror,
    sandbox,
  };
  ref.bind(session);
  agents.link({
    session,
    tools: toolParts,
    context: contextParts,
    allTools,
    projectMemory,
    sessionDirectory: place.directory,
    createReadFileCache,
  });
  return session;
}
