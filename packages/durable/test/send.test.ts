/** What `turnwright send` says: where the prompt is, and whether anything runs it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { openedClient, openedDatabase } from '@turnwright/test/durable/opened.ts';
import { startFleet } from '@turnwright/test/durable/processes.ts';
import { expect, test } from 'vitest';

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

test('send --follow prints its header once, and says that another worker goes on', {
  timeout: 300_000,
}, async () => {
  const fleet = await startFleet();
  const first = await fleet.start('held.ts', { CONCURRENCY: '1' });
  let begun: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const followed = turnwright(['send', 's1', 'Go.', '--follow', '--db', fleet.url], {
    onStdout: (_, soFar) => soFar.includes('session s1') && begun(),
  });
  await beginning;
  first.signal('SIGKILL');
  await first.exited;
  writeFileSync(join(fleet.folder, 'released'), '');
  await fleet.start('held.ts', { CONCURRENCY: '1' });
  const { code, stdout, stderr } = await followed;
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.any(String) });
  expect(stdout.match(/^· .+, manual, session s1$/gm)).toHaveLength(1);
  expect(stdout).toContain('Done.');
  expect(stderr).toBe('s1: the worker is gone, another one goes on.\n');
});

test('send --follow to a session that waits for an answer says what it waits for, once', {
  timeout: 120_000,
}, async () => {
  const db = await openedDatabase();
  const client = openedClient(db);
  await client.send('s1', 'Hello.');
  await db.run(`update turnwright.sessions set state = 'parked', parked = '{"on":"ask"}'`);
  await db.run(
    `insert into turnwright.asks (session_id, ask_id, tool_use_id, tool_name, question)
      values ('s1', 'q1', 't1', 'Bash', '{"input":{"command":"ls"}}')`,
  );
  const { code, stderr } = await turnwright(['send', 's1', 'And now?', '--follow', '--db', db.url], {
    onStart(child) {
      child.stderr?.on('data', (text: Buffer) => text.includes('q1') && child.kill('SIGINT'));
    },
  });
  expect(code).toBe(130);
  expect(stderr).toBe(
    's1 waits for an answer: Bash {"command":"ls"}\n  turnwright answer s1 q1 allow    (or deny)\n' +
      's1 goes on without you. Follow it again: turnwright send s1 --follow --from 0.0\n',
  );
});
