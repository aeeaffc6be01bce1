/** A client of each wire, with the server that it talks to. By the names of the documentation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import type { ModelClientSetup, OpenedModel } from '@turnwright/testing';
import { createModelClient } from '../../../packages/engine/src/model/create-model-client.ts';
import { createOpenAiWire } from '../../../packages/engine/src/model/openai/openai-wire.ts';
import { openAiSdkModel } from './ai-sdk-model.ts';
import { startBedrockServer } from './bedrock-server.ts';
import { AWS_ENV, cloud, cloudClient, KEYS } from './cloud-clients.ts';
import { startFoundryServer } from './foundry-server.ts';
import { googleServer } from './google-server.ts';
import { startMessagesServer } from './messages-server.ts';
import { startChatServer } from './openai-chat-server.ts';
import { startResponsesServer } from './openai-responses-server.ts';
import type { TRAITS } from './traits.ts';
import { startVertexServer } from './vertex-server.ts';
import type { WireServer } from './wire-server.ts';

export type OpenedWire = OpenedModel & { readonly server: WireServer };
type OpenWire = (setup: ModelClientSetup) => Promise<OpenedWire>;

const KEY = 'sk-checks';

const messages =
  (bare: boolean, models: Pick<OpenedModel, 'model' | 'otherModel'>): OpenWire =>
  async ({ renewCredential, ...setup }) => {
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
    return wire(client, server, models);
  };

const openAi =
  (api: 'chat' | 'responses'): OpenWire =>
  async ({ renewCredential, ...setup }) => {
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
    return wire(client, server, { model: 'gpt-5.2', otherModel: 'gpt-5-mini' });
  };

const CLAUDE = { model: 'claude-sonnet-5', otherModel: 'claude-haiku-4-5' };

const bedrock: OpenWire = async ({ renewCredential: _, ...setup }) => {
  const server = await startBedrockServer({ keys: KEYS, region: 'us-west-2' });
  const access = cloud('bedrock', { ...AWS_ENV, ANTHROPIC_BEDROCK_BASE_URL: server.url });
  return wire(cloudClient(access, setup), server, {
    model: 'us.anthropic.claude-sonnet-5',
    otherModel: 'us.anthropic.claude-haiku-4-5-20251001-v1:0',
  });
};

const vertex: OpenWire = async ({ renewCredential: _, ...setup }) => {
  const google = await googleServer();
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-google-'));
  const server = await startVertexServer({
    id: 'project-1',
    isValidToken: (token) => google.tokens.includes(token),
  });
  const access = cloud(
    'vertex',
    {
      CLOUD_ML_REGION: 'us-east5',
      ANTHROPIC_VERTEX_PROJECT_ID: 'project-1',
      ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
      GOOGLE_APPLICATION_CREDENTIALS: google.keyFileIn(folder),
    },
    { proxyUrl: google.proxyUrl, ca: google.ca },
  );
  return wire(cloudClient(access, setup), server, CLAUDE, async () => {
    await google.close();
    rmSync(folder, { recursive: true, force: true });
  });
};

const foundry: OpenWire = async ({ renewCredential: _, ...setup }) => {
  const server = await startFoundryServer({ apiKey: 'azure-key-1' });
  const access = cloud('foundry', {
    ANTHROPIC_FOUNDRY_API_KEY: 'azure-key-1',
    ANTHROPIC_FOUNDRY_BASE_URL: `${server.url}/anthropic`,
  });
  return wire(cloudClient(access, setup), server, CLAUDE);
};

export const WIRES: Readonly<Record<keyof typeof TRAITS, OpenWire>> = {
  'Anthropic Messages API': messages(false, CLAUDE),
  'bare `/v1/messages` server': messages(true, { model: 'qwen3:8b', otherModel: 'gemma3:4b' }),
  'Amazon Bedrock': bedrock,
  'Google Vertex AI': vertex,
  'Microsoft Foundry': foundry,
  'OpenAI chat completions': openAi('chat'),
  'OpenAI responses': openAi('responses'),
  'AI SDK instance (chat completions)': (setup) => openAiSdkModel(setup, createOpenAI, 'chat'),
  'AI SDK instance (responses)': (setup) => openAiSdkModel(setup, createOpenAI, 'responses'),
};

function wire(
  client: OpenedModel['client'],
  server: WireServer,
  models: Pick<OpenedModel, 'model' | 'otherModel'>,
  andThen?: () => Promise<void>,
): OpenedWire {
  return {
    client,
    server,
    ...models,
    async dispose() {
      await client.close();
      await server.close();
      await andThen?.();
    },
  };
}
