/** A client of a provider package of the AI SDK: that of OpenAI, in the version that a test brings. */

import type { ModelClientSetup, OpenedModel } from '@turnwright/testing';
import { createAiSdkWire } from '../../../packages/engine/src/model/ai-sdk/ai-sdk-wire.ts';
import type { AiSdkModel } from '../../../packages/engine/src/model/ai-sdk/language-model.ts';
import { createModelClient } from '../../../packages/engine/src/model/create-model-client.ts';
import { startChatServer } from './openai-chat-server.ts';
import { startResponsesServer } from './openai-responses-server.ts';
import type { WireServer } from './wire-server.ts';

export type OpenAiApi = 'chat' | 'responses';

/** What `createOpenAI` of the package makes. */
export type CreateOpenAi = (options: {
  readonly baseURL: string;
  readonly apiKey: string;
}) => Readonly<Record<OpenAiApi, (model: string) => AiSdkModel>>;

export async function openAiSdkModel(
  { renewCredential: _, ...setup }: ModelClientSetup,
  createOpenAi: CreateOpenAi,
  api: OpenAiApi,
): Promise<OpenedModel & { readonly server: WireServer }> {
  const server = await (api === 'chat' ? startChatServer() : startResponsesServer());
  const provider = createOpenAi({ baseURL: `${server.url}/v1`, apiKey: 'sk-checks' });
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
