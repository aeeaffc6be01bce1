/** What `turnwright send` says: where the prompt is, and whether anything runs it. */
import { expect, test } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import { openedDatabase } from './opened.ts';

/** A row as a worker's heartbeat leaves it. */
const WORKER = (age: string, draining = false) =>
  `insert into turnwright.workers (worker_id, host, pid, lock_key, heartbeat, version, draining)
    values ('w1', 'one', 7, 1, now() - interval '${age}', '1.0.0', ${draining})`;

const NONE = 'no worker runs, so it waits. Start one: npx turnwright worker ./agent.js';

test.each([
  ['no worker was ever there', undefined, NONE],
  ['the only worker is silent', WORKER('5 minutes'), NONE],
  ['the only worker drains', WORKER('1 second', true), NONE],
  ['a worker runs', WORKER('1 second'), 'the next free worker runs it'],
])('%s', async (_, row, said) => {
  const db = await openedDatabase();
  if (row !== undefined) await db.run(row);
  const send = () => commandLine(['send', 's1', 'Hello.', '--key', 'once', '--db', db.url]);
  const sent = await send();
  expect(sent).toMatchObject({ code: 0, stdout: '' });
  expect(sent.stderr).toMatch(/^Stored for s1 as [0-9a-f-]{36}; /);
  expect(sent.stderr).toContain(`; ${said}. Follow it: turnwright send s1 --follow.`);
  expect((await send()).stderr).toMatch(/^Stored before for s1 as /);
});
