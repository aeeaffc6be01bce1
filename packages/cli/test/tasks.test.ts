import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { everyNth, isLong } from '@turnwright/test/long-form.ts';
import { isAlive, until } from '@turnwright/test/scenarios/processes.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const inBackground = (command: string) => reply(toolUse('Bash', { command, run_in_background: true }));
const ARGS = ['--dangerously-skip-permissions', '--output-format', 'stream-json'];
/** A server with a child of its own; neither heeds a polite word. */
const FAMILY = `trap '' TERM HUP; (trap '' TERM HUP; sleep 60) & echo $! > child; echo $$ > shell; wait; wait`;

describe('F100 however a session ends, no child of it is left', () => {
  test.each(
    everyNth(2, [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
      ['SIGKILL', null],
      ['SIGINT', 130],
    ] as const),
  )('F100 %s', async (signal, code) => {
    const server = await rehearse(inBackground(FAMILY), reply('It serves.'));
    const cwd = temporaryFolder();
    const pid = (name: string) => Number(readFileSync(join(cwd, name), 'utf8'));
    const isUp = () => existsSync(join(cwd, 'shell')) && readFileSync(join(cwd, 'shell')).length > 0;
    let sent = false;
    const ran = await turnwright(['-p', 'serve', ...ARGS], {
      env: against(server),
      cwd,
      onStdout(child, soFar) {
        if (sent || !soFar.includes('"result"')) return;
        sent = true;
        void until(isUp).then(() => child.kill(signal));
      },
    });
    expect([ran.code, ran.signal]).toEqual(code === null ? [null, signal] : [code, null]);
    // Killed, it cannot wait for them: they are gone in the moment after.
    if (signal === 'SIGKILL') await until(() => !isAlive(pid('child')) && !isAlive(pid('shell')));
    expect(['child', 'shell'].filter((name) => isAlive(pid(name)))).toEqual([]);
  });

  test.runIf(isLong)('F100 SIGKILL in a long command in the foreground', async () => {
    const server = await rehearse(reply(toolUse('Bash', { command: FAMILY })));
    const cwd = temporaryFolder();
    const pid = (name: string) => Number(readFileSync(join(cwd, name), 'utf8'));
    await turnwright(['-p', 'serve', ...ARGS], {
      env: against(server),
      cwd,
      onStdout(child, soFar) {
        if (soFar.includes('"tool_progress"')) child.kill('SIGKILL');
      },
    });
    await until(() => !isAlive(pid('child')) && !isAlive(pid('shell')));
  });
});

test('-p waits for background work and prints the last answer', async () => {
  const server = await rehearse(
    inBackground('sleep 0.4; echo it is built'),
    reply('On its way.'),
    reply('It is built.', { when: { lastMessage: 'it is built' } }),
  );
  const ran = await commandLine(['-p', 'build', '--dangerously-skip-permissions'], { env: against(server) });
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'It is built.\n', '']);
});

test('a task that was lost with a killed process is reported when the session continues', async () => {
  const server = await rehearse(
    inBackground('sleep 60'),
    reply('It serves.'),
    reply('It is gone.', { when: { lastMessage: 'was lost with the process that ran it' } }),
  );
  const cwd = temporaryFolder();
  const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
  await turnwright(['-p', 'serve', ...ARGS], {
    env,
    cwd,
    onStdout: (child, soFar) => void (soFar.includes('"result"') && child.kill('SIGKILL')),
  });
  const ran = await commandLine(['-p', 'still there?', '--continue', ...ARGS], { env, cwd });
  const lines = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.find(({ subtype }) => subtype === 'task_notification')).toMatchObject({
    status: 'stopped',
    reason: 'worker_restart',
  });
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'It is gone.' });
  expect(ran.code).toBe(0);
});
