/** The Messages API: Anthropic's own, and a bare server that imitates it. */
import { describe, it } from 'vitest';
import { createModelClient } from '../../../src/model/client.ts';
import { type ModelClientSetup, modelClientChecks, type OpenedModel } from '../../../src/testing/index.ts';
import { startMessagesServer } from './messages-server.ts';
import { TRAITS } from './traits.ts';

const KEY = 'sk-checks';

async function opened(
  { renewCredential, ...setup }: ModelClientSetup,
  bare: boolean,
  models: Pick<OpenedModel, 'model' | 'otherModel'>,
): Promise<OpenedModel> {
  const server = await startMessagesServer({ bare });
  const client = createModelClient({
    ...setup,
    baseUrl: server.url,
    ...(!bare && { apiKey: KEY }),
    ...(renewCredential && {
      credentials: async (why) => {
        const apiKey = await renewCredential(why);
        return apiKey === undefined ? undefined : { apiKey };
      },
    }),
  });
  return {
    client,
    server,
    ...models,
    async dispose() {
      await client.close();
      await server.close();
    },
  };
}

describe('the Messages API', () => {
  const models = { model: 'claude-sonnet-5', otherModel: 'claude-haiku-4-5' };
  const traits = TRAITS['Anthropic Messages API'];
  for (const { name, run } of modelClientChecks((setup) => opened(setup, false, models), traits))
    it(name, run);
});

describe('a bare server of the Messages API', () => {
  const models = { model: 'qwen3:8b', otherModel: 'gemma3:4b' };
  const traits = TRAITS['bare `/v1/messages` server'];
  for (const { name, run } of modelClientChecks((setup) => opened(setup, true, models), traits))
    it(name, run);
});
