/** Chat completions and responses, over our own HTTP. */
import { describe, it } from 'vitest';
import { createModelClient } from '../../../src/model/client.ts';
import { createOpenAiWire } from '../../../src/model/openai/openai-wire.ts';
import { type ModelClientSetup, modelClientChecks, type OpenedModel } from '../../../src/testing/index.ts';
import { startChatServer } from './openai-chat-server.ts';
import { startResponsesServer } from './openai-responses-server.ts';
import { TRAITS } from './traits.ts';

const KEY = 'sk-checks';

async function opened(
  { renewCredential, ...setup }: ModelClientSetup,
  api: 'chat' | 'responses',
): Promise<OpenedModel> {
  const server = await (api === 'chat' ? startChatServer() : startResponsesServer());
  const client = createModelClient({
    ...setup,
    baseUrl: server.url,
    authToken: KEY,
    wire: (ports) => createOpenAiWire({ baseUrl: `${server.url}/v1`, api }, ports),
    ...(renewCredential && {
      credentials: async (why) => {
        const authToken = await renewCredential(why);
        return authToken === undefined ? undefined : { authToken };
      },
    }),
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

describe('chat completions', () => {
  for (const { name, run } of modelClientChecks(
    (setup) => opened(setup, 'chat'),
    TRAITS['OpenAI chat completions'],
  ))
    it(name, run);
});

describe('responses', () => {
  for (const { name, run } of modelClientChecks(
    (setup) => opened(setup, 'responses'),
    TRAITS['OpenAI responses'],
  ))
    it(name, run);
});
