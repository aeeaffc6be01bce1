/** The clouds, by the official clients, against servers that check what the clouds would check. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type ModelClientSetup, modelClientChecks, type OpenedModel } from '../../../src/testing/index.ts';
import { startBedrockServer } from './bedrock-server.ts';
import { AWS_ENV, cloud, cloudClient, KEYS } from './cloud-clients.ts';
import { startFoundryServer } from './foundry-server.ts';
import { type GoogleServer, googleServer } from './google-server.ts';
import { TRAITS } from './traits.ts';
import { startVertexServer } from './vertex-server.ts';
import type { WireServer } from './wire-server.ts';

async function opened(
  server: WireServer,
  access: (url: string) => ReturnType<typeof cloud>,
  { renewCredential: _, ...setup }: ModelClientSetup,
  [model, otherModel]: readonly [string, string] = ['claude-sonnet-5', 'claude-haiku-4-5'],
): Promise<OpenedModel> {
  const client = cloudClient(access(server.url), setup);
  return {
    client,
    server,
    model,
    otherModel,
    async dispose() {
      await client.close();
      await server.close();
    },
  };
}

describe('Bedrock', () => {
  const open = async (setup: ModelClientSetup) =>
    opened(
      await startBedrockServer({ keys: KEYS, region: 'us-west-2' }),
      (url) => cloud('bedrock', { ...AWS_ENV, ANTHROPIC_BEDROCK_BASE_URL: url }),
      setup,
      ['us.anthropic.claude-sonnet-5', 'us.anthropic.claude-haiku-4-5-20251001-v1:0'],
    );
  const traits = TRAITS['Amazon Bedrock'];
  for (const { name, run } of modelClientChecks(open, traits)) it(name, run);
});

describe('Vertex AI', () => {
  let google: GoogleServer;
  let folder: string;
  beforeAll(async () => {
    google = await googleServer();
    folder = mkdtempSync(join(tmpdir(), 'turnwright-google-'));
  });
  afterAll(async () => {
    await google.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async (setup: ModelClientSetup) =>
    opened(
      await startVertexServer({ id: 'project-1', isValidToken: (token) => google.tokens.includes(token) }),
      (url) =>
        cloud(
          'vertex',
          {
            CLOUD_ML_REGION: 'us-east5',
            ANTHROPIC_VERTEX_PROJECT_ID: 'project-1',
            ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
            GOOGLE_APPLICATION_CREDENTIALS: google.keyFileIn(folder),
          },
          { proxyUrl: google.proxyUrl, ca: google.ca },
        ),
      setup,
    );
  for (const { name, run } of modelClientChecks(open, TRAITS['Google Vertex AI'])) it(name, run);
});

describe('Foundry', () => {
  const open = async (setup: ModelClientSetup) =>
    opened(
      await startFoundryServer({ apiKey: 'azure-key-1' }),
      (url) =>
        cloud('foundry', {
          ANTHROPIC_FOUNDRY_API_KEY: 'azure-key-1',
          ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
        }),
      setup,
    );
  const traits = TRAITS['Microsoft Foundry'];
  for (const { name, run } of modelClientChecks(open, traits)) it(name, run);
});
