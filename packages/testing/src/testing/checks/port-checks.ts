/** Requirements of the smaller ports: leases, inboxes, admission, blobs. */
import { DEFAULT_PROVIDER } from '@turnwright/engine/protocol/model/provider.ts';
import type {
  Admission,
  AdmissionNeed,
  BlobStore,
  Inbox,
  LeaseStore,
} from '@turnwright/engine/protocol/ports.ts';
import { type Check, createCheck, type Open } from './check.ts';
import { equal, refuses } from './demand.ts';

/** The contract of a `LeaseStore`, as checks for any test runner. */
export function leaseStoreChecks(open: Open<LeaseStore>): readonly Check[] {
  const check = createCheck(open);
  return [
    check('lease: one owner at a time, the next one after it', async (store) => {
      const lease = await store.acquire('s');
      equal(lease.signal.aborted, false);
      await refuses(() => store.acquire('s'), 'session_in_use');
      await (await store.acquire('other')).release();
      await lease.release();
      await lease.release();
      await (await store.acquire('s')).release();
    }),
    check('lease: one that was taken over is not given back by its former owner', async (store) => {
      const former = await store.acquire('s');
      const owner = await store.acquire('s', { takeOver: true });
      await former.release();
      await refuses(() => store.acquire('s'), 'session_in_use');
      await owner.release();
    }),
  ];
}

/** The contract of an `Inbox`, as checks for any test runner. */
export function inboxChecks(open: Open<Inbox>): readonly Check[] {
  const check = createCheck(open);
  const item = (key: string) => ({ key, priority: 'next' as const, content: key });
  return [
    check('inbox: items are numbered from 1, and a key is taken once', async (inbox) => {
      equal(await inbox.put('s', item('a')), { n: 1, fresh: true });
      equal(await inbox.put('s', item('b')), { n: 2, fresh: true });
      equal(await inbox.put('s', item('a')), { n: 1, fresh: false });
      equal(
        (await inbox.after('s', 1)).map(({ key, n }) => [key, n]),
        [['b', 2]],
      );
      equal(await inbox.after('other', 0), []);
    }),
    check('inbox: wakes for puts, also those made between two waits, and ends on abort', async (inbox) => {
      const controller = new AbortController();
      const wakes = inbox.wake('s', controller.signal)[Symbol.asyncIterator]();
      const first = wakes.next();
      await inbox.put('s', item('a'));
      equal((await first).done ?? false, false);
      await inbox.put('s', item('b'));
      equal((await wakes.next()).done ?? false, false);
      controller.abort();
      // It may wake without a reason before it ends.
      while ((await wakes.next()).done !== true);
    }),
  ];
}

/** The contract of an `Admission` that admits one call at a time, as checks for any test runner. */
export function admissionChecks(open: Open<Admission>): readonly Check[] {
  const check = createCheck(open);
  const need = (foreground: boolean): AdmissionNeed => ({
    model: 'claude-sonnet-5',
    provider: DEFAULT_PROVIDER,
    sessionId: 's',
    foreground,
    tokens: 100,
  });
  const { signal } = new AbortController();
  return [
    check('admission: one call after the other, those that are waited for first', async (admission) => {
      const first = await admission.acquire(need(true), signal);
      const order: string[] = [];
      const admitted = async (name: string, foreground: boolean) => {
        const permit = await admission.acquire(need(foreground), signal);
        order.push(name);
        permit.settle(undefined);
      };
      const both = [admitted('background', false), admitted('foreground', true)];
      equal(order, []);
      first.settle(undefined);
      await Promise.all(both);
      equal(order, ['foreground', 'background']);
    }),
    check('admission: a call that is settled twice makes room once', async (admission) => {
      const first = await admission.acquire(need(true), signal);
      first.settle(undefined);
      first.settle(undefined);
      const second = await admission.acquire(need(true), signal);
      let isThird = false;
      const third = admission.acquire(need(true), signal).then((permit) => {
        isThird = true;
        permit.settle(undefined);
      });
      equal(isThird, false);
      second.settle(undefined);
      await third;
    }),
    check('admission: waiting ends on abort, with its reason, and takes no place', async (admission) => {
      const first = await admission.acquire(need(true), signal);
      const controller = new AbortController();
      const waiting = admission.acquire(need(true), controller.signal);
      controller.abort('gone');
      const outcomes = await Promise.allSettled([waiting, admission.acquire(need(true), controller.signal)]);
      equal(
        outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason),
        ['gone', 'gone'],
      );
      first.settle(undefined);
      (await admission.acquire(need(true), signal)).settle(undefined);
    }),
  ];
}

/** The contract of a `BlobStore`, as checks for any test runner. */
export function blobStoreChecks(open: Open<BlobStore>): readonly Check[] {
  const check = createCheck(open);
  const bytes = (...values: number[]) => Uint8Array.from(values);
  return [
    check('blobs: come back byte for byte, and the same key replaces', async (store) => {
      await store.put('a', bytes(0, 255, 10));
      equal(Uint8Array.from(await store.get('a')), bytes(0, 255, 10));
      await store.put('a', bytes(1));
      equal(Uint8Array.from(await store.get('a')), bytes(1));
    }),
    check('blobs: are not changed by what the caller does to its bytes afterwards', async (store) => {
      const mine = bytes(1, 2);
      await store.put('a', mine);
      mine[0] = 9;
      equal(Uint8Array.from(await store.get('a')), bytes(1, 2));
    }),
    check('blobs: odd keys are kept apart; a missing one is refused', async (store) => {
      for (const [n, key] of ['../a', 'a', 'a/b', 'A', ''].entries()) await store.put(key, bytes(n));
      for (const [n, key] of ['../a', 'a', 'a/b', 'A', ''].entries())
        equal(Uint8Array.from(await store.get(key)), bytes(n));
      await refuses(() => store.get('none'), 'storage_error');
    }),
  ];
}
