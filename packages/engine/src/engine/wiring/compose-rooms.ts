/**
 * The rooms of a session that know of each other: what may be done, who is asked, and the tools there are.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { createSnipMarks } from '../../context/clearing/snip-marks.ts';
import type { AskPort } from '../../protocol/tools/gate-ports.ts';
import { composeSubagents } from '../agents/subagents.ts';
import { openAppState } from '../app-state.ts';
import type { QueryEngineConfig } from '../config.ts';
import { askHooksFirst } from '../hooks/ask-hooks.ts';
import { composeHooks } from '../hooks/session-hooks.ts';
import { McpRoom } from '../mcp/mcp-room.ts';
import { NotesPlaces } from '../project/notes-places.ts';
import { composeSkills } from '../project/session-skills.ts';
import { sandboxFor } from '../sandbox/sandbox-surroundings.ts';
import type { Inherited } from '../session/hand-over.ts';
import { RecordedQuestions } from '../session/recorded-questions.ts';
import { createSessionNotices } from '../session/session-notices.ts';
import { composeParking } from '../session/session-parking.ts';
import { recordUpdates } from '../session/session-permissions.ts';
import { StructuredOutput } from '../submission/structured-output.ts';
import { lendOnRecord } from '../submission/temporary-rules.ts';
import { gatedShell } from '../tools/gated-shell.ts';
import { composeToolState } from '../tools/tool-state.ts';
import { WorkingFolder } from '../tools/working-folder.ts';
import type { Foundation } from './compose-foundation.ts';
import { composePermissions } from './compose-permissions.ts';
import { composeTasks, type TaskRoom } from './compose-tasks.ts';
import { createAskJudge, createJudging } from './judges.ts';
import { composeLanguage } from './tools/compose-language.ts';
import { combineTools, composeOwnTools } from './tools/compose-own-tools.ts';
import { composeSpill } from './tools/compose-spill.ts';

/**
 * What they need of one another before the session is complete, they ask `foundation.ref` for when it is
 * needed.
 */
export function composeRooms(
  config: QueryEngineConfig,
  foundation: Foundation,
  inherited: Inherited | undefined,
) {
  const { budget, conversation, env, host, model, place, ref, scope, submissions, world } = foundation;
  const { clock, ids, files } = world;
  const { journal, sessionId } = conversation;

  const spill = composeSpill(config, { sessionId, directory: place.directory, files });
  const basics = { sessionId, scope, clock, ids, files, host };
  const tasks: TaskRoom = composeTasks(config, { directory: place.directory, journal, ...basics });
  scope.onClose(() => tasks.table.stopAll('session'));
  const mcp = inherited?.mcp ?? new McpRoom(config, extended(world, { env }));
  scope.onClose(() => (conversation.isHandedOver ? undefined : mcp.close()));
  const readable = () => [spill.folders(), tasks.folders(), ref.session.skills.readableDirectories()].flat();
  const surroundings = { readable, permissions: () => ref.session.permissions };
  const sandbox = sandboxFor(config, surroundings);
  const parking = composeParking(config.parkAfterMs, { clock, tasks: tasks.table });
  const notes = new NotesPlaces(config, files);
  const asking = composePermissions(config, {
    parking,
    sandbox,
    asksAlways: (tool) => mcp.isOverridden(tool),
    readableDirectories: () => [...readable(), ...notes.readable],
    callTool: (...call) => ref.session.tools.callTool(...call),
    ...basics,
    // Recorded for the runs that go on with the session.
    ...(parking !== undefined && { changed: (updates) => recordUpdates(updates, foundation) }),
  });
  const { permissions } = asking;
  const appState = openAppState(config, { permissionMode: permissions.mode, todos: [] });
  const start = inherited ? [] : config.startNotices;
  const notices = createSessionNotices({ host, permissions, appState, start });
  const folder = new WorkingFolder(config, { files, permissions });
  const structured =
    config.outputFormat && new StructuredOutput(config.outputFormat, (name) => model.infoOf(name));
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
    hasServers: () => mcp.hasServers,
  });
  const agents = composeSubagents(config, { ids });
  const skills = composeSkills(config.skills, {
    folder,
    contextWindow: () => model.infoOf(model.current).contextWindow,
    allow: (rules) => lendOnRecord(rules, permissions, ref.session),
    adopt: (choice) => model.adopt(choice),
    fork: (...call) => agents.fork(...call),
    shell: (signal, invokedBy) => (command, rules) =>
      gatedShell(command, rules, { signal, invokedBy }, ref.session),
    ...basics,
  });
  const own = composeOwnTools(config, {
    session: place,
    toolState,
    structured,
    snipMarks,
    sleep: { clock, prompts: () => ref.session.queue, parking },
    web: { conversation, model, budget, world, permissions },
  });
  const { language, builtin } = composeLanguage(config, { env, permissions, surroundings, ...basics });
  const allTools = combineTools(builtin, { mcp, subagents: agents, own, late: skills });
  const hooks = composeHooks(config, {
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
    enqueue: (item) => ref.session.queue.enqueue(item),
    askJudge: createAskJudge(ref, agents),
    ...basics,
  });
  const hasHost = config.canUseTool !== undefined;
  const questions = new RecordedQuestions({ ids, conversation, submissions });
  mcp.serve({ notices, hooks, surroundings, questions, parking });
  const asked: AskPort = (...question) => questions.ask(asking.ask, ...question);
  const judging = createJudging(config, ref, permissions);
  const parts = { hooks, permissions, hasHost, isAnswered: asking.isAnswered, judging };
  const ask = askHooksFirst(hasHost ? asked : asking.ask, parts);
  return {
    agents,
    allTools,
    appState,
    asking: extended(asking, { ask }),
    folder,
    hooks,
    judging,
    language,
    mainTools: agents.forMain(allTools),
    mcp,
    notes,
    notices,
    parking,
    permissions,
    questions,
    sandbox,
    skills,
    snipMarks,
    spill,
    structured,
    tasks,
    toolState,
  };
}
