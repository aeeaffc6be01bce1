/** An instance of a real provider package of the AI SDK: chat completions and responses. */
import { createOpenAI } from '@ai-sdk/openai';
import { describe, it } from 'vitest';
import { createAiSdkWire } from '../../../src/model/ai-sdk/ai-sdk-wire.ts';
import { createModelClient } from '../../../src/model/client.ts';
import { type ModelClientSetup, modelClientChecks, type OpenedModel } from '../../../src/testing/index.ts';
import { startChatServer } from './openai-chat-server.ts';
import { startResponsesServer } from './openai-responses-server.ts';
import { TRAITS } from './traits.ts';

async function opened(
  { renewCredential: _, ...setup }: ModelClientSetup,
  api: 'chat' | 'responses',
): Promise<OpenedModel> {
  const server = await (api === 'chat' ? startChatServer() : startResponsesServer());
  const provider = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-checks' });
  const client = createModelClient({
    ...setup,
    baseUrl: server.url,
    wire: (ports) =>
      createAiSdkWire(
        {
          model: (name) => provider[api](name),
          // Nothing is kept by the provider, so the items of earlier answers are sent whole.
          providerOptions: { openai: { store: false } },
        },
        ports,
      ),
  });
  return {
    client,
    server,
    model: 'gpt-5.2',
    otherModel: 'gpt-5-mini',
    async dispose() {
      await client.close();
      await server.close();
    },
  };
}

describe('chat completions by a package of the AI SDK', () => {
  for (const { name, run } of modelClientChecks(
    (setup) => opened(setup, 'chat'),
    TRAITS['AI SDK instance (chat completions)'],
  ))
    it(name, run);
});

describe('responses by a package of the AI SDK', () => {
  for (const { name, run } of modelClientChecks(
    (setup) => opened(setup, 'responses'),
    TRAITS['AI SDK instance (responses)'],
  ))
    it(name, run);
});
