/**
 * Places of a tenant's runs: as many run at once as its limit says, the others are held, and begin in the
 * order in which they were. Who has a place is counted in the rows of sessions, so no crash can lose one.
 */
import type { Run } from '../../dispatch.ts';
import type { RunStatement, Statements } from '../database.ts';
import { billedTo, describeTenant, lockTenant, selectLimit, TOMORROW_MS } from './tenant-facts.ts';

/** Which limit of its tenant a session waits for. */
export type HoldingLimit = 'runs' | 'usdPerDay';

/** A run that was let in has its place for so long before it begins. */
const PLACE_SECONDS = 10;
/** Sessions of a tenant that are let in together. */
const MOST_RELEASED = 200;

const HAS_PLACE = (session: string): string =>
  `(${session}.state = 'running' or ${session}.state = 'queued' and ${session}.place_until > now())`;
const IS_HELD = "held_at is not null and state = 'parked' and parked ->> 'limit' = 'runs'";

/** Of the session `s`: no limit has to be looked at before it begins. One that runs has its place already. */
export const IS_UNLIMITED = `(s.state = 'running' or not exists (select from turnwright.tenant_limits l
  where l.tenant in (s.tenant, '*') and (l.runs is not null or l.usd_per_day is not null)))`;

interface Facts {
  readonly tenant: string;
  readonly mostRuns: number | null;
  readonly running: number;
  readonly usdPerDay: number | null;
  readonly usdToday: number;
  readonly tomorrowMs: number;
  readonly isInterrupted: boolean;
}

/** Locks the rows of the session. */
const FACTS = `
  select s.tenant, ${selectLimit('runs', 's.tenant')} as "mostRuns",
    (select count(*)::int from turnwright.sessions o
      where o.tenant = s.tenant and o.session_id <> s.session_id and ${HAS_PLACE('o')}) as running,
    ${selectLimit('usd_per_day', 's.tenant')} as "usdPerDay", ${billedTo('s.tenant')} as "usdToday",
    ${TOMORROW_MS} as "tomorrowMs",
    exists (select from turnwright.interrupts i where i.session_id = s.session_id and taken_epoch is null)
      as "isInterrupted"
  from turnwright.sessions s where s.session_id = $1 and s.run = $2 and s.state = 'queued' for update of s`;

/**
 * Parks the queued run where a limit of its tenant does not let it begin now; returns whether it did. The
 * tenant is locked. An interrupt is heard although there is no money. What calls in flight may be billed is
 * not counted here: most of it comes back.
 */
export async function holdBack(
  run: RunStatement,
  { sessionId, run: number }: Pick<Run, 'sessionId' | 'run'>,
): Promise<boolean> {
  const [facts] = await run<Facts>(FACTS, [sessionId, number]);
  const why = facts && whyNot(facts);
  if (why === undefined) return false;
  await run(
    `update turnwright.sessions set state = 'parked', parked = $2, wake_at = to_timestamp($3::float8 / 1000),
       held_at = case when $4 then coalesce(held_at, queued_at, now()) end, place_until = null,
       worker = null, updated_at = now()
     where session_id = $1`,
    [
      sessionId,
      JSON.stringify({ on: 'time', limit: why.limit, why: why.sentence }),
      why.wakeAt ?? null,
      why.limit === 'runs',
    ],
  );
  return true;
}

interface Hold {
  readonly limit: HoldingLimit;
  readonly sentence: string;
  readonly wakeAt?: number;
}

function whyNot(facts: Facts): Hold | undefined {
  const { tenant, mostRuns, running, usdPerDay, usdToday, tomorrowMs, isInterrupted } = facts;
  const name = describeTenant(tenant);
  if (usdPerDay !== null && usdToday >= usdPerDay && !isInterrupted)
    return {
      limit: 'usdPerDay',
      sentence: `${name} has used $${usdToday.toFixed(2)} of the $${usdPerDay} that it may use in this day (UTC).`,
      wakeAt: tomorrowMs,
    };
  if (mostRuns !== null && running >= mostRuns)
    return {
      limit: 'runs',
      sentence: `${name} may have ${mostRuns} ${mostRuns === 1 ? 'run' : 'runs'} at once, and has them: this one begins when one ends.`,
    };
  return undefined;
}

/** Lets in as many of a tenant's held runs as there are places. */
export async function releaseHeld({ transaction }: Statements, tenant: string): Promise<void> {
  await transaction(async (run) => {
    await lockTenant(run, tenant);
    await run(RELEASE, [tenant]);
  });
}

const RELEASE = `
  with released as (
    update turnwright.sessions set state = 'queued', run = run + 1, wake_at = null, updated_at = now(),
      queued_at = now(), place_until = now() + interval '${PLACE_SECONDS} s'
    where session_id in (select session_id from turnwright.sessions where tenant = $1 and ${IS_HELD}
      order by held_at
      limit least(${MOST_RELEASED}, greatest(0, ${selectLimit('runs', '$1')} -
        (select count(*) from turnwright.sessions o where o.tenant = $1 and ${HAS_PLACE('o')})))
      for update skip locked)
    returning session_id
  )
  select pg_notify('turnwright', 'run ' || session_id) from released`;

/** Tenants that hold runs although they have places. */
const WITH_ROOM = `
  select t.tenant from (select distinct tenant from turnwright.sessions where ${IS_HELD}) t
  where coalesce(${selectLimit('runs', 't.tenant')} >
    (select count(*) from turnwright.sessions o where o.tenant = t.tenant and ${HAS_PLACE('o')}), true)`;

/** For the sweep: whether some run is held that need not be. */
export const IS_HELD_IN_VAIN = `exists (${WITH_ROOM})`;

/** Lets in what no end of a run has let in: the worker died first, or a limit was raised. */
export async function releaseAll(database: Statements): Promise<void> {
  for (const { tenant } of await database.run<{ readonly tenant: string }>(WITH_ROOM))
    await releaseHeld(database, tenant);
}

/** Sessions that wait for money of this tenant, or of any with `*`, look whether there is some. */
export async function wakeForMoney(run: RunStatement, tenant: string): Promise<void> {
  await run(
    `with woken as (
       update turnwright.sessions set state = 'queued', run = run + 1, wake_at = null, updated_at = now(),
         queued_at = now()
       where state = 'parked' and parked ->> 'limit' = 'usdPerDay' and ($1 = '*' or tenant = $1)
       returning session_id
     )
     select pg_notify('turnwright', 'run ' || session_id) from woken`,
    [tenant],
  );
}
