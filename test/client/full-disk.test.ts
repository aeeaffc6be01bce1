/** A disk that is full before the end: told before the result, in process and over the lines of the protocol. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query, type SDKMessage } from '@turnwright/engine';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Line, startHost } from '../cli/control-host.ts';
import { filesThatFill } from '../faulty-files.ts';

let server: RehearsalServer;
beforeEach(async () => {
  server = await startRehearsal({
    scenario: { name: 'full', replies: [reply('Hi.'), reply('Again.')] },
  });
});
afterEach(() => server.close());

const place = () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-full-'));
  return {
    cwd: folder,
    env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: join(folder, 'home') },
  };
};
const files = () => filesThatFill((text) => text.includes('"type":"result"'));
const told = (id: unknown) => ({
  type: 'system',
  subtype: 'session_writes_lost',
  error_code: 'ENOSPC',
  lost: ['transcript'],
  transcript_session_ids: [id],
});

it('F71 our own query(): lost records are reported before the result', async () => {
  const messages: SDKMessage[] = [];
  const running = query({ prompt: 'Go.', options: { ...place(), engine: { files: files() } } });
  try {
    for await (const message of running) messages.push(message);
  } catch {
    // What could not be written at the end is said by a throw as well.
  }
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Hi.' });
  expect(messages.at(-2)).toMatchObject(told(messages[0]?.session_id));
});

it('F71 the lines of the protocol: the same', async () => {
  const host = startHost(server, { options: { ...place(), engine: { files: files() } } });
  host.prompt('Go.');
  const isLost = (line: Line) => line['subtype'] === 'session_writes_lost';
  const lost = await host.until(isLost);
  const result = await host.until(({ type }) => type === 'result');
  expect(result).toMatchObject({ subtype: 'success', result: 'Hi.' });
  expect(lost).toMatchObject(told(result['session_id']));
  expect(host.lines.indexOf(lost)).toBe(host.lines.indexOf(result) - 1);
  host.end();
  await host.ended.catch(() => undefined);
});
