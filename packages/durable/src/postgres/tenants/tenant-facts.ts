/** What is known of a tenant, as parts of statements, and the lock under which it is decided about. */

import { shellWord } from '@turnwright/base/process/shell-program.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { RunStatement } from '../database.ts';

/** The UTC day, and when the next one begins. */
export const TODAY = "(now() at time zone 'utc')::date";
export const TOMORROW_MS = `extract(epoch from (${TODAY} + 1)::timestamp at time zone 'utc')::float8 * 1000`;

/** USD of this day that a tenant was billed. `tenant` is SQL. */
export const billedTo = (tenant: string): string =>
  `coalesce((select p.usd from turnwright.spending p where p.tenant = ${tenant} and p.day = ${TODAY}), 0)`;

/** The same, and what its calls in flight may be billed. */
export const spentBy = (tenant: string): string =>
  `(${billedTo(tenant)} + coalesce((select sum(r.usd) from turnwright.reservations r where r.tenant = ${tenant} and r.day = ${TODAY}), 0))`;

/** The figure that holds for a tenant: its own, or else that of `*`. `tenant` is SQL. */
export const selectLimit = (column: 'sessions' | 'runs' | 'usd_per_day', tenant: string): string =>
  `coalesce((select l.${column} from turnwright.tenant_limits l where l.tenant = ${tenant}),
    (select l.${column} from turnwright.tenant_limits l where l.tenant = '*'))`;

/** For sentences. */
export function describeTenant(tenant: string): string {
  if (tenant === '') return 'The tenant without a name';
  return tenant === '*' ? 'Each tenant (*)' : `Tenant ${tenant}`;
}

/** One transaction at a time decides about a tenant, until it ends. */
export async function lockTenant(run: RunStatement, tenant: string): Promise<void> {
  await run("select pg_advisory_xact_lock(hashtextextended('turnwright/tenant/' || $1, 0))", [tenant]);
}

/** It is part of notifications, which have a size. */
const MOST_NAME_CHARS = 256;

/**
 * For the session that was just created: rejects with `limit_reached` where it is one too many for its
 * tenant, and with `invalid_option` for a name that no tenant can have.
 */
export async function admitSession(run: RunStatement, tenant: string): Promise<void> {
  if (tenant === '*' || tenant.length > MOST_NAME_CHARS)
    throw new TurnwrightError(
      'invalid_option',
      `The name of a tenant has at most ${MOST_NAME_CHARS} characters, and is not "*", which limits take for each tenant.`,
    );
  const [limit] = await run<{ readonly most: number | null }>(
    `select ${selectLimit('sessions', '$1')} as most`,
    [tenant],
  );
  const most = limit?.most ?? null;
  if (most === null) return;
  // Others that create one at the same time wait here, and then see this one.
  await lockTenant(run, tenant);
  const [row] = await run<{ readonly n: number }>(
    `select count(*)::int as n from (select from turnwright.sessions where tenant = $1 limit $2::int + 1) s`,
    [tenant, most],
  );
  if ((row?.n ?? 0) > most)
    throw new TurnwrightError(
      'limit_reached',
      `${describeTenant(tenant)} has ${most} ${most === 1 ? 'session' : 'sessions'}, which is its limit, so no other one begins. Send to one of them, delete one (npx turnwright durable delete <session>), or raise the limit: npx turnwright durable limits ${shellWord(tenant)} --sessions <n>`,
    );
}
