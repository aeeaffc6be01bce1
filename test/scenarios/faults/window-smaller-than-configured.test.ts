import { query, type SDKMessage } from '@turnwright/engine';
import { recordingStore } from '@turnwright/testing';
import { expect, it, onTestFinished } from 'vitest';
import { startChatServer } from '../../model/wires/openai-chat-server.ts';
import { conversation } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

const says = (text: string) => ({ kind: 'message', parts: [{ kind: 'text', text }] }) as const;

it('F116 a server that runs 32k where 128k are configured: the first overflow corrects it for the session', async () => {
  const server = await startChatServer();
  onTestFinished(() => server.close());
  server.answerWith(
    says('One.'),
    { kind: 'refusal', reason: 'too_long', tokens: { input: 41_000, limit: 32_000 } },
    says('<summary>They talked.</summary>'),
    says('Two.'),
  );
  const talk = conversation();
  const running = query({
    prompt: talk.prompts,
    options: {
      cwd: tempFolder(),
      tools: [],
      provider: 'local',
      providers: { local: { type: 'openai-compatible', baseUrl: `${server.url}/v1` } },
      model: 'qwen3:8b',
      settings: { models: { 'qwen3:8b': { contextWindow: 128_000, maxOutputTokens: 4_000 } } },
      env: {},
      engine: { store: recordingStore() },
    },
  });
  const windows: number[] = [];
  const results: SDKMessage[] = [];
  const long = 'All work and no play makes Jack a dull boy. '.repeat(1_800);
  talk.say(`One. ${long}`);
  for await (const message of running) {
    if (message.type !== 'result') continue;
    results.push(message);
    windows.push((await running.getContextUsage()).rawMaxTokens);
    if (results.length === 1) talk.say(`Two. ${long}`);
    else talk.end();
  }
  expect(results).toMatchObject([{ result: 'One.' }, { is_error: false, result: 'Two.' }]);
  expect(windows).toEqual([128_000, 32_000]);
  expect(server.received).toHaveLength(4);
});
