/** The shipped checks of each port on the adapters that are here, and on adapters that break a promise. */
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { CWD, fixedClock } from '@turnwright/test/session/sample-journal.ts';
import {
  admissionChecks,
  blobStoreChecks,
  type Check,
  inboxChecks,
  journalStoreChecks,
  leaseStoreChecks,
  type Opened,
  type OutboxAndJournal,
  outboxChecks,
  sessionStoreChecks,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { InMemorySessionStore } from '../../src/index.ts';
import type { JournalStore } from '../../src/protocol/ports.ts';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
} from '../../src/protocol/session/session-store.ts';
import { createAdmission } from '../../src/session/in-process/admission.ts';
import { createFileBlobStore, createMemoryBlobStore } from '../../src/session/in-process/blob-store.ts';
import { createMemoryInbox } from '../../src/session/in-process/inbox.ts';
import { createMemoryLeaseStore } from '../../src/session/in-process/lease-store.ts';
import { createMemoryOutbox } from '../../src/session/in-process/outbox.ts';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';
import { createMemoryJournalStore } from '../../src/session/journal/memory-store.ts';
import { createFileLeaseStore } from '../../src/session/lease/lease.ts';
import { tempDir } from './temp-dir.ts';

const inMemory = () => createMemoryJournalStore({ cwd: CWD, clock: fixedClock });

async function inFolder<T>(make: (directory: string) => T): Promise<Opened<T>> {
  const { path, dispose } = await tempDir();
  return { store: make(join(path, 'projects', '-work-project')), dispose };
}

function besides(store: JournalStore): OutboxAndJournal {
  const outbox = createMemoryOutbox(store);
  return { outbox, journal: outbox.journal };
}

const ADAPTERS: Readonly<Record<string, readonly Check[]>> = {
  'memory journal': journalStoreChecks(async () => ({ store: inMemory() })),
  ...Object.fromEntries(
    (['process', 'power'] as const).map((durability) => [
      `file journal (${durability})`,
      journalStoreChecks(() =>
        inFolder((directory) =>
          createFileJournalStore({ files: nodeFiles, directory, cwd: CWD, clock: fixedClock, durability }),
        ),
      ),
    ]),
  ),
  'memory session store': sessionStoreChecks(async () => ({ store: new InMemorySessionStore() })),
  'memory lease': leaseStoreChecks(async () => ({ store: createMemoryLeaseStore() })),
  'file lease': leaseStoreChecks(() =>
    inFolder((directory) => createFileLeaseStore({ files: nodeFiles, directory, clock: systemClock })),
  ),
  'admission of a process': admissionChecks(async () => ({ store: createAdmission({ maxConcurrent: 1 }) })),
  'memory outbox': outboxChecks(async () => ({ store: besides(inMemory()) })),
  'memory outbox over files': outboxChecks(() =>
    inFolder((directory) =>
      besides(
        createFileJournalStore({
          files: nodeFiles,
          directory,
          cwd: CWD,
          clock: fixedClock,
          durability: 'process',
        }),
      ),
    ),
  ),
  'memory inbox': inboxChecks(async () => ({ store: createMemoryInbox() })),
  'memory blobs': blobStoreChecks(async () => ({ store: createMemoryBlobStore() })),
  'file blobs': blobStoreChecks(() =>
    inFolder((directory) => createFileBlobStore({ files: nodeFiles, directory })),
  ),
};

/** The check that appends 65 MB. */
const appendsMuch = ({ name }: Check) => name.endsWith('whole or not at all');

for (const [adapter, checks] of Object.entries(ADAPTERS)) {
  // In the short form, one journal of three appends that much.
  const isShort = inForm(adapter !== 'file journal (process)', false);
  describe(adapter, () => {
    for (const check of checks) if (!isShort || !appendsMuch(check)) it(check.name, check.run);
  });
}

/** Names of the checks that an adapter fails. */
async function failures(checks: readonly Check[]): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { name, run } of checks) await run().catch(() => failed.push(name));
  return failed;
}

describe('F128 adapters that break a promise are reported', () => {
  /** In the short form without the check that appends 65 MB: none of these breaks it. */
  const journal = (broken: (store: JournalStore) => Partial<JournalStore>) =>
    failures(
      journalStoreChecks(async () => {
        const store = inMemory();
        return { store: { ...store, ...broken(store) } };
      }).filter((check) => inForm(!appendsMuch(check), true)),
    );

  it('a slow one passes', async () => {
    const slow = await journal((store) => {
      // One after another, as a store behind a network would.
      let last: Promise<unknown> = Promise.resolve();
      return {
        append: (...call) => {
          const entries = structuredCloneable(call[3]) ? structuredClone(call[3]) : call[3];
          const next = last.then(async () => {
            for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
            return store.append(call[0], call[1], call[2], entries);
          });
          last = next.catch(() => undefined);
          return next;
        },
      };
    });
    expect(slow).toEqual([]);
  });

  it('an append that fails half-way, one that lands twice, one that is not fenced, a read out of order', async () => {
    let calls = 0;
    expect(
      await journal((store) => ({
        append: async (...call) => {
          calls += 1;
          if (calls % 2 === 0) throw new Error('no');
          return store.append(...call);
        },
      })),
    ).not.toEqual([]);
    const twice = await journal((store) => {
      let head = 0;
      return {
        async append(id, epoch, _after, entries) {
          const outcome = await store.append(id, epoch, head, entries);
          if ('seq' in outcome) head = outcome.seq;
          return outcome;
        },
      };
    });
    expect(twice).toContain('journal store: an append that is made twice lands once');
    const unfenced = await journal((store) => ({
      append: (id, _epoch, after, entries) => store.append(id, 2, after, entries),
    }));
    expect(unfenced).toContain('journal store: fences every earlier epoch');
    const shuffled = await journal((store) => ({
      async *read(id, fromSeq) {
        const entries = [];
        for await (const entry of store.read(id, fromSeq)) entries.unshift(entry);
        yield* entries;
      },
    }));
    expect(shuffled).toContain('journal store: keeps the order of appends that were not waited for');
  });

  it('a session store that takes entries twice, mixes tenants, or loses the order', async () => {
    const session = (broken: (store: InMemorySessionStore) => Partial<SessionStore>) =>
      failures(
        sessionStoreChecks(async () => {
          const store = new InMemorySessionStore();
          return {
            store: { append: (k, e) => store.append(k, e), load: (k) => store.load(k), ...broken(store) },
          };
        }),
      );
    expect(
      await session((store) => ({
        append: (key, entries) =>
          store.append(
            key,
            entries.map(({ uuid: _, ...entry }) => entry),
          ),
      })),
    ).toContain('session store: loses nothing behind an entry that comes twice, be it kept once or twice');
    const anyTenant = { projectKey: 'all' };
    expect(
      await session((store) => ({
        append: (key, entries) => store.append({ ...key, ...anyTenant }, entries),
        load: (key) => store.load({ ...key, ...anyTenant }),
      })),
    ).toEqual(['session store: keeps projects, sessions and subagents apart']);
    expect(
      await session((store) => ({ load: async (key) => (await store.load(key))?.reverse() ?? null })),
    ).toContain('session store: keeps the order of appends');
  });
});

it('a store that only appends passes the checks', async () => {
  const plain = async () => {
    const kept = new Map<string, SessionStoreEntry[]>();
    const idOf = ({ projectKey, sessionId, subpath = '' }: SessionKey) =>
      [projectKey, sessionId, subpath].join('|');
    const store: SessionStore = {
      append: async (key, entries) => void kept.set(idOf(key), [...(kept.get(idOf(key)) ?? []), ...entries]),
      load: async (key) => kept.get(idOf(key)) ?? null,
    };
    return { store };
  };
  expect(await failures(sessionStoreChecks(plain))).toEqual([]);
});

function structuredCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}
