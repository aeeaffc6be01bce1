/** All runs of an eval: those that are not on the record yet, some at a time, within one budget. */
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { sha256, uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { sessionCost, TurnwrightError } from '@turnwright/engine';
import type { EvalCase } from '../case/eval-case.ts';
import { type EvalPurse, openEvalPurse } from '../results/eval-purse.ts';
import { openResults, type ReadRecords, type ResultsWriter, readRecords } from '../results/results-file.ts';
import { type EndedRun, type EvalRecord, placeKey, type RunPlace } from '../results/run-record.ts';
import { type Scores, score } from '../results/score.ts';
import { openRunFolders } from './run-folders.ts';
import { notBegun, runOnce, type Variant } from './run-once.ts';

interface EvalRequest {
  readonly cases: readonly EvalCase[];
  readonly variants: readonly Variant[];
  /** Of each case and variant. */
  readonly runs: number;
  /** Runs at the same time. */
  readonly concurrency: number;
  /** For everything that this eval has ever spent, earlier processes included. */
  readonly maxBudgetUsd: number | undefined;
  /** Absolute: where its records and sessions are kept. */
  readonly folder: string;
  /** PATH and HOME for git. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isReplayed: boolean;
  readonly signal: AbortSignal;
  /** Called with each run that has ended now. `left`: how many are to come. */
  readonly onEnded?: (run: EndedRun, left: number) => void;
}

export interface EvalReport extends Scores {
  /** Every run that is on the record, in the order of cases, variants and numbers. */
  readonly runs: readonly EndedRun[];
  /** Runs that have no result, because the budget was spent, or the eval was interrupted. */
  readonly missing: { readonly noMoney: number; readonly interrupted: number };
  /** Spent for this eval by all of its processes, runs that were cut off included, in USD. */
  readonly spentUsd: number;
  /**
   * Part of it for runs that were cut off, or whose case or variant has changed since, and what calls that
   * ended early may have cost.
   */
  readonly lostUsd: number;
  /** Runs that were recorded before this process. */
  readonly earlier: number;
  readonly unreadableLines: number;
}

interface Planned {
  readonly place: RunPlace;
  readonly case: EvalCase;
  readonly variant: Variant;
}

/**
 * Runs what is not on the record in `folder` yet. An abort ends what runs; it is run again the next time.
 * Rejects with `invalid_option` where another process evaluates in the folder, and like `query()` where a
 * run cannot start at all.
 */
export async function runEval(request: EvalRequest): Promise<EvalReport> {
  const { folder } = request;
  const plan = planRuns(request);
  const results = await openResults(folder);
  try {
    const read = await readRecords(folder);
    const earlierUsd = await countMoney(read.records, folder);
    const ended = new Map(endedIn(read.records).map((run) => [placeKey(run), run]));
    const open = plan.filter(({ place }) => !ended.has(placeKey(place)));
    const earlier = plan.length - open.length;
    const purse =
      request.maxBudgetUsd === undefined || request.isReplayed
        ? undefined
        : openEvalPurse(request.maxBudgetUsd, earlierUsd, results);
    const now = await runOpen(open, request, results, purse);
    for (const run of now) ended.set(placeKey(run), run);
    return buildReport(request, { plan, ended, read, earlierUsd, purse, earlier, now });
  } finally {
    await results.close();
  }
}

/** Interleaved, so that each case and variant has about as many runs when money or time ends. */
function planRuns({ cases, variants, runs, isReplayed }: EvalRequest): readonly Planned[] {
  const silent = isReplayed ? cases.filter(({ answers }) => answers === undefined) : [];
  if (silent.length > 0)
    throw new TurnwrightError(
      'invalid_option',
      `No answers are recorded for ${silent.map(({ name }) => name).join(', ')}: a case needs answers.jsonl for --replayed. turnwright case add writes them.`,
    );
  return Array.from({ length: runs }, (_, at) => at + 1).flatMap((run) =>
    cases.flatMap((one) =>
      variants.map((variant) => {
        const answers = isReplayed ? sha256(one.answers ?? '') : '';
        const key = sha256(`${one.hash} ${variant.hash} ${answers}`).slice(0, 16);
        return { place: { case: one.name, variant: variant.name, run, key }, case: one, variant };
      }),
    ),
  );
}

/** Those that count: a run that the budget ended is run again when there is money. */
const endedIn = (records: readonly EvalRecord[]): readonly EndedRun[] =>
  records.filter((record): record is EndedRun => record.kind === 'ended' && record.outcome !== 'no_money');

/**
 * Of each run by its reservations, or its result; of one that was cut off without a budget, by its journal.
 */
async function countMoney(records: readonly EvalRecord[], folder: string): Promise<number> {
  const settled = new Map(records.flatMap((each) => (each.kind === 'settled' ? [[each.id, each.usd]] : [])));
  const bySession = new Map<string, number>();
  for (const record of records)
    if (record.kind === 'reserved')
      bySession.set(
        record.sessionId,
        (bySession.get(record.sessionId) ?? 0) + (settled.get(record.id) ?? record.usd),
      );
  const reserved = new Set(bySession.keys());
  for (const record of records)
    if (record.kind === 'ended' && !reserved.has(record.sessionId))
      bySession.set(record.sessionId, record.costUsd + record.judgeUsd);
  for (const record of records)
    if (record.kind === 'begun' && !bySession.has(record.sessionId))
      bySession.set(record.sessionId, await costOfSession(record.sessionId, folder));
  return [...bySession.values()].reduce((sum, usd) => sum + usd, 0);
}

const costOfSession = (sessionId: string, folder: string): Promise<number> =>
  sessionCost(sessionId, { cwd: folder, env: { TURNWRIGHT_HOME: homeIn(folder) } }).then(
    ({ totalCostUsd }) => totalCostUsd,
    () => 0,
  );

/** Sums in another order differ by less. */
const ROUNDING_USD = 1e-9;

const homeIn = (folder: string): string => join(folder, 'sessions');

async function runOpen(
  open: readonly Planned[],
  { concurrency, folder, env, isReplayed, signal, onEnded }: EvalRequest,
  results: ResultsWriter,
  purse: EvalPurse | undefined,
): Promise<readonly EndedRun[]> {
  const now: EndedRun[] = [];
  if (open.length === 0) return now;
  const folders = await openRunFolders(folder, env);
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  /** Cases and variants whose first call could not be paid: what is left only shrinks. */
  const unpaid = new Set<string>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let planned = open[next++]; planned !== undefined && !stop.signal.aborted; planned = open[next++]) {
      const { place, case: given, variant } = planned;
      const sessionId = uuid();
      const at = () => new Date(systemClock.nowMs()).toISOString();
      await results.append({ kind: 'begun', ...place, sessionId, at: at() });
      const budget = purse && {
        maxUsd: purse.maxUsd,
        open: (onEmpty: () => void) => purse.forRun(sessionId, onEmpty),
      };
      const home = homeIn(folder);
      const pair = JSON.stringify([given.name, variant.name]);
      const result = unpaid.has(pair)
        ? notBegun('no_money', 'The budget of the eval is spent.')
        : await runOnce({
            case: given,
            variant,
            sessionId,
            folders,
            home,
            budget,
            isReplayed,
            signal: stop.signal,
          });
      if (result.outcome === 'no_money' && result.costUsd === 0) unpaid.add(pair);
      const ended: EndedRun = { kind: 'ended', ...place, sessionId, at: at(), ...result };
      await results.append(ended);
      now.push(ended);
      onEnded?.(ended, open.length - now.length);
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, open.length) }, () =>
    work().catch((error: unknown) => {
      // What stops one run from starting stops them all.
      const isOwn = !stop.signal.aborted;
      stop.abort();
      if (isOwn) throw error;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  await folders.close();
  signal.removeEventListener('abort', abort);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return now;
}

interface Done {
  readonly plan: readonly Planned[];
  readonly ended: ReadonlyMap<string, EndedRun>;
  readonly read: ReadRecords;
  readonly earlierUsd: number;
  readonly purse: EvalPurse | undefined;
  readonly earlier: number;
  readonly now: readonly EndedRun[];
}

function buildReport(
  { cases, variants, runs: count }: EvalRequest,
  { plan, ended, read, earlierUsd, purse, earlier, now }: Done,
): EvalReport {
  const runs = plan.flatMap(({ place }) => ended.get(placeKey(place)) ?? []);
  const noMoney = runs.filter(({ outcome }) => outcome === 'no_money').length;
  const costOf = (some: readonly EndedRun[]) =>
    some.reduce((sum, run) => sum + run.costUsd + run.judgeUsd, 0);
  const spentUsd = purse?.spentUsd ?? earlierUsd + costOf(now);
  const lostUsd = spentUsd - costOf(runs);
  return {
    ...score(runs, {
      cases: cases.map(({ name }) => name),
      variants: variants.map(({ name }) => name),
      runs: count,
    }),
    runs,
    missing: { noMoney, interrupted: plan.length - runs.length },
    spentUsd,
    lostUsd: lostUsd > ROUNDING_USD ? lostUsd : 0,
    earlier,
    unreadableLines: read.unreadable,
  };
}
