/** `turnwright cost [session]`: what a session has cost, in rows that add up. */
import {
  DEFAULT_PROVIDER,
  describeNextRun,
  providerFacts,
  type SessionCost,
  type SpendingRow,
  sessionCost,
} from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CostColumn } from '../flags/args.ts';
import { alignedRows, dollars, tokens } from '../words/units.ts';
import type { World } from '../world.ts';

interface CostCall {
  readonly session: string | undefined;
  readonly json: boolean;
  readonly by?: CostColumn | undefined;
}

/** The named session, in any folder; else the newest of this folder. */
export async function runCostCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { session, json, by }: CostCall,
): Promise<ExitCode> {
  const cost = await sessionCost(session, { cwd, env });
  const text = json ? JSON.stringify(cost, undefined, 2) : visible(costTable(cost, { by }));
  await out.write(`${text}\n`);
  return EXIT.success;
}

type Cells = readonly string[];

const HEAD = [
  'agent',
  'purpose',
  'model',
  'calls',
  'input',
  'cache read',
  'cache write',
  'output',
  'USD',
] as const;
type Column = (typeof HEAD)[number];
/** Agent, purpose and model are words; the other columns are figures. */
const WORDS: readonly Column[] = ['agent', 'purpose', 'model'];
/** What is left out first where the window is too narrow. */
const SPARED: readonly Column[] = ['cache write', 'cache read', 'calls', 'input', 'output', 'model'];

interface TableOptions {
  /** Width of the window. Default: without a limit. */
  readonly columns?: number | undefined;
  /** One row for each of them. Default: for each combination. */
  readonly by?: CostColumn | undefined;
}

/** With as many columns as fit; the costs are always there. */
export function costTable(
  cost: SessionCost,
  { columns = Number.POSITIVE_INFINITY, by }: TableOptions = {},
): string {
  const { sessionId, totalCostUsd, rows, next } = cost;
  const total = `Session ${sessionId}: ${dollars(totalCostUsd)}`;
  const forecast = next === undefined ? [] : ['', describeNextRun(next)];
  if (rows.length === 0) return [`${total}. No model call has been paid for.`, ...forecast].join('\n');
  const sorted = [...sumRows(rows, by)].sort((a, b) => b.costUSD - a.costUSD);
  const body = [HEAD, ...sorted.map(toCells)];
  const end = toTotalCells(rows);
  const named =
    by === undefined
      ? [...body, end]
      : [...body.map((row) => withoutWords(row, by)), ['total', ...end.slice(WORDS.length)]];
  const table = fitting(named, columns, by === undefined ? HEAD : withoutWords(HEAD, by));
  return [total, '', ...table, ...notes(cost), ...forecast].join('\n');
}

/** One row for each value of a column. */
function sumRows(rows: readonly SpendingRow[], by: CostColumn | undefined): readonly SpendingRow[] {
  if (by === undefined) return rows;
  const groups = grouped(rows, (row) => row[by]);
  return [...groups.values()].map((group) => ({
    ...(group[0] as SpendingRow),
    isPriced: group.every(({ isPriced }) => isPriced),
    ...Object.fromEntries(FIGURES.map((name) => [name, sum(group, name)])),
  }));
}

const withoutWords = <T extends string>(row: readonly T[], by: CostColumn): readonly T[] =>
  row.filter((_, index) => HEAD[index] === by || !WORDS.includes(HEAD[index] as Column));

function fitting(rows: readonly Cells[], columns: number, head: readonly Column[]): readonly string[] {
  for (let spared = 0; ; spared += 1) {
    const left = head.filter((name) => !SPARED.slice(0, spared).includes(name));
    const words = left.filter((name) => WORDS.includes(name)).length;
    const table = alignedRows(
      rows.map((cells) => cells.filter((_, index) => left.includes(head[index] as Column))),
      words,
    );
    if (spared === SPARED.length || table.every((row) => row.length <= columns)) return table;
  }
}

/** Providers that need no name beside their models. */
const UNNAMED: readonly (string | undefined)[] = [providerFacts(DEFAULT_PROVIDER).recordedAs, 'unknown'];

function toCells(row: SpendingRow): Cells {
  const isNamed = UNNAMED.includes(row.provider) || row.model.startsWith(`${row.provider}:`);
  const model = isNamed ? row.model : `${row.model} (${row.provider})`;
  const usd = row.isPriced ? dollars(row.costUSD) : row.costUSD > 0 ? `${dollars(row.costUSD)} + ?` : '?';
  return [row.agent, row.purpose.replaceAll('_', ' '), model, ...figures([row]), usd];
}

function toTotalCells(rows: readonly SpendingRow[]): Cells {
  return ['total', '', '', ...figures(rows), dollars(sum(rows, 'costUSD'))];
}

function figures(rows: readonly SpendingRow[]): Cells {
  const counts = ['inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens', 'outputTokens'] as const;
  return [String(sum(rows, 'calls')), ...counts.map((name) => tokens(sum(rows, name)))];
}

const FIGURES = [
  'calls',
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
  'cacheCreationEphemeral1hInputTokens',
  'webSearchRequests',
  'costUSD',
] as const satisfies readonly (keyof SpendingRow)[];
type Figure = (typeof FIGURES)[number];

function sum(rows: readonly SpendingRow[], name: Figure): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

function notes({
  rows,
  unpricedModels: unpriced,
  computedUsd = 0,
  wasted,
}: Pick<SessionCost, 'computedUsd' | 'rows' | 'unpricedModels' | 'wasted'>): readonly string[] {
  const oneHour = sum(rows, 'cacheCreationEphemeral1hInputTokens');
  const searches = sum(rows, 'webSearchRequests');
  const lines = [
    oneHour > 0 && `Of the cache writes, ${tokens(oneHour)} tokens are kept for an hour.`,
    searches > 0 && `Includes ${searches} web ${searches === 1 ? 'search' : 'searches'}.`,
    ...wasted.map(({ usd, what }) => `${dollars(usd)} ${what}`),
    ...priceLines(rows),
    computedUsd > 0 &&
      `${dollars(computedUsd)} is computed from usage that another program recorded, at list prices.`,
    unpriced.length > 0 &&
      `Not included: what ${unpriced.join(' and ')} cost, because no price is known. Give prices under "models" in the settings.`,
  ].filter((line) => line !== false);
  return lines.length === 0 ? [] : ['', ...lines];
}

const SOURCES: Readonly<Record<string, string>> = {
  list: 'the built-in list',
  family: 'the newest model of its family, a guess',
  endpoint: 'its provider',
  settings: 'the settings',
};

/** Where the prices are from, by model. */
function priceLines(rows: readonly SpendingRow[]): string[] {
  const models = new Map(
    rows.flatMap(({ model, price }) => (price === undefined ? [] : [[model, price] as const])),
  );
  const bySource = grouped([...models], ([, { source, asOf }]) => {
    const name = SOURCES[source] ?? source;
    return asOf === undefined ? name : `${name} of ${asOf}`;
  });
  return [...bySource].map(
    ([source, priced]) => `Prices of ${priced.map(([model]) => model).join(' and ')}: ${source}.`,
  );
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const group = groups.get(keyOf(one));
    if (group === undefined) groups.set(keyOf(one), [one]);
    else group.push(one);
  }
  return groups;
}
