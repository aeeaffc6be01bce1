/** Figures of a database of sessions as a whole: the same from every worker. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { Database } from '../postgres/database.ts';
import { OLDEST_QUEUED } from '../postgres/overview.ts';
import { type TenantFigures, tenantFigures } from '../postgres/tenants/tenant-limits.ts';
import type { SessionState } from '../session-status.ts';
import type { WorkerFigure } from './figure.ts';

/** Scrapes of this time share a look. */
const FRESH_MS = 5_000;
/** A database that does not answer within is away. */
const PATIENCE_MS = 2_000;

/** Idle sessions are not counted: they are nearly all there are, and no index holds their number. */
const STATES: readonly SessionState[] = ['queued', 'running', 'parked', 'poisoned'];

interface Row {
  readonly states: Readonly<Partial<Record<SessionState, number>>>;
  readonly oldest_queued: number | null;
  readonly oldest_parked: number | null;
  readonly questions: number;
  readonly workers: number;
  readonly silent: number;
  readonly bytes: number;
}

const LOOK = `
  select
    (select coalesce(json_object_agg(state, n), '{}') from
      (select state, count(*)::int as n from turnwright.sessions where state <> 'idle' group by state) s)
      as states,
    ${OLDEST_QUEUED} as oldest_queued,
    (select extract(epoch from now() - min(updated_at))::float8 from turnwright.sessions where state = 'parked')
      as oldest_parked,
    (select count(*)::int from turnwright.asks join turnwright.sessions using (session_id)
      where state <> 'idle' and answer is null) as questions,
    (select count(*)::int from turnwright.workers) as workers,
    (select count(*)::int from turnwright.workers where heartbeat < now() - interval '10 s') as silent,
    pg_database_size(current_database())::float8 as bytes`;

/**
 * Looks when it is asked, at most once in five seconds. While the database is away `turnwright_database_up`
 * is 0, and there is nothing else.
 */
export function createDatabaseFigures(
  database: Pick<Database, 'run'>,
): () => Promise<readonly WorkerFigure[]> {
  let last: { readonly atMs: number; readonly figures: Promise<readonly WorkerFigure[]> } | undefined;
  const look = async (): Promise<readonly WorkerFigure[]> => {
    let stop = () => {};
    const late = new Promise<undefined>((resolve) => {
      stop = systemClock.timer(PATIENCE_MS, () => resolve(undefined));
    });
    const answer = Promise.all([database.run<Row>(LOOK), tenantFigures(database)]).catch(() => undefined);
    const [[row] = [], tenants = []] = (await Promise.race([answer, late])) ?? [];
    stop();
    return row === undefined ? [up(0)] : [up(1), ...toFigures(row), ...tenants.flatMap(figuresOfTenant)];
  };
  return () => {
    const nowMs = systemClock.monotonicMs();
    if (last === undefined || nowMs - last.atMs >= FRESH_MS) last = { atMs: nowMs, figures: look() };
    return last.figures;
  };
}

const gauge = (name: string, help: string, value: number, labels?: Readonly<Record<string, string>>) => ({
  name: `turnwright_${name}`,
  help,
  type: 'gauge' as const,
  value,
  ...(labels !== undefined && { labels }),
});

const up = (value: number): WorkerFigure =>
  gauge('database_up', 'Whether the database answered the last look at it.', value);

function figuresOfTenant(one: TenantFigures): readonly WorkerFigure[] {
  const { tenant, runs, held, usd, mostRuns, usdPerDay } = one;
  const labels = { tenant };
  const limit = (name: string, figure: number | null) =>
    figure === null
      ? []
      : [gauge('tenant_limit', 'Limits of tenants, by what they are of.', figure, { tenant, limit: name })];
  return [
    gauge('tenant_runs', 'Running sessions of tenants.', runs, labels),
    gauge('tenant_runs_held', 'Runs that wait for a place among those of their tenant.', held, labels),
    gauge('tenant_dollars_today', 'What tenants have spent in this UTC day, and have reserved.', usd, labels),
    ...limit('runs', mostRuns),
    ...limit('usd_per_day', usdPerDay),
  ];
}

const toFigures = (row: Row): readonly WorkerFigure[] => [
  ...STATES.map((state) =>
    gauge('sessions', 'Sessions of the database that are not idle, by state.', row.states[state] ?? 0, {
      state,
    }),
  ),
  gauge(
    'oldest_queued_seconds',
    'How long the oldest queued session has waited for a worker; 0: none is queued.',
    row.oldest_queued ?? 0,
  ),
  gauge(
    'oldest_parked_seconds',
    'How long the oldest parked session has waited for an answer or a time; 0: none is parked.',
    row.oldest_parked ?? 0,
  ),
  gauge('questions_open', 'Questions of all sessions that have no answer.', row.questions),
  gauge('workers', 'Workers that the database knows.', row.workers),
  gauge('workers_silent', 'Workers without a heartbeat for ten seconds.', row.silent),
  gauge('database_bytes', 'Size of the whole database.', row.bytes),
];
