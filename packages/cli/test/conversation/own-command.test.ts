/** `!command`: what is seen of its output while it runs. */
import { expect, test } from 'vitest';
import { runShell } from '../../src/conversation/session/typed-command.ts';

test('a command that writes a lot is shown by the end of its output and the number of its lines', async () => {
  const seen: { readonly tail: string; readonly totalLines: number }[] = [];
  let stop = () => {};
  const run = runShell({
    command: 'seq 1 20000; printf half; sleep 60',
    cwd: '/',
    env: { SHELL: '/bin/sh', PATH: process.env['PATH'] ?? '' },
    onOutput(tail, totalLines) {
      seen.push({ tail, totalLines });
      if (tail.endsWith('half')) stop();
    },
  });
  stop = run.stop;
  const { code, stdout } = await run.ended;
  const last = seen.at(-1);
  expect(last?.totalLines).toBe(20_001);
  expect(last?.tail.endsWith('\n20000\nhalf')).toBe(true);
  expect(Math.max(...seen.map(({ tail }) => tail.length))).toBeLessThan(5_000);
  expect(code).toBeUndefined();
  expect(stdout.startsWith('1\n2\n')).toBe(true);
});
