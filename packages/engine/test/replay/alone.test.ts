/** A replay is fast, and touches nothing: no connection, and no file outside of a scratch folder. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { against, BIN, rehearse } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { callTool, fakeTool, replay, say } from '@turnwright/testing';
import { reply as answer, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';

async function recorded(turns: number) {
  const run = engineUnderTest(
    [...Array.from({ length: turns }, (_, n) => callTool('Look', { n })), say('Done.')],
    { tools: [fakeTool({ name: 'Look', readOnly: true })] },
  );
  await run.run('Go.');
  return run.store.entries(run.engine.sessionId);
}

it.runIf(isLong)('a thousand iterations take less than three seconds of a processor', async () => {
  const iterations = 1_000;
  const entries = await recorded(iterations - 1);
  const before = process.cpuUsage();
  const report = await replay(entries);
  const { user, system } = process.cpuUsage(before);
  expect([report.difference, report.iterations]).toEqual([undefined, iterations]);
  expect((user + system) / 1_000_000).toBeLessThan(3);
});

const STRACE = ['-f', '-qq', '-s', '200', '-e', 'trace=connect,openat,open,creat,rename,unlink,mkdir,execve'];
const canTrace = spawnSync('strace', [...STRACE, 'true'], { stdio: 'ignore' }).status === 0;
if (!canTrace)
  console.warn('strace is missing, or may not trace: what a replay touches is not counted in this run.');

it.runIf(canTrace)('the command connects to nothing, and writes nothing but its cache', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'replay-alone-'));
  const home = join(folder, 'home');
  const server = await rehearse(answer(toolUse('Glob', { pattern: '*' })), answer('Done.'));
  const run = await commandLine(['-p', 'Go.'], {
    env: { ...against(server), TURNWRIGHT_HOME: home },
    cwd: folder,
  });
  expect(run.code).toBe(0);
  const trace = join(folder, 'trace');
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    TURNWRIGHT_HOME: home,
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
  const ran = spawnSync('strace', [...STRACE, '-o', trace, process.execPath, BIN, 'replay'], {
    env,
    cwd: folder,
    encoding: 'utf8',
  });
  expect([ran.status, ran.stdout]).toEqual([0, 'Same decisions: 2 iterations of 1 run.\n']);
  const calls = readFileSync(trace, 'utf8').split('\n');
  const isHarmless = (line: string) => /"\/(?:dev|proc)\//.test(line) || / = -1 /.test(line);
  expect(calls.filter((line) => /connect\(/.test(line) && !isHarmless(line))).toEqual([]);
  expect(
    calls.filter(
      (line) => /O_WRONLY|O_RDWR|creat\(|rename\(|unlink\(|mkdir\(/.test(line) && !isHarmless(line),
    ),
  ).toEqual([]);
  expect(calls.filter((line) => /execve\(/.test(line)).length).toBe(1);
});
