/**
 * R13: a host's session store that refuses, is slow, hangs, or stores an entry and refuses nevertheless, for a moment or
 * for longer than any attempt. Once it works again the copy has every entry once and in order. And the checks for
 * stores, on ours.
 */
import { InMemorySessionStore } from '@turnwright/engine';
import type { SessionStoreEntry } from '@turnwright/engine/protocol/session/session-store.ts';
import { seededRandom, sessionStoreChecks, virtualClock } from '@turnwright/testing';
import { createStoreMirror } from '../../../packages/engine/src/session/host-store/store-mirror.ts';
import { row } from '../row.ts';

interface Case {
  readonly seed: number;
}

const KEYS = ['', 'subagents/agent-1'].map((subpath) => ({
  projectKey: '-work',
  sessionId: '0e4b1c52-58f3-4c13-9d2e-1f00a3b5c7d9',
  ...(subpath !== '' && { subpath }),
}));

row('R13', async ({ figures, size, seed, replay, corpus, keep }) => {
  const failedChecks: string[] = [];
  const checks = sessionStoreChecks(async () => ({ store: new InMemorySessionStore() }));
  for (const { name, run } of checks)
    await run().catch((error: unknown) => failedChecks.push(`${name}: ${error}`));

  const lost: string[] = [];
  const silent: string[] = [];
  const totals = { faults: 0, batches: 0 };
  let outages = 0;
  const cases: Case[] = replay
    ? [{ seed }]
    : [...corpus<Case>(), ...Array.from({ length: size(50, 2000) }, (_, n) => ({ seed: seed + n }))];
  for (const one of cases) {
    for (const isOutage of [false, true]) {
      const { missing, named, outages: behind, faults, batches } = await mirrored(one.seed, isOutage);
      outages += behind;
      if (behind > 0 && named === 0) silent.push(`seed ${one.seed}`);
      totals.faults += faults;
      totals.batches += batches;
      const where = `seed ${one.seed}: ${missing.slice(0, 5)}`;
      if (missing.length === 0) continue;
      lost.push(where);
      keep(one);
    }
  }
  figures.atLeast('checks of a store', checks.length, 8);
  figures.none('checks that our store fails', failedChecks);
  figures.atLeast('batches appended', totals.batches, size(1000, 40_000));
  figures.atLeast('faults of the store', totals.faults, size(500, 20_000));
  figures.atLeast('outages longer than the attempts at one batch', outages, size(50, 2_000));
  figures.none('entries missing, twice or out of order once the store works again', lost);
  figures.none('outages without a word', silent);
});

/** A session whose store fails up to two times in a row; in an outage, longer than a batch is tried. */
async function mirrored(seed: number, isOutage: boolean) {
  const random = seededRandom(seed);
  const clock = virtualClock();
  const store = new InMemorySessionStore();
  let inARow = 0;
  let faults = 0;
  let batches = 0;
  let named = 0;
  let outages = 0;
  let isOver = false;
  const pushed = KEYS.map((): SessionStoreEntry[] => []);
  const mirror = createStoreMirror({
    store: {
      load: (key) => store.load(key),
      async append(key, entries) {
        const fault = isOver ? 1 : random();
        // Up to longer than a call may take.
        if (!isOver && random() < 0.2) await clock.sleep(Math.floor(random() * (isOutage ? 90_000 : 20_000)));
        const fails = fault < (isOutage ? 0.8 : 0.5) && (isOutage || inARow < 2);
        inARow = fails ? inARow + 1 : 0;
        // A fault after the entries are stored: the next attempt brings them again.
        if (!fails || fault < 0.2) await store.append(key, entries);
        if (!fails) return;
        faults++;
        throw new Error('The store has failed.');
      },
    },
    flush: seed % 2 === 0 ? 'batched' : 'eager',
    clock,
    async *entriesAfter({ subpath = '' }, after) {
      // As a file is read: what it has now, in parts.
      const rest = (pushed[subpath === '' ? 0 : 1] ?? []).filter(({ seq }) => Number(seq) > after);
      for (let at = 0; at < rest.length; at += 7) yield rest.slice(at, Math.min(at + 7, rest.length));
    },
    onBehind: (acknowledged) => {
      if (Object.keys(acknowledged).length > 0) outages++;
    },
    onError: () => {
      named++;
    },
  });
  for (let n = 0; n < 30; n++) {
    const which = Math.floor(random() * KEYS.length);
    const entries = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, at) => ({
      type: 'user',
      uuid: `u-${n}-${at}`,
      seq: (pushed[which]?.length ?? 0) + 1 + at,
    }));
    pushed[which]?.push(...entries);
    mirror.push(KEYS[which] as (typeof KEYS)[number], entries);
    batches++;
    if (random() < 0.3) await clock.advance(Math.floor(random() * 400));
  }
  if (random() < 0.5) await clock.advance(Math.floor(random() * 300_000));
  isOver = true;
  let isDone = false;
  void mirror.close().then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 2000 && !isDone; turn++) await clock.advance(1000);
  const missing: string[] = isDone ? [] : ['the flush does not end'];
  for (const [index, key] of KEYS.entries()) {
    const stored = ((await store.load(key)) ?? []).map(({ uuid }) => uuid);
    const expected = (pushed[index] ?? []).map(({ uuid }) => uuid);
    if (JSON.stringify(stored) !== JSON.stringify(expected))
      missing.push(
        ...expected.filter((uuid) => !stored.includes(uuid)).map(String),
        `order of ${stored.length}`,
      );
  }
  return { missing, named, outages, faults, batches };
}
