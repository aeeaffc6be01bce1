import { openedDatabase, openedListener } from '@turnwright/test/durable/opened.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox, putItem } from '../src/postgres/inbox-rows.ts';
import { type Listener, notify } from '../src/postgres/listener.ts';

/** Resolves with the sessions heard of, once there is one. */
function heard(listener: Listener, what: Parameters<Listener['watch']>[0], sessionId?: string) {
  return new Promise<string | undefined>((resolve) => {
    const stop = listener.watch(what, sessionId, (id) => {
      if (id === undefined) return;
      stop();
      resolve(id);
    });
  });
}

test('a notification of a transaction arrives when it is committed, at those who watch its session', async () => {
  const db = await openedDatabase();
  const listener = openedListener(db);
  const others: string[] = [];
  await new Promise<void>((resolve) => listener.watch('run', undefined, () => resolve()));
  listener.watch('run', 'other', () => others.push('other'));
  listener.watch('answer', 's1', () => others.push('answer'));
  const [one, all] = [heard(listener, 'run', 's1'), heard(listener, 'run')];
  await db.transaction(async (run) => {
    await notify(run, 'run', 's1');
    await expect(Promise.race([one, run('select 1').then(() => 'not yet')])).resolves.toBe('not yet');
  });
  expect(await Promise.all([one, all])).toEqual(['s1', 's1']);
  expect(others).toEqual([]);
});

test('a prompt that is put in a transaction that fails is not there', async () => {
  const db = await openedDatabase();
  const inbox = createInbox(db, openedListener(db));
  const item = { key: 'k', priority: 'next' as const, content: 'a \u0000 character that jsonb refuses' };
  await expect(
    db.transaction(async (run) => {
      expect(await putItem(run, 's1', item)).toEqual({ n: 1, fresh: true });
      throw new Error('The rest failed.');
    }),
  ).rejects.toThrow('The rest failed.');
  expect(await inbox.after('s1', 0)).toEqual([]);
  await inbox.put('s1', item);
  expect(await inbox.after('s1', 0)).toEqual([{ ...item, n: 1 }]);
});

test('prompts that many processes put at once get numbers of their own', async () => {
  const db = await openedDatabase();
  const inbox = createInbox(db, openedListener(db));
  const keys = Array.from({ length: 40 }, (_, at) => `k${at % 20}`);
  const put = await Promise.all(keys.map((key) => inbox.put('s1', { key, priority: 'next', content: key })));
  expect(put.filter(({ fresh }) => fresh)).toHaveLength(20);
  const items = await inbox.after('s1', 0);
  expect(items.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect(new Set(items.map(({ key }) => key)).size).toBe(20);
});

test('after its connection was lost, a listener connects again and wakes all who watch', async () => {
  const db = await openedDatabase();
  const listener = openedListener(db);
  const woken = () =>
    new Promise<void>((resolve) => {
      const stop = listener.watch('inbox', 's1', () => {
        stop();
        resolve();
      });
    });
  await woken();
  const missed = woken();
  await db.run(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and query ~ '^listen|pg_notify'`);
  await missed;
  const again = heard(listener, 'inbox', 's1');
  const asking = setInterval(() => void notify(db.run, 'inbox', 's1').catch(() => undefined), 50);
  onTestFinished(() => clearInterval(asking));
  expect(await again).toBe('s1');
});
