import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';
import { type SDKMessage, startup } from '../../src/index.ts';

const optionsFor = (url: string) => ({
  env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test' },
  persistSession: false,
});

test('a warm session has asked nothing, and takes one query', async () => {
  const server = await startRehearsal({ scenario: { name: 'warm', replies: [reply('Hi.')] } });
  const warm = await startup({ options: optionsFor(server.url) });
  expect(server.requests.filter(({ path }) => path === '/v1/messages')).toEqual([]);
  const messages: SDKMessage[] = [];
  for await (const message of warm.query('Hello.')) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hi.' });
  expect(() => warm.query('Again.')).toThrow('one query');
  await server.close();
});

test('one that is not used is closed, and sends no request', async () => {
  const server = await startRehearsal();
  const warm = await startup({ options: optionsFor(server.url) });
  await warm.close();
  expect(() => warm.query('Hello.')).toThrow('one query');
  expect(server.requests.filter(({ path }) => path === '/v1/messages')).toEqual([]);
  await server.close();
});

test('what keeps it from opening is said at once', async () => {
  await expect(startup({ options: { settings: '{ broken' } })).rejects.toMatchObject({
    code: 'invalid_settings',
  });
});
