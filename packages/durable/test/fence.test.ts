/** A restore or a lossy fail-over sets a row back: its epoch is given out twice, to two owners. */

import type { JournalStore } from '@turnwright/engine/protocol/ports.ts';
import { openedDatabase, openedListener } from '@turnwright/test/durable/opened.ts';
import { expect, test } from 'vitest';
import type { Database } from '../src/index.ts';
import { createBlobStore } from '../src/postgres/blobs.ts';
import { takeInterrupts } from '../src/postgres/inbox-rows.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';
import { createOutbox } from '../src/postgres/outbox-rows.ts';
import { endRun, failRun } from '../src/postgres/runs.ts';
import { beginRun } from '../src/postgres/tenants/begin.ts';
import { openAsks } from '../src/recorded-asks.ts';

const SESSION = '11111111-1111-4111-8111-111111111111';
const WORKER = 'w';

interface Writer {
  readonly database: Database;
  readonly store: JournalStore;
  readonly owner: string;
  readonly epoch: number;
}

const prompt = {
  type: 'user' as const,
  uuid: '22222222-2222-4222-8222-222222222222',
  timestamp: '2026-01-01T00:00:00.000Z',
  submission: 's',
  message: { role: 'user' as const, content: 'Go.' },
};
const frame = (isKept: boolean) => [{ at: { seq: 0, n: 1 }, data: { isKept }, isKept }];
const endOf = ({ epoch, owner }: Writer) => ({ sessionId: SESSION, run: 1, workerId: WORKER, epoch, owner });
const asks = ({ database, ...own }: Writer) =>
  openAsks({
    database,
    listener: openedListener(database),
    sessionId: SESSION,
    own: () => own,
    onWaiting() {},
  });

/** Every write that only the owner of a session may make. */
const WRITES: readonly (readonly [string, (writer: Writer) => unknown])[] = [
  ['a record', ({ store, epoch }) => store.append(SESSION, epoch, 0, [prompt])],
  ...[true, false].map(
    (isKept) =>
      [
        `a message beside the journal, kept: ${isKept}`,
        ({ database, epoch, owner }: Writer) =>
          createOutbox(database, openedListener(database), owner).publish(SESSION, epoch, frame(isKept), 0),
      ] as const,
  ),
  ['the end of a run', (writer) => endRun(writer.database, { ...endOf(writer), taken: 0 })],
  [
    'the failure of a run',
    (writer) =>
      failRun(writer.database.run, { ...endOf(writer), error: 'e', retryMs: 1_000_000, fault: 'session' }),
  ],
  [
    'a blob',
    ({ database, ...own }) => createBlobStore(database, SESSION, () => own).put('k', Buffer.from('bytes')),
  ],
  [
    'that an interrupt was taken',
    ({ database, ...own }) => takeInterrupts(database, SESSION, ['interrupt'], own),
  ],
  [
    'a question',
    (writer) => {
      const { signal } = new AbortController();
      const asked = asks(writer).onElicitation?.(
        { serverName: 's', message: 'm', mode: 'form' },
        { signal, askId: 'ask' },
      );
      // Asked, or refused: nobody answers it.
      return Promise.race([asked, written(writer.database)]);
    },
  ],
];

const rowsOf = async ({ run }: Database): Promise<string> => {
  const tables = ['sessions', 'journal', 'messages', 'frames', 'blobs', 'interrupts', 'asks'];
  const rows = await Promise.all(
    tables.map((table) => run(`select to_jsonb(t) - 'updated_at' as row from turnwright.${table} t`)),
  );
  return JSON.stringify(rows);
};

async function written(database: Database): Promise<void> {
  while ((await database.run('select from turnwright.asks')).length === 0);
}

async function takenOver(database: Database, owner: string): Promise<Writer> {
  const store = await createJournalStore(database, { cwd: '/w', ownedBy: WORKER, owner });
  const { epoch } = await store.takeOver(SESSION);
  return { database, store, owner, epoch };
}

test.for(WRITES)('with the epoch of another owner, a former one does not write: %s', async ([, write]) => {
  const database = await openedDatabase();
  await database.run(`insert into turnwright.sessions (session_id, state, run) values ($1, 'queued', 1)`, [
    SESSION,
  ]);
  await database.run(`insert into turnwright.interrupts (session_id, key) values ($1, 'interrupt')`, [
    SESSION,
  ]);
  await beginRun(database, { sessionId: SESSION, run: 1, workerId: WORKER });
  const former = await takenOver(database, 'former');
  // What a copy of the moment before holds.
  await database.run('update turnwright.sessions set epoch = 0, owner = null');
  const later = await takenOver(database, 'later');
  expect(later.epoch).toBe(former.epoch);
  const before = await rowsOf(database);
  await Promise.resolve(write(former)).catch(() => undefined);
  expect(await rowsOf(database)).toBe(before);
  await write(later);
  expect(await rowsOf(database)).not.toBe(before);
});
