/** Summary of a run, in two lines. */
import { describeTerminal, type SDKMessage, type SDKResultMessage, TERMINALS } from '../../index.ts';
import type { Style } from '../../terminal/text/style.ts';
import { oneLine, visible } from '../../terminal/text/visible.ts';
import { resultsOf } from './open-tools.ts';
import { counted, dollars, duration, percent, tokens } from './units.ts';

/** Why the run stopped; undefined when it simply completed. */
export function stopSentence(result: SDKResultMessage): string | undefined {
  const reason = result.terminal_reason;
  const said = result.subtype === 'success' ? [] : result.errors;
  if (reason === undefined) return said.length === 0 ? undefined : said.map(oneLine).join(' ');
  if (reason === 'completed') {
    if (result.stop_reason === 'refusal') return 'the model refused to answer';
    return undefined;
  }
  return TERMINALS[reason].sentence;
}

/** The errors of a result that say more than `stopSentence`, each in lines that a terminal can show. */
export function errorLines(result: SDKResultMessage): readonly string[] {
  if (result.subtype === 'success' || describeTerminal(result.terminal_reason)?.isSaidByErrors !== true)
    return [];
  return result.errors.flatMap((error) => visible(error).split('\n'));
}

/** Counts that the result does not have. */
interface RunCounts {
  readonly calls: number;
  /** As `--max-turns` counts them: the first request, and each follow-up on tool results. */
  readonly turns: number;
}

export function createRunCounts(): RunCounts & { add(message: SDKMessage): void } {
  const ids = new Set<string>();
  let turns = 0;
  let isAsked = false;
  const asked = () => {
    if (!isAsked) turns += 1;
    isAsked = true;
  };
  return {
    add(message) {
      if (message.type === 'system' && message.subtype === 'status' && message.status === 'requesting')
        asked();
      if (message.type === 'assistant') {
        if (message.parent_tool_use_id === null && message.error === undefined) asked();
        for (const block of message.message.content) if (block.type === 'tool_use') ids.add(block.id);
      }
      if (message.type === 'user' && message.parent_tool_use_id === null && resultsOf(message).length > 0)
        isAsked = false;
    },
    get calls() {
      return ids.size;
    },
    get turns() {
      return turns;
    },
  };
}

export function summaryLines(result: SDKResultMessage, { turns, calls }: RunCounts, style: Style): string[] {
  const total = totals(result);
  const cached = total.cacheRead > 0 ? ` (${percent(total.cacheRead, total.input)} from cache)` : '';
  const figures = [
    counted(turns, 'turn'),
    counted(calls, 'tool call'),
    `${tokens(total.input)} tokens in${cached}`,
    `${tokens(total.output)} out`,
    costOf(result, total.unpriced),
    duration(result.duration_ms),
  ];
  const lines = [style.dim(`— ${figures.join(' · ')}`)];
  const stopped = stopSentence(result);
  if (stopped !== undefined)
    lines.push((result.is_error ? style.red : style.yellow)(`— stopped: ${stopped}`));
  return lines;
}

/** Everything the run used: main loop, compactions, helpers. */
export function totals(result: SDKResultMessage): {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly unpriced: boolean;
} {
  const models = Object.values(result.modelUsage);
  const sum = (pick: (usage: (typeof models)[number]) => number) =>
    models.reduce((so, usage) => so + pick(usage), 0);
  const cacheRead = sum((usage) => usage.cacheReadInputTokens);
  const cacheWrite = sum((usage) => usage.cacheCreationInputTokens);
  return {
    input: sum((usage) => usage.inputTokens) + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    output: sum((usage) => usage.outputTokens),
    unpriced: models.some((usage) => usage.costBasis === 'unknown'),
  };
}

function costOf({ total_cost_usd: usd }: SDKResultMessage, unpriced: boolean): string {
  if (!unpriced) return dollars(usd);
  return usd === 0 ? 'no price known' : `${dollars(usd)} and what unpriced models cost`;
}
