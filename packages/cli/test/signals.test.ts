import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { SDKResultMessage } from '@turnwright/engine';
import { against, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { isAlive, untilFile } from '@turnwright/test/scenarios/processes.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

/** Streams for longer than any test waits. */
const ENDLESS = reply('word '.repeat(5_000), { timing: { gapMs: 20, deltaChars: 5 }, times: 'any' });
const STREAM = ['--output-format', 'stream-json', '--include-partial-messages'];
const isStreaming = (soFar: string) => soFar.includes('"text_delta"');

/** A session that Ctrl-C has ended while its first answer streamed, and one that goes on with it. */
const interrupted = lazily(async () => {
  const server = await rehearse({ ...ENDLESS, times: 1 }, reply('I went on.'));
  const cwd = temporaryFolder();
  const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
  let sent = false;
  const ran = await turnwright(['-p', 'talk', ...STREAM], {
    env,
    cwd,
    onStdout(child, soFar) {
      if (!sent && isStreaming(soFar)) sent = child.kill('SIGINT');
    },
  });
  return { ran, after: await commandLine(['-p', '--continue'], { env, cwd }) };
});

test('the first Ctrl-C interrupts: the result still comes, exit code 130', async () => {
  const { ran } = await interrupted();
  const last = JSON.parse(ran.stdout.trimEnd().split('\n').at(-1) ?? '') as SDKResultMessage;
  expect(last).toMatchObject({
    type: 'result',
    subtype: 'error_during_execution',
    terminal_reason: 'aborted_streaming',
  });
  expect([ran.code, ran.stderr]).toEqual([130, '']);
});

test('after Ctrl-C --continue alone goes on', async () => {
  const { after } = await interrupted();
  expect(after).toMatchObject({ code: 0, stdout: 'I went on.\n' });
});

const HOOKS: readonly (readonly [string, string | undefined])[] = [
  // The gate stays shut: the prompt is refused, and no run ends (F136).
  ['UserPromptSubmit', undefined],
  ['SessionStart', 'aborted_streaming'],
  ['PostToolUse', 'aborted_tools'],
  ['PreToolUse', 'aborted_tools'],
  ['Stop', 'aborted_streaming'],
];

test.each(everyNth(3, HOOKS))(
  'Ctrl-C while a %s hook works: the hook ends, the result says %s',
  async (event, reason) => {
    const server = await rehearse(reply(toolUse('Glob', { pattern: '*' })), reply('Done.'));
    const cwd = temporaryFolder();
    const hook = { type: 'command', command: 'echo $$ > up; sleep 60' };
    const flags = ['--settings', JSON.stringify({ hooks: { [event]: [{ hooks: [hook] }] } })];
    let running: ChildProcess | undefined;
    const ran = turnwright(['-p', 'go', ...STREAM, ...flags], {
      env: against(server),
      cwd,
      onStart(child) {
        running = child;
      },
    });
    await untilFile(join(cwd, 'up'));
    running?.kill('SIGINT');
    const { code, stdout } = await ran;
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as SDKResultMessage;
    expect([last.type, last.terminal_reason]).toEqual(['result', reason]);
    expect(code).toBe(130);
    expect(isAlive(Number(readFileSync(join(cwd, 'up'), 'utf8')))).toBe(false);
  },
);

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

test.each(everyNth(2, SIGNALS))(
  '%s while a summary is made: the session goes on as it was',
  async (signal, code) => {
    const endless = reply('sum '.repeat(5_000), {
      timing: { gapMs: 20, deltaChars: 5 },
      when: { kind: 'compaction' },
      times: 'any',
    });
    const server = await rehearse(reply('One.'), reply('Two.'), endless, reply('Three.'));
    const env = { ...against(server), TURNWRIGHT_HOME: temporaryFolder() };
    const cwd = temporaryFolder();
    for (const words of [['one'], ['two', '--continue']]) await commandLine(['-p', ...words], { env, cwd });
    let sent = false;
    const compacted = await turnwright(['-p', '/compact', '--continue', ...STREAM], {
      env,
      cwd,
      onStdout(child, soFar) {
        if (!sent && soFar.includes('"compacting"')) sent = child.kill(signal);
      },
    });
    expect([compacted.code, compacted.stderr]).toEqual([code, '']);
    const after = await commandLine(['-p', 'three', '--continue'], { env, cwd });
    expect(after).toMatchObject({ code: 0, stdout: 'Three.\n', stderr: '' });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('One.');
  },
);

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
