/** What each tenant may have and use at most: set by people, read by whatever keeps a limit. */
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Statements } from '../database.ts';
import { notify } from '../listener.ts';
import { releaseAll, wakeForMoney } from './run-places.ts';
import { describeTenant, selectLimit, spentBy, TODAY } from './tenant-facts.ts';

/** Limits of a tenant; an absent figure is none of its own: that of `*` holds, if there is one. */
export interface TenantLimits {
  /** Sessions in the database, whatever their state. */
  readonly sessions?: number | undefined;
  /** Runs at the same time. */
  readonly runs?: number | undefined;
  /** USD that its model requests may cost in a UTC day, by list prices. */
  readonly usdPerDay?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
  /** Input that is not read from the cache, and output. */
  readonly tokensPerMinute?: number | undefined;
}

type TenantFigure = keyof TenantLimits;

/** Figures that change: undefined leaves one as it is, null removes it. */
export type TenantLimitChanges = { readonly [Figure in TenantFigure]?: number | null | undefined };

/** Table and column of each figure, and what its rows are called there. */
const FIGURES: Readonly<
  Record<TenantFigure, { readonly table: 'tenant_limits' | 'limits'; readonly column: string }>
> = {
  sessions: { table: 'tenant_limits', column: 'sessions' },
  runs: { table: 'tenant_limits', column: 'runs' },
  usdPerDay: { table: 'tenant_limits', column: 'usd_per_day' },
  requestsPerMinute: { table: 'limits', column: 'requests_per_minute' },
  tokensPerMinute: { table: 'limits', column: 'tokens_per_minute' },
};
const NAMES = Object.keys(FIGURES) as readonly TenantFigure[];

/**
 * Changes limits of a tenant, or with `*` those of each tenant that has none of its own. All workers keep
 * them from then on; a limit of spending where there was none holds for the runs that begin after it.
 * Sessions that a limit held go on where it lets them. Rejects with `invalid_option` for what is no limit,
 * and where a figure is to be removed that is not set.
 *
 * @example
 * ```ts
 * import { openDatabase, setTenantLimits } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * await setTenantLimits(database, 'trial', { sessions: 20, runs: 2, usdPerDay: 5 });
 * await setTenantLimits(database, 'trial', { runs: null });
 * await database.close();
 * ```
 */
export async function setTenantLimits(
  database: Statements,
  tenant: string,
  changes: TenantLimitChanges,
): Promise<void> {
  const changed = NAMES.filter((name) => changes[name] !== undefined);
  for (const name of changed) refuseWrong(name, changes[name]);
  await database.transaction(async (run) => {
    for (const name of changed) {
      const { table, column } = FIGURES[name];
      const [key, value] = table === 'limits' ? ['key', `tenant/${tenant}`] : ['tenant', tenant];
      const figure = changes[name] ?? null;
      if (figure === null) {
        const [was] = await run(
          `update turnwright.${table} set ${column} = null where ${key} = $1 and ${column} is not null returning 1`,
          [value],
        );
        if (was === undefined) throw notSet(tenant, name);
      } else
        await run(
          `insert into turnwright.${table} (${key}, ${column}) values ($1, $2)
           on conflict (${key}) do update set ${column} = excluded.${column}`,
          [value, figure],
        );
    }
    // A row without figures would be taken for a tenant's own.
    await run(
      'delete from turnwright.tenant_limits where sessions is null and runs is null and usd_per_day is null',
    );
    await run(
      'delete from turnwright.limits where requests_per_minute is null and tokens_per_minute is null',
    );
    await notify(run, 'limit', '*');
    if (changes.usdPerDay !== undefined) await wakeForMoney(run, tenant);
  });
  if (changes.runs !== undefined) await releaseAll(database);
}

function refuseWrong(name: TenantFigure, figure: number | null | undefined): void {
  if (figure === null || figure === undefined) return;
  const isRight =
    name === 'usdPerDay' ? Number.isFinite(figure) : Number.isInteger(figure) && figure < 2 ** 31;
  if (!isRight || figure <= 0)
    throw new TurnwrightError(
      'invalid_option',
      `${name} is ${figure}; it must be ${name === 'usdPerDay' ? 'a number of dollars above 0' : 'a whole number above 0'}, or null to remove it.`,
    );
}

const notSet = (tenant: string, name: TenantFigure): TurnwrightError =>
  new TurnwrightError(
    'invalid_option',
    `${describeTenant(tenant)} has no limit ${name} of its own, so none can be removed. Which there are: npx turnwright durable limits`,
  );

/** What a tenant may have and use, and what it has and used. */
export interface TenantUse {
  /** `*`: each tenant that has no figure of its own; it has no use itself. */
  readonly tenant: string;
  /** Its own figures. */
  readonly limits: TenantLimits;
  readonly sessions: number;
  readonly runs: number;
  /** Runs that wait for a place among those of their tenant. */
  readonly heldRuns: number;
  /** Billed in this UTC day, and what model requests in flight may be billed. */
  readonly usdToday: number;
}

/**
 * Tenants that have limits of their own, use something now, or spent something in this UTC day; `*` first.
 *
 * @example
 * ```ts
 * import { openDatabase, tenantUse } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * for (const { tenant, usdToday, limits } of await tenantUse(database))
 *   console.log(tenant, usdToday, limits.usdPerDay);
 * await database.close();
 * ```
 */
export async function tenantUse({ run }: Pick<Statements, 'run'>): Promise<readonly TenantUse[]> {
  const rows = await run<UseRow>(USE);
  return rows.map(({ tenant, sessions, runs, held_runs, usd_today, limits }) => ({
    tenant,
    limits: Object.fromEntries(
      NAMES.flatMap((name) => {
        const figure = limits[FIGURES[name].column];
        return figure == null ? [] : [[name, figure]];
      }),
    ),
    sessions,
    runs,
    heldRuns: held_runs,
    usdToday: usd_today,
  }));
}

interface UseRow {
  readonly tenant: string;
  readonly limits: Readonly<Record<string, number | null>>;
  readonly sessions: number;
  readonly runs: number;
  readonly held_runs: number;
  readonly usd_today: number;
}

const RUNNING =
  "(select count(*)::int from turnwright.sessions s where s.tenant = n.tenant and s.state = 'running')";
const HELD = `(select count(*)::int from turnwright.sessions s
  where s.tenant = n.tenant and s.held_at is not null and s.state = 'parked')`;

/** Tenants with something to tell of. */
const NAMED = `
  with named as (
    select tenant from turnwright.tenant_limits
    union select substr(key, length('tenant/') + 1) from turnwright.limits where key like 'tenant/%'
    union select tenant from turnwright.spending where day = ${TODAY}
    union select tenant from turnwright.sessions where state in ('queued', 'running')
  )`;

const USE = `${NAMED}
  select n.tenant,
    coalesce(to_jsonb(l), '{}') || coalesce(to_jsonb(b), '{}') as limits,
    (select count(*)::int from turnwright.sessions s where s.tenant = n.tenant) as sessions,
    ${RUNNING} as runs, ${HELD} as held_runs,
    ${spentBy('n.tenant')} as usd_today
  from named n
    left join turnwright.tenant_limits l on l.tenant = n.tenant
    left join turnwright.limits b on b.key = 'tenant/' || n.tenant
  order by n.tenant <> '*', n.tenant`;

/** What is running and spent now, of the tenants that spent most: figures that are read every few seconds. */
export interface TenantFigures {
  readonly tenant: string;
  readonly runs: number;
  readonly held: number;
  readonly usd: number;
  readonly mostRuns: number | null;
  readonly usdPerDay: number | null;
}

const MOST_TENANTS = 100;

export const tenantFigures = ({ run }: Pick<Statements, 'run'>): Promise<readonly TenantFigures[]> =>
  run<TenantFigures>(`${NAMED}
    select n.tenant, ${selectLimit('runs', 'n.tenant')} as "mostRuns", ${selectLimit('usd_per_day', 'n.tenant')} as "usdPerDay",
      ${RUNNING} as runs, ${HELD} as held, ${spentBy('n.tenant')} as usd
    from named n where n.tenant <> '*' order by usd desc, n.tenant limit ${MOST_TENANTS}`);
