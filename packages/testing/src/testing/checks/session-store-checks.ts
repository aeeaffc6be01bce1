/**
 * Requirements of a host's `SessionStore` (F128, F130). Optional methods that it does not have are not
 * checked.
 */
import type { SessionStore, SessionStoreEntry } from '@turnwright/engine/protocol/session/session-store.ts';
import { type Check, createCheck, type Open } from './check.ts';
import { equal, holds } from './demand.ts';

const key = { projectKey: '-work-project', sessionId: '0e4b1c52-58f3-4c13-9d2e-1f00a3b5c7d9' };
const AGENT = 'subagents/agent-a1';

const entry = (n: number, more: object = {}): SessionStoreEntry => ({
  type: 'user',
  uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  timestamp: '2026-01-01T00:00:00.000Z',
  ...more,
});

/**
 * The contract of a `SessionStore`, as checks for any test runner. Missing optional methods are not checked.
 */
export function sessionStoreChecks(open: Open<SessionStore>): readonly Check[] {
  const check = createCheck(open);
  const titled = (name: string, run: (store: SessionStore) => Promise<void>) =>
    check(`session store: ${name}`, run);
  return [
    titled('loads null for what was never written', async (store) => {
      equal(await store.load(key), null);
    }),

    titled('gives back what was appended, deeply equal and in order', async (store) => {
      const odd = entry(1, { deep: { list: [1, null, { text: 'é\u2028\ud83d\ude00"\\' }], none: {} } });
      await store.append(key, [odd, { type: 'tag', tag: '' }]);
      await store.append(key, [entry(2)]);
      equal(await store.load(key), [odd, { type: 'tag', tag: '' }, entry(2)]);
    }),

    titled('keeps the order of appends', async (store) => {
      const numbers = Array.from({ length: 30 }, (_, n) => n);
      for (const n of numbers) await store.append(key, [entry(n)]);
      equal(
        await store.load(key),
        numbers.map((n) => entry(n)),
      );
    }),

    titled('loses nothing behind an entry that comes twice, be it kept once or twice', async (store) => {
      await store.append(key, [entry(1), { type: 'tag', tag: 'a' }]);
      await store.append(key, [entry(1), entry(2), { type: 'tag', tag: 'a' }]);
      const loaded = ((await store.load(key)) ?? []).map(({ uuid, tag }) => uuid ?? tag);
      equal(
        loaded.filter((each, at) => each !== entry(1).uuid || at === 0),
        [entry(1).uuid, 'a', entry(2).uuid, 'a'],
      );
    }),

    titled('keeps projects, sessions and subagents apart', async (store) => {
      await store.append(key, [entry(1)]);
      await store.append({ ...key, subpath: AGENT }, [entry(2)]);
      equal(await store.load({ ...key, projectKey: '-another-tenant' }), null);
      equal(await store.load({ ...key, sessionId: 'another' }), null);
      equal(await store.load(key), [entry(1)]);
      equal(await store.load({ ...key, subpath: AGENT }), [entry(2)]);
    }),

    titled('lists sessions of one project with whole milliseconds, subagents left out', async (store) => {
      if (store.listSessions === undefined) return;
      await store.append(key, [entry(1)]);
      await store.append({ ...key, subpath: AGENT }, [entry(2)]);
      await store.append({ ...key, projectKey: '-another-tenant', sessionId: 'theirs' }, [entry(3)]);
      const listed = await store.listSessions(key.projectKey);
      equal(
        listed.map(({ sessionId }) => sessionId),
        [key.sessionId],
      );
      holds(Number.isInteger(listed[0]?.mtime), 'mtime in whole milliseconds');
    }),

    titled('summaries follow what is appended', async (store) => {
      if (store.listSessionSummaries === undefined) return;
      await store.append(key, [entry(1, { message: { role: 'user', content: 'First.' } })]);
      await store.append(key, [{ type: 'custom-title', customTitle: 'A name', sessionId: key.sessionId }]);
      const [summary] = await store.listSessionSummaries(key.projectKey);
      equal(summary?.sessionId, key.sessionId);
      equal(summary?.data['customTitle'], 'A name');
      equal(summary?.data['firstPrompt'], 'First.');
    }),

    titled('lists the subagents of a session', async (store) => {
      if (store.listSubkeys === undefined) return;
      await store.append(key, [entry(1)]);
      await store.append({ ...key, subpath: AGENT }, [entry(2)]);
      equal(await store.listSubkeys(key), [AGENT]);
    }),

    titled('deletes a session with its subagents, and nothing else', async (store) => {
      if (store.delete === undefined) return;
      const other = { ...key, sessionId: 'other' };
      for (const each of [key, { ...key, subpath: AGENT }, other]) await store.append(each, [entry(1)]);
      await store.delete(key);
      equal(await store.load(key), null);
      equal(await store.load({ ...key, subpath: AGENT }), null);
      equal(await store.load(other), [entry(1)]);
    }),
  ];
}
