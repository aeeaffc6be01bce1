import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options, SDKResultMessage } from '@turnwright/engine';
import { filesThatFill } from '@turnwright/test/faulty-files.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runQuery } from '../src/run/run-query.ts';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal();
});
afterEach(() => server.close());

const signals = {
  interrupted: false,
  leaving: false,
  attach: () => () => undefined,
  depart: async () => undefined,
  raiseInterrupt: () => undefined,
  stop: () => undefined,
};

/** The disk is full when the result is written. */
function fullAtTheEnd(): Options {
  const cwd = mkdtempSync(join(tmpdir(), 'turnwright-full-'));
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: join(cwd, 'home') };
  return { cwd, env, engine: { files: filesThatFill((text) => text.includes('"type":"result"')) } };
}

test.each([
  [false, [reply('Hi.')], {}],
  [true, [reply(toolUse('Glob', { pattern: '*' }))], { maxTurns: 1 }],
])(
  'a result (is_error: %j) is shown also when the session cannot be closed',
  async (failed, replies, options) => {
    server.setScenario({ name: 'full', replies });
    const end = vi.fn(async (_result: SDKResultMessage | undefined) => undefined);
    const sink = { show: async () => undefined, end };
    const run = { prompt: 'x', options: { ...fullAtTheEnd(), ...options }, sink, signals };
    await expect(runQuery(run)).rejects.toThrow('ENOSPC');
    expect(end).toHaveBeenCalledOnce();
    expect(end.mock.lastCall?.[0]).toMatchObject({ type: 'result', is_error: failed });
  },
);
