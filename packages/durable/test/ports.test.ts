/** The adapters on Postgres meet the checks that every adapter must meet. */

import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import {
  admissionChecks,
  blobStoreChecks,
  type Check,
  inboxChecks,
  journalStoreChecks,
  leaseStoreChecks,
  outboxChecks,
} from '@turnwright/testing';
import { afterAll, describe, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { createSharedAdmission } from '../src/postgres/admission/shared-admission.ts';
import { createBlobStore } from '../src/postgres/blobs.ts';
import { createInbox } from '../src/postgres/inbox-rows.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';
import { createLeaseStore } from '../src/postgres/leases.ts';
import { createListener } from '../src/postgres/listener.ts';
import { createOutbox } from '../src/postgres/outbox-rows.ts';
import { migrate } from '../src/postgres/tables/migrations.ts';

const database = await openDatabase({ url: newDatabase() });
await migrate(database);
afterAll(() => database.close());

const { signal: alive } = new AbortController();

/** Each check begins with empty tables. */
const emptied = async () => {
  await database.run(
    `truncate turnwright.sessions, turnwright.journal, turnwright.snapshots, turnwright.inbox, turnwright.blobs,
     turnwright.messages, turnwright.frames, turnwright.followers, turnwright.limits, turnwright.buckets`,
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
  ...admissionChecks(async () => {
    await emptied();
    const listener = createListener(database);
    const admission = createSharedAdmission(database, listener, { maxConcurrent: 1 });
    const dispose = async () => {
      admission.close();
      await listener.close();
    };
    return { store: admission.of('tenant'), dispose };
  }),
  ...outboxChecks(async () => {
    await emptied();
    const listener = createListener(database);
    const journal = await createJournalStore(database, { cwd: '/work', owner: 'o' });
    return {
      store: { outbox: createOutbox(database, listener, 'o'), journal },
      dispose: () => listener.close(),
    };
  }),
  ...leaseStoreChecks(async () => {
    await emptied();
    const listener = createListener(database);
    const leases = createLeaseStore(database, listener, { workerId: 'w', life: async () => alive });
    return { store: leases, dispose: () => listener.close() };
  }),
  ...blobStoreChecks(async () => {
    await emptied();
    return { store: createBlobStore(database, 's') };
  }),
];

describe('Postgres', () => {
  for (const check of checks) it(check.name, check.run);
});
