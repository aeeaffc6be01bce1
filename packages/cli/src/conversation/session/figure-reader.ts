/** Figures of the status line, asked of the session: those that `/context` and `/cost` show. */
import type { ContextSize, Query, RunForecast, SDKMessage, SessionUsage } from '@turnwright/engine';
import type { ContextFigure, CostFigure, Figures, WorkFigure } from '../conversation-state.ts';

interface FigureReader {
  /** Asks soon; several calls are one question. */
  refresh(): void;
}

/** `onFigures`: called with each answer. A session that has ended has no answer. */
export function createFigureReader(
  query: () => Query | undefined,
  onFigures: (figures: Partial<Figures>) => void,
): FigureReader {
  let isAsking = false;
  let isWanted = false;
  const ask = async () => {
    isAsking = true;
    while (isWanted) {
      isWanted = false;
      const session = query();
      if (session === undefined) break;
      const [context, usage, forecast] = await Promise.all([
        session.getContextSize().catch(() => undefined),
        session.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET().catch(() => undefined),
        session.getCostForecast().catch(() => undefined),
      ]);
      if (session !== query()) continue;
      onFigures({
        ...(context !== undefined && { context: contextFigure(context) }),
        ...(usage !== undefined && {
          cost: costFigure(usage.session, forecast),
          work: workFigure(usage.session),
        }),
      });
    }
    isAsking = false;
  };
  return {
    refresh() {
      isWanted = true;
      if (!isAsking) void ask();
    },
  };
}

function contextFigure(usage: ContextSize): ContextFigure {
  const { apiUsage, totalTokens, rawMaxTokens, maxTokens, autoCompactThreshold, isAutoCompactEnabled } =
    usage;
  const reported =
    apiUsage === null
      ? undefined
      : apiUsage.input_tokens +
        apiUsage.output_tokens +
        apiUsage.cache_creation_input_tokens +
        apiUsage.cache_read_input_tokens;
  return {
    usedTokens: totalTokens,
    windowTokens: rawMaxTokens,
    isEstimated: reported !== totalTokens,
    compactsAt: isAutoCompactEnabled ? autoCompactThreshold : undefined,
    blocksAt: maxTokens,
  };
}

/** `forecast`: of the running prompt; what earlier ones cost is added to its range. */
function costFigure(
  { total_cost_usd, model_usage }: Pick<SessionUsage['session'], 'model_usage' | 'total_cost_usd'>,
  running: RunForecast | undefined,
): CostFigure {
  const isUnpriced = Object.values(model_usage).some(({ costBasis }) => costBasis === 'unknown');
  const usd = total_cost_usd;
  if (running?.forecast.kind !== 'range') return { usd, isUnpriced };
  const before = usd - running.spentUsd;
  const { lowUsd, highUsd } = running.forecast;
  return { usd, isUnpriced, endsAt: { lowUsd: before + lowUsd, highUsd: before + highUsd } };
}

function workFigure(session: SessionUsage['session']): WorkFigure {
  return {
    apiMs: session.total_api_duration_ms,
    linesAdded: session.total_lines_added,
    linesRemoved: session.total_lines_removed,
  };
}

/** After these messages the context or the cost has changed. */
export function changesFigures(message: SDKMessage): boolean {
  switch (message.type) {
    case 'result':
      return true;
    case 'stream_event':
      return message.parent_tool_use_id === null && message.event.type === 'message_stop';
    case 'system':
      return message.subtype === 'compact_boundary' || message.subtype === 'microcompact_boundary';
    case 'user':
      return message.parent_tool_use_id === null;
    default:
      return false;
  }
}
