import { withSignal } from '@turnwright/base/async/lazy-signal.ts';
import type { Scope } from '@turnwright/base/async/scope.ts';
import type { Writable } from '@turnwright/base/collections/writable.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { toLife } from '../../../model/life-of.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Life } from '../../../protocol/life.ts';
import type { Clock, Ids } from '../../../protocol/ports.ts';
import type { GatePorts } from '../../../protocol/tools/gate-ports.ts';
import type { SandboxPort } from '../../../protocol/tools/isolation.ts';
import type { TaskTable } from '../../../protocol/tools/task.ts';
import type { AnyTool, ReadFileCache, TodoStore, ToolContext } from '../../../protocol/tools/tool.ts';
import type { ToolCall } from '../../../protocol/tools/tool-call.ts';
import type { FileHistory } from '../../../session/file-history/create-file-history.ts';
import { runTool } from '../../../tools/gate/gate.ts';
import { parseInput } from '../../../tools/gate/prepared-call.ts';
import { createRepeatGuard } from '../../../tools/gate/repeat-guard.ts';
import { createToolsPort, type SessionToolsPort } from '../../../tools/tools-port.ts';
import type { QueryEngineConfig } from '../../config.ts';
import { followed } from '../../hooks/tell-hooks.ts';
import type { ToolPermissions } from '../../host/asking.ts';
import type { SessionJournal } from '../../storage/session-journal.ts';
import type { Admit } from '../../tools/admitted-content.ts';
import { declaredCall } from '../../tools/declared-call.ts';
import { findCalledTool, gatedCall, refusedAsMissing } from '../../tools/host-call.ts';
import { callRecorders } from '../../tools/record-policy.ts';
import type { ToolState } from '../../tools/tool-state.ts';
import type { ToolsRoom } from '../../tools/tools-room.ts';
import type { CallFolder, WorkingFolder } from '../../tools/working-folder.ts';
import type { SpillRoom } from './compose-spill.ts';

export interface ToolParts {
  readonly sessionId: string;
  readonly scope: Scope;
  /** The tools of now: the same array while nothing changed. */
  readonly tools: () => readonly AnyTool[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly fileHistory: FileHistory | undefined;
  readonly journal: SessionJournal;
  readonly permissions: ToolPermissions;
  readonly hooks: GatePorts['hooks'];
  readonly readFileCache: ReadFileCache;
  readonly todos: TodoStore;
  /** What may enter the conversation. */
  readonly admit: Admit;
  readonly spill: SpillRoom;
  /** The working directory of calls; an agent's shell does not change it. */
  readonly folder: CallFolder & Partial<Pick<WorkingFolder, 'follow'>>;
  /** Whose tools these are; absent: the main agent's. */
  readonly agentId?: string | undefined;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly effects?: GatePorts['effects'];
  /** undefined: commands run as any program does. */
  readonly sandbox: SandboxPort | undefined;
  /** undefined: nothing may outlive its call. */
  readonly tasks: TaskTable | undefined;
  readonly toolState: Pick<ToolState, 'deferral' | 'offers' | 'quarantined'>;
}

/** The room, with what the deferral of tools needs of its port. */
export type ComposedTools = ToolsRoom & { readonly port: SessionToolsPort };

export function composeTools(config: QueryEngineConfig, parts: ToolParts): ComposedTools {
  const { folder } = parts;
  const calls = config.spans?.callsOf(parts.agentId);
  const judging = { permissions: parts.permissions.permissions, hooks: parts.hooks };
  const makeContext = (
    call: Pick<ToolCall, 'effectKey'> & { readonly block: { readonly id: string } },
    life: Pick<Life, 'signal'>,
    queryTracking: ToolContext['queryTracking'],
    delivered?: () => Promise<void>,
  ): ToolContext =>
    withSignal(
      {
        sessionId: parts.sessionId,
        cwd: folder.now,
        root: folder.root,
        home: folder.home,
        lostFolder: folder.lossFor(call.effectKey),
        additionalDirectories: config.additionalDirectories ?? [],
        env: parts.env,
        toolUseId: call.block.id,
        effectKey: call.effectKey,
        queryTracking,
        files: parts.fileHistory?.filesOf(call.effectKey) ?? parts.files,
        readFileCache: parts.readFileCache,
        todos: parts.todos,
        spillFile: parts.spill.fileOf(call.block.id),
        readFilter: () => parts.permissions.permissions.readFilter({ cwd: config.cwd }),
        judged: undefined,
        nowMs: () => parts.clock.nowMs(),
        tasks: parts.tasks,
        ...(calls !== undefined && { traceparent: () => calls.traceparentOf(call.block.id) }),
        ...followed(folder, parts),
        ...(parts.sandbox !== undefined && { sandbox: parts.sandbox }),
        ...(delivered !== undefined && { delivered }),
        ...(parts.agentId !== undefined && { agentId: parts.agentId }),
        sessionSignal: parts.scope.signal,
      },
      life,
    );
  const contextBeside = (life: Pick<Life, 'signal'>): ToolContext => {
    const id = parts.ids.uuid();
    return makeContext({ block: { id }, effectKey: `beside/${id}` }, life, { chainId: '', depth: 0 });
  };
  const port = createToolsPort({
    tools: parts.tools,
    clock: parts.clock,
    ids: parts.ids,
    admit: parts.admit,
    base: { cwd: folder.root, home: folder.home },
    deferral: parts.toolState.deferral,
    quarantined: parts.toolState.quarantined,
    offers: (tool) => parts.toolState.offers(tool),
    ...(config.toolAliases !== undefined && { aliases: config.toolAliases }),
    ...(config.maxToolConcurrency !== undefined && { maxConcurrency: config.maxToolConcurrency }),
    gate: {
      ask: parts.permissions.ask,
      isAnswered: parts.permissions.isAnswered,
      ...callRecorders(parts.journal.recorder, parts.permissions.permissions),
      ...judging,
      ...(parts.effects !== undefined && { effects: parts.effects }),
      ...(config.repeatGuard !== false && { repeats: createRepeatGuard(config.repeatGuard) }),
      ...(parts.spill.hasRun !== undefined && { hasRun: parts.spill.hasRun }),
      ...(calls !== undefined && { spans: calls }),
    },
    makeContext,
  });
  return {
    port,
    quarantine: (name) => port.quarantine(name),
    names: () => port.names(),
    deferred: (model) => port.deferred(model),
    presetAnswer: parts.permissions.presetAnswer,
    async callGated(called, input, signal, filled) {
      const tool = findCalledTool(called, parts.tools());
      if (tool === undefined) return refusedAsMissing(called);
      const life = toLife(signal);
      const context = contextBeside(life);
      if (filled !== undefined) (context as Writable<ToolContext>).filled = filled;
      return gatedCall(tool, input, { context, life }, judging, parts.clock);
    },
    callDeclared: (...call) => declaredCall(call, { ...parts, judging, makeContext }),
    async callTool(name, input, signal) {
      const tool = parts.tools().find((each) => each.name === name || each.aliases?.includes(name) === true);
      if (tool === undefined) throw new Error(`there is no tool ${name}`);
      const parsed = await parseInput(tool, input as JsonObject);
      if (!parsed.ok) throw new Error(`the tool ${name} does not take the question: ${parsed.text}`);
      return runTool(tool, parsed.input, contextBeside({ signal }), () => {});
    },
  };
}
