/** The server goes away in the middle of appends, and comes back: what was acknowledged is there, once. */

import type { JournalBody, JournalStore } from '@turnwright/engine';
import {
  type Cluster,
  movableAddress,
  newDatabase,
  startCluster,
  startStandby,
} from '@turnwright/test/durable/cluster.ts';
import { openedDatabase } from '@turnwright/test/durable/opened.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createJournalStore } from '../src/postgres/journal-rows.ts';
import { startProxy } from './socket-proxy.ts';

function cluster(): Cluster {
  const started = startCluster();
  onTestFinished(started.stop);
  return started;
}

const named = (n: number): JournalBody => ({
  type: 'custom-title',
  id: `t${n}`,
  submission: 's1',
  customTitle: `title ${n}`,
});

/** Appends one record after the other until it is stopped; `stop` returns how many were acknowledged. */
function appending(store: JournalStore, sessionId: string): { stop(): Promise<number> } {
  let stopped = false;
  const done = (async () => {
    const { epoch } = await store.takeOver(sessionId);
    for (let n = 0; ; n++) {
      if (stopped) return n;
      expect(await store.append(sessionId, epoch, n, [named(n)])).toEqual({ seq: n + 1 });
    }
  })();
  return {
    stop() {
      stopped = true;
      return done;
    },
  };
}

async function recorded(store: JournalStore, sessionId: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const entry of store.read(sessionId)) if ('id' in entry) ids.push(entry.id);
  return ids;
}

const expected = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('D4: appends wait while the server restarts after a crash; none is lost, none is there twice', async () => {
  const server = cluster();
  const store = await createJournalStore(await openedDatabase(newDatabase(server.socketFolder)), {
    cwd: '/work',
  });
  const sessions = ['s1', 's2', 's3'].map((id) => ({ id, ...appending(store, id) }));
  for (let crashes = 0; crashes < 3; crashes++) {
    await later(100);
    server.crash();
    await later(200);
    server.restart();
  }
  await later(100);
  for (const { id, stop } of sessions) {
    const acknowledged = await stop();
    expect(acknowledged).toBeGreaterThan(0);
    expect(await recorded(store, id)).toEqual(expected(acknowledged));
  }
});

test('D4: a synchronous standby that takes over has every acknowledged record', async () => {
  const primary = cluster();
  const address = movableAddress(primary);
  onTestFinished(address.remove);
  const store = await createJournalStore(await openedDatabase(newDatabase(address.socketFolder)), {
    cwd: '/work',
  });
  const standby = startStandby(primary);
  onTestFinished(standby.stop);
  const session = appending(store, 's1');
  await later(200);
  primary.crash();
  address.pointTo(standby);
  // Until it is promoted it refuses to write.
  await later(300);
  standby.promote();
  await later(300);
  const acknowledged = await session.stop();
  expect(acknowledged).toBeGreaterThan(0);
  expect(await recorded(store, 's1')).toEqual(expected(acknowledged));
});

test('connections without any answer are given up: appends continue over new ones', async () => {
  const proxy = await startProxy(newDatabase(), onTestFinished);
  const store = await createJournalStore(await openedDatabase(proxy.url, { answerMs: 500 }), {
    cwd: '/work',
  });
  const session = appending(store, 's1');
  await later(200);
  proxy.forget();
  await later(1_500);
  const acknowledged = await session.stop();
  expect(await recorded(store, 's1')).toEqual(expected(acknowledged));
});

test('statements wait for a connection that is free; a wait that is too long is not called an outage of the server', async () => {
  const database = await openedDatabase(newDatabase(), { connections: 1, waitMs: 700 });
  const slow = () => database.run('select pg_sleep(0.3)');
  await Promise.all([slow(), slow()]);
  await expect(Promise.all(Array.from({ length: 4 }, slow))).rejects.toThrow(
    /^No connection of this process to .* became free/,
  );
});
