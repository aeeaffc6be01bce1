/** Puts a session together: ports to adapters, room by room. No I/O happens here. */

import { createSnipMarks } from '../../context/clearing/snip-marks.ts';
import { costOf } from '../../model/catalog/prices.ts';
import { createCacheWatch } from '../../model/request/cache-watch.ts';
import type { AskPort } from '../../protocol/gate.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import { childEnvironment } from '../../settings/resolve/child-env.ts';
import { openScope } from '../../util/async/scope.ts';
import { systemClock, systemRandom } from '../../util/clock.ts';
import { nodeFiles } from '../../util/files/node-files.ts';
import { systemIds } from '../../util/ids/uuid.ts';
import { openAppState, todosOf } from '../app-state.ts';
import { withinBudget } from '../budget/strict-budget.ts';
import { createUsageLedger } from '../budget/usage-ledger.ts';
import { checkConfig } from '../check-config.ts';
import { askHooksFirst } from '../host/ask-hooks.ts';
import { gatedShell } from '../host/gated-shell.ts';
import { adopt, effortOf } from '../models/model-choice.ts';
import { withQuarantine } from '../models/tool-quarantine.ts';
import { type PublicConfig, underOwnNames } from '../published-names.ts';
import { createReadFileCache } from '../session/read-file-cache.ts';
import { askOnRecord } from '../session/recorded-questions.ts';
import { createAnnouncer } from '../session/session-events.ts';
import { createSessionJournal } from '../session/session-journal.ts';
import { createSessionNotices } from '../session/session-notices.ts';
import type { EngineParts, SessionMemory } from '../session/session-parts.ts';
import { freshMemory } from '../session/session-state.ts';
import { StateMachine } from '../session/status-reporter.ts';
import { WorkingFolder } from '../session/working-folder.ts';
import { judgeJoining } from '../submission/prompt-hooks.ts';
import { createStructuredOutput } from '../submission/structured-output.ts';
import { lendOnRecord } from '../submission/temporary-rules.ts';
import { admittedTools, composeAdmission } from './admission.ts';
import { composeAttachments } from './attachments.ts';
import { type ContextParts, composeContext } from './context.ts';
import { composeHooks, tellOfFiles } from './hooks.ts';
import { McpRoom } from './mcp/mcp.ts';
import { composeModel } from './model.ts';
import { askingWith, composePermissions } from './permissions.ts';
import { composeContextSources, ownDirectoriesOf } from './project/context-sources.ts';
import { composeMemory } from './project/memory.ts';
import { composeSkills } from './project/skills.ts';
import { composeSubagents } from './project/subagents.ts';
import { sandboxFor } from './sandbox-parts.ts';
import { composeSession } from './session.ts';
import { composeTasks, endedTasks } from './tasks.ts';
import { composeFileHistory } from './tools/file-history.ts';
import { allToolsOf, composeOwnTools } from './tools/own-tools.ts';
import { SeenFiles } from './tools/seen-files.ts';
import { composeSpill } from './tools/spill.ts';
import { composeToolState } from './tools/tool-state.ts';
import { composeTools, type ToolParts } from './tools/tools.ts';

/** What a session takes over from the one that was cleared: its connections, and what was spent. */
export type Inherited = Pick<EngineParts, 'mcp' | 'ledger'> &
  Pick<SessionMemory, 'thinking' | 'capWarnings' | 'results'>;

/** Throws `invalid_option` for a configuration that contradicts itself. */
export function composeEngine(given: PublicConfig, inherited?: Inherited): EngineParts {
  const config = underOwnNames(given);
  checkConfig(config);
  const clock = config.clock ?? systemClock;
  const ids = config.ids ?? systemIds;
  const random = config.random ?? systemRandom;
  const files = config.files ?? nodeFiles;
  const scope = openScope();
  const env = config.childEnv ?? childEnvironment(config.env ?? {});
  const announcer = createAnnouncer(config.debug?.told);
  const session = composeSession(config, { clock, ids, files, announcer });
  const { sessionId, directory } = session;
  const journal = createSessionJournal(session.open, config.debug?.entry);
  const fileHistory = composeFileHistory(config, { session, journal, files, ids });
  const client = composeModel(config, { clock, random });
  const ledger =
    inherited?.ledger ??
    createUsageLedger({
      infoOf: client.infoOf,
      costOf,
      maxBudgetUsd: config.maxBudgetUsd,
      strictBudget: config.strictBudget,
    });

  const refused = ({ querySource }: ModelRequest, reason: string) => {
    // A helper or an agent that cannot be paid ends by itself; without its own model the run is over.
    if (querySource === 'main') memory.unaffordable = reason;
  };
  const bounded = config.strictBudget === true ? withinBudget(client.call, ledger, refused) : client.call;
  const model = {
    ...client,
    call: withQuarantine(bounded, {
      take(name, why) {
        const isNew = tools.port.quarantine(name);
        if (isNew) notices.say(`The provider refuses the tool "${name}", so it was left out: ${why}`);
        return isNew;
      },
    }),
  };
  const spill = composeSpill(files, session.directory, sessionId, config.durability);
  const readable = () => [spill.folders(), tasks.folders(), skills.readableDirectories()].flat();
  const sandbox = sandboxFor(config, { readable, permissions: () => permissions.permissions });
  const basics = { sessionId, scope, clock, ids, files, announcer, sandbox };
  const tasks = composeTasks({ ...basics, directory, journal, stderr: config.stderr });
  scope.onClose(() => tasks.table.stopAll('session'));
  const permissions = composePermissions(config, {
    ...basics,
    asksAlways: (tool) => mcp.isOverridden(tool),
    readableDirectories: readable,
    callTool: (name, input, signal) => tools.callTool(name, input, signal),
  });
  const folder = new WorkingFolder(config, { files, permissions: permissions.permissions });
  const hooks = composeHooks(config, {
    ...basics,
    env,
    now: () => ({
      cwd: folder.now,
      transcriptPath: session.transcriptPath,
      promptId: memory.promptId,
      mode: permissions.permissions.mode,
      effort: effortOf(parts),
    }),
    tools: () => allTools(),
    callTool: (name, input, signal) => tools.callTool(name, input, signal),
    enqueue: (item) => queue.put(item),
  });
  const ask: AskPort = (question, signal) => {
    const asking = { hooks, permissions: permissions.permissions, hasHost: config.canUseTool !== undefined };
    return askHooksFirst(
      askOnRecord(permissions.ask, () => parts),
      asking,
    )(question, signal);
  };
  const appState = openAppState(config, { permissionMode: permissions.permissions.mode, todos: [] });
  const notices = createSessionNotices(sessionId, { ids, permissions: permissions.permissions, appState });
  const toolState = composeToolState(config, {
    sessionId,
    permissions: permissions.permissions,
    files,
    clock,
    ids,
    model: client,
    isKept: session.directory !== undefined,
    instructions: () => mcp.instructions,
  });
  const todos = todosOf(appState);
  const readFileCache = config.readFileCache ?? createReadFileCache();
  const structured = config.outputFormat && createStructuredOutput(config.outputFormat.schema);
  const snipMarks = config.compaction?.snipMarks ?? createSnipMarks();
  const mcp = inherited?.mcp ?? new McpRoom(config, { clock, random, env, files });
  mcp.serve({ notices, hooks });
  scope.onClose(() => (memory.handedOver ? undefined : mcp.close()));
  const skills = composeSkills(config, {
    clock,
    ids,
    files,
    sessionId,
    contextWindow: () => client.infoOf(client.resolve(memory.modelName)).contextWindow,
    folder,
    scope,
    allow: (rules) => lendOnRecord(rules, parts),
    adopt: (choice) => adopt(choice, parts),
    fork: (...call) => subagents.fork(...call),
    shell: (signal) => (command, rules) => gatedShell(command, rules, signal, parts),
  });
  const subagents = composeSubagents(config, { ids });
  const own = composeOwnTools(config, {
    session,
    toolState,
    structured,
    snipMarks,
    sleep: { clock, prompts: () => queue },
    web: { model, ledger, clock, ids, permissions: permissions.permissions, memory: () => memory },
  });
  const allTools = allToolsOf(config.tools, { mcp, subagents, own, late: skills });
  const mainTools = subagents.forMain(allTools);
  const toolParts: ToolParts = {
    ...basics,
    tools: mainTools,
    journal,
    permissions: askingWith({ ...permissions, ask }, { ownDirectories: ownDirectoriesOf(config) }),
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
  toolState.watch(tools.port, () => memory.request?.model ?? client.resolve(config.model));
  const memory = freshMemory(config, inherited);
  journal.onEntry((body) => {
    if (body.type !== 'response' || body.broken === true) return;
    const { length, root } = journal.view.messages;
    memory.measured = { usage: body.usage, length, root };
  });
  const admit = composeAdmission(config, { model, memory, journal });
  const projectMemory = composeMemory(config, { ...toolParts, model, ledger, memory });
  const contextParts: ContextParts = {
    sessionId,
    model,
    ledger,
    clock,
    ids,
    hooks,
    spill,
    tools,
    allTools: mainTools,
    memory,
    transcriptPath: session.transcriptPath,
    files: new SeenFiles(config.cwd, toolParts),
    readFileCache,
    todos,
    snipMarks,
    scope,
    tasks: tasks.table,
    restored: () => [...skills.compactionSources, projectMemory.restored, ...toolState.compactionSources],
  };
  const context = composeContext(config, contextParts);
  const { attachments, queue } = composeAttachments({
    clock,
    ids,
    files: new SeenFiles(config.cwd, toolParts),
    readFileCache,
    todos,
    stderr: config.stderr,
    sessionId,
    scope,
    inbox: config.inbox,
    judgePrompt: (item, signal) => judgeJoining(item, signal, parts),
    onFileChanged: tellOfFiles(hooks, scope),
    sources: [
      endedTasks(tasks.table),
      projectMemory.source,
      ...skills.attachmentSources,
      ...toolState.sources,
    ],
  });

  const parts: EngineParts = {
    config,
    sessionId,
    scope,
    clock,
    ids,
    random,
    journal,
    folder,
    ledger,
    model,
    hooks,
    hookRoom: hooks,
    sandbox,
    tools: admittedTools(tools, admit),
    mcp,
    skills,
    takeUpPlugins() {
      hooks.takeUp();
      subagents.takeUp();
    },
    context,
    admit,
    cacheWatch: createCacheWatch({
      clock,
      ttl: config.promptCacheTtl ?? '5m',
      priceOf: (name) => model.infoOf(name).price,
    }),
    attachments,
    withPrompt: (name) => toolState.withPrompt(name, journal.view.messages),
    toolState,
    snipMarks,
    files,
    readFileCache,
    fileHistory,
    notices,
    queue,
    appState,
    structured,
    tasks: tasks.table,
    subagentStats: () => subagents.counts(),
    announcer,
    mirror: session.mirror,
    memory,
    permissions: permissions.permissions,
    sources: composeContextSources(config, { projectMemory, files, env }),
    state: new StateMachine(config.setSDKStatus),
  };
  subagents.link({
    parts,
    tools: toolParts,
    context: contextParts,
    allTools,
    projectMemory,
    sessionDirectory: session.directory,
    createReadFileCache,
  });
  return parts;
}
