/** The adapters on Postgres meet the checks that every adapter must meet. */
import { afterAll, describe, it } from 'vitest';
import {
  createBlobStore,
  createInbox,
  createJournalStore,
  createListener,
  migrate,
  openDatabase,
} from '../../src/durable/index.ts';
import { blobStoreChecks, type Check, inboxChecks, journalStoreChecks } from '../../src/testing/index.ts';
import { newDatabase } from './cluster.ts';

const database = await openDatabase({ url: newDatabase() });
await migrate(database);
afterAll(() => database.close());

/** Each check begins with empty tables. */
const emptied = async () => {
  await database.run(
    `truncate turnwright.sessions, turnwright.journal, turnwright.snapshots, turnwright.inbox, turnwright.blobs`,
  );
};

const checks: readonly Check[] = [
  ...journalStoreChecks(async () => {
    await emptied();
    return { store: await createJournalStore(database, { cwd: '/work' }) };
  }),
  ...inboxChecks(async () => {
    await emptied();
    const listener = createListener(database);
    return { store: createInbox(database, listener), dispose: () => listener.close() };
  }),
  ...blobStoreChecks(async () => {
    await emptied();
    return { store: createBlobStore(database, 's') };
  }),
];

describe('Postgres', () => {
  for (const check of checks) it(check.name, check.run);
});
