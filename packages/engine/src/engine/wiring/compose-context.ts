import type { Scope } from '@turnwright/base/async/scope.ts';
import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SnipMarks } from '../../context/clearing/snip-marks.ts';
import { recentFiles } from '../../context/compact/recent-files.ts';
import { todoSource } from '../../context/compact/todo-source.ts';
import { createContext } from '../../context/context-port.ts';
import { asksAnthropic, isClaudeModel } from '../../model/catalog/model-info.ts';
import type { CompactionSource, ContextPort } from '../../protocol/model/context.ts';
import type { Clock, Ids, Ledger } from '../../protocol/ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { AnyTool, ReadFileCache, TodoStore } from '../../protocol/tools/tool.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolve/resolved-options.ts';
import { runningTasksSource } from '../../tasks/notice.ts';
import type { SessionTaskTable } from '../../tasks/task-table.ts';
import { HISTORY_TOOL } from '../../tools/builtin/history.ts';
import { limitOptions } from '../compaction-options.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionModel } from '../models/session-model.ts';
import { smallModel } from '../side-calls/small-model.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';
import type { SpillRoom } from './tools/compose-spill.ts';

export interface ContextParts {
  readonly sessionId: string;
  readonly model: SessionModel;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hooks: HookPort;
  readonly spill: SpillRoom;
  readonly tools: ToolsRoom;
  readonly allTools: () => readonly AnyTool[];
  readonly transcriptPath: string | undefined;
  readonly files: Pick<PersistentFiles, 'readRange'>;
  readonly readFileCache: ReadFileCache;
  readonly todos: TodoStore;
  readonly snipMarks: SnipMarks;
  readonly scope: Scope;
  readonly tasks: SessionTaskTable;
  /** What rooms put back after a compaction. */
  restored(): readonly CompactionSource[];
}

export function composeContext(config: QueryEngineConfig, parts: ContextParts): ContextPort {
  const { compaction = {} } = config;
  const byName = oncePer((tools: readonly AnyTool[]) => new Map(tools.map((tool) => [tool.name, tool])));
  const toolOf = (name: string) => byName(parts.allTools()).get(name);
  return createContext({
    callModel: parts.model.client.call,
    ledger: parts.ledger,
    clock: parts.clock,
    ids: parts.ids,
    hooks: parts.hooks,
    spill: parts.spill.result,
    modelSize: (model) => parts.model.infoOf(model),
    async mainRequest(model) {
      const head = parts.model.request;
      return {
        sessionId: parts.sessionId,
        foreground: true,
        system: head?.system ?? [],
        tools: await parts.tools.port.wireTools(model),
        maxTokens: head?.maxOutputTokens ?? head?.defaultOutputCap ?? 8_000,
        ...(head !== undefined && { userContext: head.userContext }),
        ...(head?.thinking !== undefined && { thinking: head.thinking }),
        ...(head?.effort !== undefined && { effort: head.effort }),
        ...(head?.speed !== undefined && head.model === model && { speed: head.speed }),
        ...(head?.betas !== undefined && { betas: head.betas }),
      };
    },
    maxResultChars: (name) => toolOf(name)?.maxResultChars,
    microcompactable: (name) => toolOf(name)?.microcompactable === true,
    // Servers of these models support context edits; other servers may refuse an unknown field.
    servesContextEdits: isClaudeModel,
    ...(config.promptCacheTtl === '1h' && { cacheTtlMs: 60 * 60_000 }),
    collapseModel: (model) => smallModel(model, compaction.collapseModel, parts.model),
    snipMarks: parts.snipMarks,
    session: parts.scope,
    ...(compaction.snip !== undefined && { snip: compaction.snip }),
    ...(compaction.cachedMicrocompact !== undefined && { cachedMicrocompact: compaction.cachedMicrocompact }),
    ...(compaction.keepToolResults !== undefined && { keepResults: compaction.keepToolResults }),
    ...(compaction.collapse !== undefined && { collapse: compaction.collapse }),
    ...(compaction.auto !== undefined && { autocompact: compaction.auto }),
    ...(compaction.reactive !== undefined && { reactiveCompact: compaction.reactive }),
    limits: limitOptions(compaction),
    ...(config.mediaLimits !== undefined && { mediaLimits: config.mediaLimits }),
    ...(compaction.maxJointResultChars !== undefined && {
      maxJointResultChars: compaction.maxJointResultChars,
    }),
    sources: () => [
      todoSource(parts.todos, parts),
      runningTasksSource(parts.tasks, parts),
      ...parts.restored(),
      ...(compaction.sources ?? []),
      recentFiles(parts),
    ],
    ...(compaction.model !== undefined && { summaryModel: parts.model.resolve(compaction.model) }),
    ...(compaction.byProvider === true && {
      providerSummarises: (model) => asksAnthropic(config.baseUrl ?? DEFAULT_BASE_URL, model),
    }),
    summaryWords: {
      ...(compaction.prompt !== undefined && { prompt: compaction.prompt }),
      ...(compaction.instructions !== undefined && { instructions: [compaction.instructions] }),
    },
    ...(toolOf(HISTORY_TOOL) !== undefined && { historyTool: HISTORY_TOOL }),
    ...(parts.transcriptPath !== undefined && { transcriptPath: parts.transcriptPath }),
  });
}
