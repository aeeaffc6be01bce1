import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SDKResultMessage } from '../../src/index.ts';
import { reply, toolUse } from '../../src/rehearsal/index.ts';
import { against, rehearse, temporaryFolder, turnwright } from './bin.ts';

/** Streams for longer than any test waits. */
const ENDLESS = reply('word '.repeat(5_000), { timing: { gapMs: 20, deltaChars: 5 }, times: 'any' });
const STREAM = ['--output-format', 'stream-json', '--include-partial-messages'];
const isStreaming = (soFar: string) => soFar.includes('"text_delta"');

test('the first Ctrl-C interrupts: the result still comes, exit code 130', async () => {
  const server = await rehearse(ENDLESS);
  let sent = false;
  const ran = await turnwright(['-p', 'talk', ...STREAM], {
    env: against(server),
    onStdout(child, soFar) {
      if (!sent && isStreaming(soFar)) sent = child.kill('SIGINT');
    },
  });
  const last = JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '') as SDKResultMessage;
  expect(last).toMatchObject({
    type: 'result',
    subtype: 'error_during_execution',
    terminal_reason: 'aborted_streaming',
  });
  expect([ran.code, ran.stderr]).toEqual([130, '']);
});

test('a second Ctrl-C leaves at once', async () => {
  const server = await rehearse(
    reply([toolUse('Bash', { command: "trap '' TERM INT; echo up > up; sleep 60" })]),
  );
  const cwd = temporaryFolder();
  const ran = turnwright(['-p', 'wait', '--dangerously-skip-permissions', ...STREAM], {
    env: against(server),
    cwd,
    onStdout(child, soFar) {
      if (!soFar.includes('"tool_use"') || existsSync(join(cwd, 'up.sent'))) return;
      const timer = setInterval(() => {
        if (!existsSync(join(cwd, 'up'))) return;
        clearInterval(timer);
        child.kill('SIGINT');
        child.kill('SIGINT');
      }, 10);
      timer.unref();
    },
  });
  expect(await ran).toMatchObject({ code: 130 });
});

test('SIGTERM ends it with 143, without a result, and its children with it', async () => {
  const server = await rehearse(reply([toolUse('Bash', { command: 'echo $$ > pid; sleep 60' })]));
  const cwd = temporaryFolder();
  const pidFile = join(cwd, 'pid');
  let asked = false;
  const ran = await turnwright(['-p', 'wait', '--dangerously-skip-permissions', ...STREAM], {
    env: against(server),
    cwd,
    onStdout(child) {
      if (asked) return;
      asked = true;
      const timer = setInterval(() => {
        if (!existsSync(pidFile) || readFileSync(pidFile, 'utf8').trim() === '') return;
        clearInterval(timer);
        child.kill('SIGTERM');
      }, 10);
    },
  });
  expect([ran.code, ran.stderr]).toEqual([143, '']);
  expect(ran.stdout).not.toContain('"type":"result"');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('F100 a reader that leaves ends the run quietly', async () => {
  const server = await rehearse(ENDLESS);
  const ran = await turnwright(['-p', 'talk', ...STREAM], {
    env: against(server),
    onStdout(child, soFar) {
      if (isStreaming(soFar)) child.stdout?.destroy();
    },
  });
  expect([ran.code, ran.stderr]).toEqual([141, '']);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
