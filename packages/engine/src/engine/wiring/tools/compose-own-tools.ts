/**
 * The tools that the engine makes itself, because they work on the session: in the order in which the model
 * sees them.
 */

import { whileSame } from '@turnwright/base/collections/made-once.ts';
import type { SnipMarks } from '../../../context/clearing/snip-marks.ts';
import type { AnyTool } from '../../../protocol/tools/tool.ts';
import { createHistoryTool, type HistoryPort } from '../../../tools/builtin/history.ts';
import { createSnipTool } from '../../../tools/builtin/snip.ts';
import { createSleepTool, SLEEP_TOOL, type SleepPorts } from '../../../tools/builtin/tasks/sleep.ts';
import type { QueryEngineConfig } from '../../config.ts';
import type { McpRoom } from '../../mcp/mcp-room.ts';
import type { ComposedSession } from '../../storage/session-place.ts';
import type { StructuredOutput } from '../../submission/structured-output.ts';
import { composeWeb, type WebParts } from './compose-web.ts';

interface OwnToolParts {
  readonly session: ComposedSession;
  readonly toolState: { readonly tools: readonly AnyTool[] };
  readonly structured: StructuredOutput | undefined;
  readonly snipMarks: SnipMarks;
  readonly web: WebParts;
  readonly sleep: SleepPorts;
}

export function composeOwnTools(config: QueryEngineConfig, parts: OwnToolParts): readonly AnyTool[] {
  const { session, toolState, structured, snipMarks } = parts;
  return [
    ...(structured === undefined ? [] : [structured.tool]),
    ...(offersSnip(config) ? [createSnipTool(snipMarks)] : []),
    ...toolState.tools,
    ...(offersSleep(config) ? [createSleepTool(parts.sleep)] : []),
    ...composeWeb(config, parts.web),
    ...(offersHistory(config, session) ? [createHistoryTool(createHistoryPort(session))] : []),
  ];
}

/** Loaded by the first question. */
function createHistoryPort({ read: entries }: ComposedSession): HistoryPort {
  const loaded = async () => (await import('../../storage/session-history.ts')).createSessionHistory(entries);
  return {
    search: async (...asked) => (await loaded()).search(...asked),
    read: async (...asked) => (await loaded()).read(...asked),
  };
}

function offersSnip({ compaction = {} }: QueryEngineConfig): boolean {
  return compaction.snipTool === true && compaction.snip !== false;
}

/** There is no use in it where nothing can come in meanwhile. */
function offersSleep({ inbox, promptsWhileWorking, sessionTools }: QueryEngineConfig): boolean {
  return sessionTools?.includes(SLEEP_TOOL) === true && (promptsWhileWorking ?? inbox !== undefined);
}

/** See `CompactionOptions.history`. A host that offers no tools wants none. */
function offersHistory(config: QueryEngineConfig, { directory }: ComposedSession): boolean {
  const { compaction = {}, tools, store } = config;
  const isKept = directory !== undefined || store !== undefined;
  return compaction.history ?? (isKept && tools.length > 0 && compaction.auto !== false);
}

/** Each is the same array while nothing changed. */
interface ToolSources {
  readonly mcp: Pick<McpRoom, 'tools'>;
  readonly subagents: { tools(): readonly AnyTool[] };
  readonly own: readonly AnyTool[];
  /** They come with time. */
  readonly late: { readonly tools: readonly AnyTool[] };
}

/**
 * The built-in tools, those of MCP servers, the Agent tool, the engine's own, then those that come with time:
 * the same array while nothing changed.
 */
export function combineTools(
  before: readonly AnyTool[],
  { mcp, subagents, own, late }: ToolSources,
): () => readonly AnyTool[] {
  return whileSame(
    () => [mcp.tools, subagents.tools(), late.tools] as const,
    ([ofServers, ofAgents, withTime]) => {
      const after = [...ofAgents, ...own, ...withTime];
      // What a server calls a tool must not take the place of another, nor stop the session.
      const taken = new Set([...before, ...after].map((tool) => tool.name));
      const fresh = ofServers.filter(({ name }) => !taken.has(name) && taken.add(name));
      return [...before, ...fresh, ...after];
    },
  );
}
