/** Limits of model requests that all workers keep together, on a virtual clock. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { Permit, Usage } from '@turnwright/engine';
import { openedDatabase, openedListener } from '@turnwright/test/durable/opened.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { type VirtualClock, virtualClock } from '@turnwright/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, setLimit } from '../src/index.ts';
import { EMPTY_BUCKET, grant } from '../src/postgres/admission/bucket.ts';
import { askForSlice } from '../src/postgres/admission/buckets.ts';
import { createSharedAdmission, type SharedAdmission } from '../src/postgres/admission/shared-admission.ts';
import { notify } from '../src/postgres/listener.ts';

const report = (figures: object): void => console.info(JSON.stringify(figures));

interface Fleet {
  readonly database: Database;
  readonly clock: VirtualClock;
  readonly workers: readonly SharedAdmission[];
  /** Waits for the server, then lets time pass. */
  advance(ms: number): Promise<void>;
}

async function fleet(count: number): Promise<Fleet> {
  const clock = virtualClock();
  const database = await openedDatabase();
  // It never takes a slow server for one that is away: a fleet that connects anew asks for its slices again.
  const listener = openedListener(database, { clock: { ...systemClock, timer: () => () => undefined } });
  let running = 0;
  const counted: Database = {
    ...database,
    transaction: (work) => {
      running += 1;
      return database.transaction(work).finally(() => {
        running -= 1;
      });
    },
  };
  const workers = Array.from({ length: count }, () => createSharedAdmission(counted, listener, { clock }));
  onTestFinished(() => {
    for (const worker of workers) worker.close();
  });
  // Notifications arrive in the order in which they were sent: once this one has, all of them have.
  const notified = () =>
    new Promise<void>((resolve, reject) => {
      const tell = () => void notify(database.run, 'lease', 'settled').catch(reject);
      const stop = listener.watch('lease', 'settled', (arrived) => {
        // It has only now begun to listen.
        if (arrived === undefined) return tell();
        stop();
        resolve();
      });
      tell();
    });
  const settled = async () => {
    do {
      await clock.settle();
      await notified();
      await clock.settle();
    } while (running > 0);
  };
  await settled();
  return {
    database,
    clock,
    workers,
    async advance(ms) {
      await settled();
      await clock.advance(ms);
      await settled();
    },
  };
}

const never = () => new AbortController().signal;
const need = { model: 'claude-sonnet-5', provider: 'anthropic', sessionId: 's1', foreground: true };
const usage = (input: number): Usage => ({
  input_tokens: input,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

/** The most that any window of 60 s saw. */
function mostInAMinute(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((end, at) => at + 1 - sorted.findIndex((time) => time > end - 60_000)));
}

test('D12: 3 workers keep 50 requests per minute together, and two tenants get their share', async () => {
  const { database, clock, workers, advance } = await fleet(3);
  await setLimit(database, { kind: 'provider', name: 'anthropic' }, { requestsPerMinute: 50 });
  const sent: { readonly tenant: string; readonly ms: number }[] = [];
  // The large tenant asks for nine times as much, on two of three workers, and begins earlier.
  const callers = [
    ...Array.from({ length: 12 }, (_, at) => ({ tenant: 'large', worker: at % 3, fromMs: 0 })),
    ...Array.from({ length: 24 }, () => ({ tenant: 'large', worker: 0, fromMs: 0 })),
    ...Array.from({ length: 4 }, () => ({ tenant: 'small', worker: 2, fromMs: 20_000 })),
  ];
  const minutes = inShortAndLongForm(3, 10);
  const endMs = clock.monotonicMs() + minutes * 60_000;
  for (const { tenant, worker, fromMs } of callers) {
    void (async () => {
      await clock.sleep(fromMs);
      while (clock.monotonicMs() < endMs) {
        const permit = await (workers[worker] as SharedAdmission).of(tenant).acquire(need, never());
        sent.push({ tenant, ms: clock.monotonicMs() });
        await clock.sleep(3_000);
        permit.settle(usage(10));
      }
    })();
  }
  for (let ms = 0; ms < minutes * 60_000; ms += 250) await advance(250);

  const times = sent.map(({ ms }) => ms);
  expect(mostInAMinute(times)).toBeLessThanOrEqual(50);
  // The burst and the second that a grant may be kept cost a little of the limit.
  expect(times.length).toBeGreaterThan(minutes * 50 * 0.9);
  const shared = sent.filter(({ ms }) => ms >= 30_000);
  const ofSmall = shared.filter(({ tenant }) => tenant === 'small').length / shared.length;
  expect(ofSmall).toBeGreaterThanOrEqual(0.4);
  expect(ofSmall).toBeLessThanOrEqual(0.6);
  report({
    ...{ test: 'D12', minutes, requests: times.length, mostInAMinute: mostInAMinute(times) },
    shareOfSmallTenant: Math.round(ofSmall * 1_000) / 1_000,
  });
}, 300_000);

test('a pause that one worker was asked for holds for all, and a long one is handed on', async () => {
  const { workers, advance } = await fleet(2);
  const [one, two] = workers.map((worker) => worker.of('t')) as [
    ReturnType<SharedAdmission['of']>,
    ReturnType<SharedAdmission['of']>,
  ];
  const admitted: string[] = [];
  const acquire = async (name: string, from: typeof one): Promise<Permit> => {
    const permit = await from.acquire(need, never());
    admitted.push(name);
    return permit;
  };
  const first = acquire('first', one);
  await advance(0);
  (await first).settle(undefined, { 'retry-after': '5' }, 5_000);
  await advance(0);
  const waiting = [acquire('of one', one), acquire('of two', two)];
  await advance(4_000);
  expect(admitted).toEqual(['first']);
  await advance(2_000);
  await Promise.all(waiting);
  expect(admitted).toHaveLength(3);

  (await (waiting[0] as Promise<Permit>)).settle(undefined, {}, 3_600_000);
  await advance(0);
  const postponed = two.acquire(need, never());
  await advance(1_000);
  expect((await postponed).retryAfterMs).toBeGreaterThan(3_500_000);
});

test('a tenant has a limit of its own, within that of the provider', async () => {
  const { database, workers, advance } = await fleet(1);
  await setLimit(database, { kind: 'tenant', name: '*' }, { requestsPerMinute: 20 });
  await setLimit(database, { kind: 'tenant', name: 'vip' }, { requestsPerMinute: 400 });
  const admitted: Record<string, number> = {};
  for (const tenant of ['a', 'b', 'vip']) {
    for (let n = 0; n < 100; n++) {
      void (workers[0] as SharedAdmission)
        .of(tenant)
        .acquire(need, never())
        .then(() => {
          admitted[tenant] = (admitted[tenant] ?? 0) + 1;
        });
    }
  }
  for (let seconds = 0; seconds < 59; seconds++) await advance(1_000);
  expect(admitted['vip']).toBe(100);
  for (const tenant of ['a', 'b']) {
    expect(admitted[tenant]).toBeGreaterThan(17);
    expect(admitted[tenant]).toBeLessThanOrEqual(20);
  }
});

test('tokens beyond the estimate are taken from what follows, and those that were not used come back', async () => {
  const { database, workers, advance } = await fleet(1);
  await setLimit(database, { kind: 'provider', name: 'anthropic' }, { tokensPerMinute: 60_000 });
  const admission = (workers[0] as SharedAdmission).of('t');
  const acquired = async (tokens: number) => {
    let permit: Permit | undefined;
    void admission.acquire({ ...need, tokens }, never()).then((got) => {
      permit = got;
    });
    let seconds = 0;
    for (await advance(0); permit === undefined; seconds++) await advance(1_000);
    return { permit, seconds };
  };
  // The burst is 3,000 tokens, and 57,000 per 61 s follow.
  const cached = await acquired(3_000);
  expect(cached.seconds).toBe(0);
  cached.permit.settle(usage(0));
  const again = await acquired(3_000);
  expect(again.seconds).toBe(0);
  again.permit.settle(usage(12_000));
  const late = await acquired(1_000);
  expect(late.seconds).toBeGreaterThanOrEqual(10);
  expect(late.seconds).toBeLessThanOrEqual(13);
});

test('a limit that is set reaches workers that had none, and one that makes no sense is refused', async () => {
  const { database, workers, advance } = await fleet(1);
  const admission = (workers[0] as SharedAdmission).of('t');
  let admitted = 0;
  const acquireMany = () => {
    for (let n = 0; n < 30; n++)
      void admission.acquire(need, never()).then(() => {
        admitted += 1;
      });
  };
  acquireMany();
  await advance(100);
  expect(admitted).toBe(30);
  await setLimit(database, { kind: 'provider', name: '*' }, { requestsPerMinute: 60 });
  await advance(0);
  acquireMany();
  await advance(0);
  expect(admitted).toBeLessThan(60);
  await expect(setLimit(database, { kind: 'provider', name: 'x' }, { requestsPerMinute: 0 })).rejects.toThrow(
    'must be a positive whole number',
  );
});

test('whatever tenants and workers ask for, no window of 60 s sees more than the limit', () => {
  const asks = fc.array(
    fc.record({
      worker: fc.constantFrom('w1', 'w2', 'w3'),
      tenant: fc.constantFrom('a', 'b', 'c'),
      requests: fc.integer({ min: 1, max: 40 }),
      passedMs: fc.integer({ min: 0, max: 4_000 }),
    }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(asks, fc.integer({ min: 1, max: 600 }), (made, requestsPerMinute) => {
      let state = EMPTY_BUCKET;
      let nowMs = 1_000_000;
      const granted: number[] = [];
      for (const { worker, tenant, requests, passedMs } of made) {
        nowMs += passedMs;
        const wanted = new Map([[tenant, { requests, tokens: 0 }]]);
        const outcome = grant(state, { requestsPerMinute }, { worker, nowMs, wanted });
        state = outcome.state;
        // The last moment at which it may be used, or the first.
        for (let n = 0; n < (outcome.granted.get(tenant)?.requests ?? 0); n++)
          granted.push(nowMs + (n % 2) * 999);
      }
      return mostInAMinute(granted) <= requestsPerMinute;
    }),
  );
});

test('a figure of a tenant leaves the other one of each tenant in force', async () => {
  const database = await openedDatabase();
  await setLimit(database, { kind: 'tenant', name: '*' }, { tokensPerMinute: 1_200 });
  await setLimit(database, { kind: 'tenant', name: 'a' }, { requestsPerMinute: 600 });
  const ask = () =>
    database.transaction((run) =>
      askForSlice(run, {
        provider: 'anthropic',
        worker: 'w',
        wanted: new Map([['a', { requests: 2, tokens: 2_000 }]]),
        returned: new Map(),
        nowMs: 1_000_000,
      }),
    );
  const granted = async () => {
    const slice = (await ask()).granted;
    return slice === 'unlimited' ? slice : (slice.get('a')?.requests ?? 0);
  };
  // The first ones leave the tokens in debt.
  expect([await granted(), await granted()]).toEqual([2, 0]);
});
