/** Summary of a run, in two lines. */
import { describeTerminal, type SDKResultMessage, TERMINALS, type Verification } from '@turnwright/engine';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
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
  if (reason === 'unverified' && result.verification?.status === 'unverified')
    return `unverified: ${oneLine(result.verification.reason)}`;
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

export function summaryLines(result: SDKResultMessage, { turns, calls }: RunCounts, theme: Theme): string[] {
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
  const lines = [theme.dim(`— ${figures.join(' · ')}`)];
  if (result.verification?.status === 'verified')
    lines.push(theme.dim(`— ${verifiedBy(result.verification)}`));
  const stopped = stopSentence(result);
  if (stopped !== undefined) lines.push((result.is_error ? theme.bad : theme.warn)(`— stopped: ${stopped}`));
  return lines;
}

/** What proves the end, by name. */
const verifiedBy = ({ checks }: Pick<Verification, 'checks'>): string =>
  `verified: ${checks.map(({ name }) => oneLine(name)).join(' · ')}`;

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
