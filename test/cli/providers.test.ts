/** The command line with a provider of its flags, and no key of the first party. */
import { expect, onTestFinished, test } from 'vitest';
import { startChatServer } from '../model/wires/openai-chat-server.ts';
import { turnwright } from './bin.ts';

test('an OpenAI-compatible server is asked by its address alone', async () => {
  const server = await startChatServer();
  onTestFinished(() => server.close());
  server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Paris.' }] });
  const flags = ['--provider', 'openai-compatible', '--base-url', `${server.url}/v1`, '--model', 'qwen3:8b'];
  expect(await turnwright(['-p', ...flags, 'capital of France?'])).toMatchObject({
    code: 0,
    stdout: 'Paris.\n',
  });
});

test('an unknown provider is named, with those that are known', async () => {
  expect(await turnwright(['-p', '--provider', 'nope', 'hi'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no provider "nope". Known are anthropic,'),
  });
});
