/** `turnwright cost [session]`: what a session has cost, in rows that add up. */
import {
  DEFAULT_PROVIDER,
  providerFacts,
  type SessionCost,
  type SpendingRow,
  sessionCost,
} from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { alignedRows, dollars, tokens } from '../words/units.ts';
import type { World } from '../world.ts';

/** The named session, in any folder; else the newest of this folder. */
export async function runCostCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { session, json }: { readonly session: string | undefined; readonly json: boolean },
): Promise<ExitCode> {
  const cost = await sessionCost(session, { cwd, env });
  const text = json ? JSON.stringify(cost, undefined, 2) : visible(costTable(cost));
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

/** With as many columns as fit; the costs are always there. */
export function costTable(
  { sessionId, totalCostUsd, rows, unpricedModels, computedUsd = 0 }: SessionCost,
  columns = Number.POSITIVE_INFINITY,
): string {
  const total = `Session ${sessionId}: ${dollars(totalCostUsd)}`;
  if (rows.length === 0) return `${total}. No model call has been paid for.`;
  const cells = [HEAD, ...[...rows].sort((a, b) => b.costUSD - a.costUSD).map(toCells), toTotalCells(rows)];
  return [total, '', ...fitting(cells, columns), ...notes(rows, unpricedModels, computedUsd)].join('\n');
}

function fitting(rows: readonly Cells[], columns: number): readonly string[] {
  for (let spared = 0; ; spared += 1) {
    const left = HEAD.filter((name) => !SPARED.slice(0, spared).includes(name));
    const words = left.filter((name) => WORDS.includes(name)).length;
    const table = alignedRows(
      rows.map((cells) => cells.filter((_, index) => left.includes(HEAD[index] as Column))),
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

type Figure = { [K in keyof SpendingRow]: SpendingRow[K] extends number ? K : never }[keyof SpendingRow];

function sum(rows: readonly SpendingRow[], name: Figure): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

function notes(
  rows: readonly SpendingRow[],
  unpriced: readonly string[],
  computedUsd: number,
): readonly string[] {
  const oneHour = sum(rows, 'cacheCreationEphemeral1hInputTokens');
  const searches = sum(rows, 'webSearchRequests');
  const wasted = rows.filter(({ purpose }) => purpose === 'retry_waste');
  const lines = [
    oneHour > 0 && `Of the cache writes, ${tokens(oneHour)} tokens are kept for an hour.`,
    searches > 0 && `Includes ${searches} web ${searches === 1 ? 'search' : 'searches'}.`,
    wasted.length > 0 &&
      `${dollars(sum(wasted, 'costUSD'))} was paid for answers that broke and were asked for again.`,
    computedUsd > 0 &&
      `${dollars(computedUsd)} is computed from usage that another program recorded, at list prices.`,
    unpriced.length > 0 &&
      `Not included: what ${unpriced.join(' and ')} cost, because no price is known. Give prices under "models" in the settings.`,
  ].filter((line) => line !== false);
  return lines.length === 0 ? [] : ['', ...lines];
}
