/**
 * Money of a tenant for a UTC day, which all of its runs share: what an attempt at a model request may cost
 * is a row before it is sent, so that runs at the same time do not spend the same money. What a run leaves
 * behind when its worker dies stays counted in full: what was billed is not known.
 */

import { systemClock } from '@turnwright/base/clock.ts';
import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { EmptyPurse, Purse, TakenMoney } from '@turnwright/engine/protocol/model/purse.ts';
import type { Database, RunStatement, Statements } from '../database.ts';
import { groupCalls, perDatabase } from '../group-calls.ts';
import type { Listener } from '../listener.ts';
import { outlasting } from '../outlasting.ts';
import { describeTenant, lockTenant, selectLimit, TODAY, TOMORROW_MS } from './tenant-facts.ts';

interface RunOfTenant {
  readonly tenant: string;
  readonly sessionId: string;
  readonly run: number;
  readonly workerId: string;
}

export interface RunPurse extends Purse {
  /** Resolves when what has ended is written; after an outage it stays counted in full. */
  settled(): Promise<void>;
}

/** Of a run that died, no notification tells that it holds no money any more. */
const LOOK_AGAIN_MS = 2_000;

/** `listener`: it tells of money that other runs give back. */
export function openPurse(database: Database, listener: Pick<Listener, 'watch'>, of: RunOfTenant): RunPurse {
  const settling = new Set<Promise<void>>();
  return {
    async take({ mostUsd, leastUsd }, signal) {
      let wake = (): void => undefined;
      const heard = () => wake();
      const stop = listener.watch('limit', formatKey(of.tenant), heard);
      signal.addEventListener('abort', heard);
      try {
        while (!signal.aborted) {
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          const answer = await taking(database)({ ...of, mostUsd, leastUsd, id: uuid() });
          if (answer.kind === 'empty') return answer;
          if (answer.kind === 'taken') return takenMoney(answer.usd, answer.id);
          const stopTimer = systemClock.timer(LOOK_AGAIN_MS, heard);
          await woken;
          stopTimer();
        }
        throw signal.reason;
      } finally {
        stop();
        signal.removeEventListener('abort', heard);
      }
    },
    async settled() {
      await Promise.all(settling);
    },
  };

  function takenMoney(usd: number, id: string): TakenMoney {
    let isOpen = true;
    return {
      kind: 'taken',
      usd,
      settle(billed) {
        if (!isOpen) return;
        isOpen = false;
        const done: Promise<void> = settleAll(database)({ id, usd: billed })
          .catch(() => undefined)
          .finally(() => settling.delete(done));
        settling.add(done);
      },
    };
  }
}

/** As what notifications about it are of. */
const formatKey = (tenant: string): string => `tenant/${tenant}`;

interface Taking extends RunOfTenant {
  /** Of the reservation. */
  readonly id: string;
  readonly mostUsd: number;
  readonly leastUsd: number;
}

type Answer =
  | { readonly kind: 'taken'; readonly usd: number; readonly id: string }
  /** Calls in flight hold it. */
  | { readonly kind: 'later' }
  | EmptyPurse;

/** One connection of a process takes, as each waits for the lock of its tenant. */
const taking = perDatabase((database) =>
  groupCalls(
    (takings: readonly Taking[]) =>
      outlasting(database).transaction(async (run) => {
        const answers = new Map<Taking, Answer>();
        for (const [tenant, ofTenant] of byTenant(takings)) {
          await lockTenant(run, tenant);
          await run(FOLD, [tenant]);
          const [facts] = await run<MoneyFacts>(MONEY, [tenant]);
          if (facts !== undefined)
            for (const [one, answer] of shared(ofTenant, facts)) answers.set(one, answer);
        }
        await reserve(run, answers);
        return takings.map((one) => answers.get(one) ?? { kind: 'later' as const });
      }),
    { statements: 1 },
  ),
);

function byTenant(takings: readonly Taking[]): readonly (readonly [string, readonly Taking[]])[] {
  const tenants = [...new Set(takings.map(({ tenant }) => tenant))].toSorted();
  return tenants.map((tenant) => [tenant, takings.filter((one) => one.tenant === tenant)]);
}

interface MoneyFacts {
  /** null: the limit was removed while they run. */
  readonly limit: number | null;
  readonly spent: number;
  readonly held: number;
  readonly tomorrowMs: number;
}

/** As a strict budget decides, of one run after the other. */
function shared(takings: readonly Taking[], facts: MoneyFacts): readonly (readonly [Taking, Answer])[] {
  const { limit, spent, tomorrowMs } = facts;
  let { held } = facts;
  return takings.map((one) => {
    const { id, tenant, mostUsd, leastUsd } = one;
    const free = (limit ?? Number.POSITIVE_INFINITY) - spent;
    if (leastUsd > free)
      return [one, { kind: 'empty', why: noMoney(tenant, leastUsd, free, limit ?? 0), ...until(leastUsd) }];
    if (mostUsd > free - held && held > 0) return [one, { kind: 'later' }];
    const usd = Math.min(mostUsd, free);
    held += usd;
    return [one, { kind: 'taken', usd, id }];
  });

  /** What no day can pay is not waited for. */
  function until(usd: number): { readonly wakeAt?: number } {
    return limit !== null && usd > limit ? {} : { wakeAt: tomorrowMs };
  }
}

const noMoney = (tenant: string, usd: number, free: number, limit: number): string =>
  `${describeTenant(tenant)} may use $${limit} in a day (UTC), of which $${Math.max(0, free).toFixed(4)} is left, and this call may cost up to $${usd.toFixed(4)}.`;

async function reserve(run: RunStatement, answers: ReadonlyMap<Taking, Answer>): Promise<void> {
  const taken = [...answers].flatMap(([one, answer]) =>
    answer.kind === 'taken' ? [{ ...one, usd: answer.usd }] : [],
  );
  if (taken.length === 0) return;
  await run(RESERVE, [
    taken.map(({ id }) => id),
    taken.map(({ tenant }) => tenant),
    taken.map(({ sessionId }) => sessionId),
    taken.map((one) => one.run),
    taken.map(({ workerId }) => workerId),
    taken.map(({ usd }) => usd),
  ]);
}

/** Under its own id, so that a transaction that is repeated after its commit reserves once. */
const RESERVE = `
  insert into turnwright.reservations (reservation_id, tenant, day, session, run, worker, usd)
  select id, tenant, ${TODAY}, session, run, worker, usd
  from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::float8[])
    as g (id, tenant, session, run, worker, usd)
  on conflict do nothing`;

const MONEY = `
  select ${selectLimit('usd_per_day', '$1')} as limit, ${TOMORROW_MS} as "tomorrowMs",
    coalesce((select usd from turnwright.spending where tenant = $1 and day = ${TODAY}), 0) as spent,
    coalesce((select sum(usd) from turnwright.reservations where tenant = $1 and day = ${TODAY}), 0) as held`;

/** `gone`: reservations with what each was billed. Their rows go, and are part of what was spent. */
const intoSpending = (gone: string): string => `
  with gone as (${gone}),
  spent as (
    insert into turnwright.spending (tenant, day, usd)
    select tenant, day, sum(usd) from gone group by tenant, day order by tenant collate "C", day
    on conflict (tenant, day) do update set usd = spending.usd + excluded.usd
  )
  select pg_notify('turnwright', 'limit tenant/' || tenant) from (select distinct tenant from gone) t`;

/** Of runs that have ended, or have another worker: nothing will be given back. */
const FOLD = intoSpending(`
  delete from turnwright.reservations where reservation_id in (
    select reservation_id from turnwright.reservations r where tenant = $1 and not exists (
      select from turnwright.sessions s
      where s.session_id = r.session and s.run = r.run and s.worker = r.worker and s.state = 'running')
    for update skip locked)
  returning tenant, day, usd`);

const settleAll = perDatabase((database) => {
  const { run } = outlasting(database);
  return groupCalls(async (settled: readonly { readonly id: string; readonly usd: number }[]) => {
    await run(SETTLE, [settled.map(({ id }) => id), settled.map(({ usd }) => usd)]);
    return settled.map(() => undefined);
  });
});

const SETTLE = intoSpending(`
  delete from turnwright.reservations r using unnest($1::text[], $2::float8[]) as g (id, billed)
  where r.reservation_id = g.id returning r.tenant, r.day, g.billed as usd`);

/** What a run of a tenant without such a limit has cost, so that one that is set counts the whole day. */
export const recordSpending = (database: Statements, tenant: string, usd: number): Promise<void> =>
  recording(database)({ tenant, usd });

const recording = perDatabase(({ run }) =>
  groupCalls(async (spent: readonly { readonly tenant: string; readonly usd: number }[]) => {
    await run(
      `insert into turnwright.spending (tenant, day, usd)
       select tenant, ${TODAY}, sum(usd) from unnest($1::text[], $2::float8[]) as g (tenant, usd)
       group by tenant order by tenant collate "C"
       on conflict (tenant, day) do update set usd = spending.usd + excluded.usd`,
      [spent.map(({ tenant }) => tenant), spent.map(({ usd }) => usd)],
    );
    return spent.map(() => undefined);
  }),
);
