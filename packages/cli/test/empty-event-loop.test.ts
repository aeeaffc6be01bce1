/** An event loop with nothing left to wait for is no success. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

/** Sockets and timers keep nothing alive, as if nobody had held on to them. */
const LOOSE = `
import net from 'node:net';
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  return connect.apply(this, args).unref();
};
const { setTimeout, setInterval } = globalThis;
globalThis.setTimeout = (...args) => setTimeout(...args).unref();
globalThis.setInterval = (...args) => setInterval(...args).unref();
`;

const RUNS: readonly (readonly [readonly string[], string | undefined])[] = [
  [['-p', 'go'], undefined],
  [['-p', 'go', '--output-format', 'json'], undefined],
  [['-p', 'go', '--output-format', 'stream-json', '--verbose'], undefined],
  [
    ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    '{"type":"user","message":{"role":"user","content":"go"},"parent_tool_use_id":null,"session_id":""}\n',
  ],
];

test.each(everyNth(3, RUNS))(
  'a run that has nothing left to wait for says so and ends with 1: %j',
  async (args, input) => {
    const server = await rehearse(reply('Late.', { timing: { ttftMs: 600_000 } }));
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'loose.mjs'), LOOSE);
    const ran = await turnwright(args, {
      cwd,
      env: { ...against(server), NODE_OPTIONS: `--import=${join(cwd, 'loose.mjs')}` },
      ...(input !== undefined && { input }),
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      'turnwright: The command stopped before it was done: nothing was left to wait for.',
    );
    expect(ran.stdout).not.toContain('"type":"result"');
  },
);

test('so does a command of another kind', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'never.mjs'), 'await new Promise(() => {});\nexport default () => undefined;\n');
  const ran = await turnwright(['rehearse', 'never.mjs'], { cwd });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was left to wait for') });
});
