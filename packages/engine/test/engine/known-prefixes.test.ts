/** A name with the prefix of a known provider goes to that provider, or nowhere. */

import { apiServer, hello } from '@turnwright/test/model/api-server.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { expect, it } from 'vitest';
import { QueryEngine, query } from '../../src/index.ts';

const NAMES = [
  'openai:gpt-99',
  'openrouter:x/y',
  'groq:x',
  'deepseek:x',
  'gemini:x',
  'xai:x',
  'bedrock:x',
  'vertex:x',
  'foundry:x',
];

it.each(NAMES)('%s is not sent to the own provider', async (model) => {
  const server = await apiServer(hello);
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url, HOME: '/nowhere' };
  const { results, error } = await gather(
    query({ prompt: 'Hi.', options: { env, model, settingSources: [], persistSession: false } }),
  );
  const asked = server.received.map(({ url }) => url);
  await server.close();
  expect(asked).toEqual([]);
  expect(error ?? results[0]?.subtype).not.toBe('success');
});

it.each(NAMES)('%s, without settings', async (model) => {
  const server = await apiServer(hello);
  const { url: baseUrl } = server;
  const engine = new QueryEngine({
    cwd: '/work',
    tools: [],
    model,
    baseUrl,
    apiKey: 'sk-test',
    env: {},
  } as never);
  const said: unknown[] = [];
  try {
    for await (const message of engine.submitMessage('Hi.')) said.push(message);
  } catch (error) {
    said.push(error);
  }
  const asked = server.received.map(({ url }) => url);
  await server.close();
  expect(asked).toEqual([]);
});
