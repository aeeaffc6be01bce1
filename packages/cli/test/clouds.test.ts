/** The command line by the variables of each cloud, against servers that check what the clouds would check. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { against, BIN, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { type BedrockAccount, startBedrockServer } from '@turnwright/test/model/wires/bedrock-server.ts';
import { AWS_ENV, KEYS } from '@turnwright/test/model/wires/cloud-clients.ts';
import { startFoundryServer } from '@turnwright/test/model/wires/foundry-server.ts';
import { googleServer } from '@turnwright/test/model/wires/google-server.ts';
import { startVertexServer } from '@turnwright/test/model/wires/vertex-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import type { ServerAnswer } from '@turnwright/testing/checks/model/model-server.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

const PARIS: ServerAnswer = { kind: 'message', parts: [{ kind: 'text', text: 'Paris.' }] };
const GOOGLE_CERTIFICATE = fileURLToPath(
  new URL('../../../test/model/fixtures/google-cert.pem', import.meta.url),
);
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

async function answering<S extends WireServer>(started: Promise<S>, ...answers: ServerAnswer[]): Promise<S> {
  const server = await started;
  onTestFinished(() => server.close());
  server.answerWith(...(answers.length === 0 ? [PARIS] : answers));
  return server;
}

const bedrock = (account: Partial<BedrockAccount> = {}, ...answers: ServerAnswer[]) =>
  answering(startBedrockServer({ keys: KEYS, region: 'us-west-2', ...account }), ...answers);

/** Asks; nothing may reach the first party, although there is a key for it. */
async function ask(env: Record<string, string>, settings: object = {}, run = commandLine) {
  const firstParty = await rehearse();
  const ran = await run(['-p', 'capital of France?', '--settings', JSON.stringify(settings)], {
    env: { ...against(firstParty), ...env },
  });
  expect(firstParty.requests).toEqual([]);
  return ran;
}

const answered = { code: 0, stdout: 'Paris.\n', stderr: '' };

describe('Bedrock', () => {
  const env = (server: WireServer, more: Record<string, string> = AWS_ENV) => ({
    CLAUDE_CODE_USE_BEDROCK: '1',
    ANTHROPIC_BEDROCK_BASE_URL: server.url,
    ...more,
  });

  test('with keys of the environment; a tool runs and its result is sent back', async () => {
    const server = await bedrock(
      {},
      { kind: 'message', parts: [{ kind: 'call', id: 'toolu_1', name: 'Glob', input: { pattern: '*' } }] },
      PARIS,
    );
    expect(await ask(env(server))).toMatchObject(answered);
    expect(server.received.map(({ model }) => model)).toEqual([
      'us.anthropic.claude-opus-5-5',
      'us.anthropic.claude-opus-5-5',
    ]);
    expect(server.received[1]?.messages.at(-1)?.parts).toMatchObject([{ kind: 'result', id: 'toolu_1' }]);
  });

  test('with a Bedrock API key and an inference profile by its ARN', async () => {
    const server = await bedrock({ apiKey: 'bedrock-key-1' });
    const arn = 'arn:aws:bedrock:us-west-2:123456789012:application-inference-profile/a1b2c3';
    const more = { AWS_REGION: 'us-west-2', AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key-1', ANTHROPIC_MODEL: arn };
    expect(await ask(env(server, more))).toMatchObject(answered);
    expect(server.received).toMatchObject([{ model: arn, credential: 'bedrock-key-1' }]);
  });

  test('expired keys of a profile: awsAuthRefresh renews the file, and the request is sent once more', async () => {
    const folder = temporaryFolder();
    const profile = (token: string) =>
      `[work]\naws_access_key_id = ${KEYS.accessKeyId}\naws_secret_access_key = ${KEYS.secretAccessKey}\naws_session_token = ${token}\n`;
    writeFileSync(join(folder, 'credentials'), profile('expired-1'));
    writeFileSync(join(folder, 'renewed'), profile(KEYS.sessionToken));
    const server = await bedrock({ expiredTokens: ['expired-1'] });
    const more = {
      AWS_REGION: 'us-west-2',
      AWS_PROFILE: 'work',
      AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
      AWS_CONFIG_FILE: join(folder, 'none'),
    };
    const awsAuthRefresh = `cp '${join(folder, 'renewed')}' '${join(folder, 'credentials')}'`;
    expect(await ask(env(server, more), { awsAuthRefresh })).toMatchObject(answered);
    expect(server.requests.map(({ headers }) => headers['x-amz-security-token'])).toEqual([
      'expired-1',
      KEYS.sessionToken,
    ]);
  });

  test('credentials that stay refused are sent twice, and the error says what to do', async () => {
    const server = await bedrock({ expiredTokens: [KEYS.sessionToken] });
    const ran = await ask(env(server));
    expect(ran.code).toBe(1);
    expect(`${ran.stdout}${ran.stderr}`).toContain(
      'AWS refused the credentials: The security token included in the request is expired. Log in again',
    );
    expect(server.requests).toHaveLength(2);
  });

  test('awsCredentialExport prints the keys; its failure says so and shows no secret', async () => {
    const folder = temporaryFolder();
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken } = KEYS;
    const printed = { Credentials: { AccessKeyId, SecretAccessKey, SessionToken } };
    writeFileSync(join(folder, 'keys.json'), JSON.stringify(printed));
    const server = await bedrock();
    const more = { AWS_REGION: 'us-west-2' };
    const awsCredentialExport = `cat '${join(folder, 'keys.json')}'`;
    expect(await ask(env(server, more), { awsCredentialExport })).toMatchObject(answered);
    const failing = `${awsCredentialExport}; exit 3`;
    const ran = await ask(env(server, more), { awsCredentialExport: failing });
    expect(`${ran.stdout}${ran.stderr}`).toContain('failed (exit code 3). Check the command');
    expect(`${ran.stdout}${ran.stderr}`).not.toContain(SecretAccessKey);
  });

  test('requests without a signature for a gateway that signs them', async () => {
    const server = await bedrock({ apiKey: 'x' });
    const ran = await ask(env(server, { AWS_REGION: 'us-west-2', CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1' }));
    expect(ran.code).toBe(1);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

describe('Vertex AI', () => {
  async function vertex(isValid: (token: string, tokens: readonly string[]) => boolean) {
    const google = await googleServer();
    onTestFinished(() => google.close());
    const isValidToken = (token: string) => google.tokens.includes(token) && isValid(token, google.tokens);
    const server = await answering(startVertexServer({ id: 'project-1', isValidToken }));
    const env = {
      CLAUDE_CODE_USE_VERTEX: '1',
      CLOUD_ML_REGION: 'us-east5',
      ANTHROPIC_VERTEX_PROJECT_ID: 'project-1',
      ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
      GOOGLE_APPLICATION_CREDENTIALS: google.keyFileIn(temporaryFolder()),
      HTTPS_PROXY: google.proxyUrl,
      NODE_EXTRA_CA_CERTS: GOOGLE_CERTIFICATE,
    };
    return { server, env };
  }

  test('with a service account, whose token is obtained through the proxy', async () => {
    const { server, env } = await vertex(() => true);
    const more = { ANTHROPIC_MODEL: 'claude-opus-4-1', VERTEX_REGION_CLAUDE_4_1_OPUS: 'europe-west1' };
    expect(await ask({ ...env, ...more })).toMatchObject(answered);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/v1/projects/project-1/locations/europe-west1/publishers/anthropic/models/claude-opus-4-1@20250805:streamRawPredict',
    ]);
  });

  test('a refused token: gcpAuthRefresh runs, and the request is sent once more with another token', async () => {
    const { server, env } = await vertex((token, tokens) => token !== tokens[0]);
    const note = join(temporaryFolder(), 'ran');
    const gcpAuthRefresh = `echo once >> '${note}'`;
    expect(await ask(env, { gcpAuthRefresh })).toMatchObject(answered);
    expect(server.requests).toHaveLength(2);
    expect(readFileSync(note, 'utf8')).toBe('once\n');
  });
});

describe('Foundry', () => {
  test.each([
    ['an API key', { ANTHROPIC_FOUNDRY_API_KEY: 'azure-key-1' }, turnwright],
    ['a token', { ANTHROPIC_FOUNDRY_AUTH_TOKEN: 'entra-token-1' }, commandLine],
  ])('with %s and the name of a deployment', async (_, credential, run) => {
    const server = await answering(
      startFoundryServer({ apiKey: 'azure-key-1', token: 'entra-token-1', deployments: ['claude-team'] }),
    );
    const env = {
      CLAUDE_CODE_USE_FOUNDRY: '1',
      ANTHROPIC_FOUNDRY_BASE_URL: `${server.url}/anthropic`,
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-team',
      ...credential,
    };
    expect(await ask(env, {}, run)).toMatchObject(answered);
    expect(server.received).toMatchObject([
      { model: 'claude-team', credential: Object.values(credential)[0] },
    ]);
  });

  test('a wrong key is refused once, and a deployment that does not exist is named as such', async () => {
    const server = await answering(startFoundryServer({ apiKey: 'right', deployments: ['claude-team'] }));
    const env = { CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_BASE_URL: `${server.url}/anthropic` };
    const refused = await ask({ ...env, ANTHROPIC_FOUNDRY_API_KEY: 'wrong' });
    expect(`${refused.stdout}${refused.stderr}`).toContain('Check ANTHROPIC_FOUNDRY_API_KEY.');
    expect(server.requests).toHaveLength(1);
    const unknown = await ask({ ...env, ANTHROPIC_FOUNDRY_API_KEY: 'right' });
    expect(`${unknown.stdout}${unknown.stderr}`).toContain('On Foundry a model is named by its deployment.');
  });
});

describe('a variable that cannot be obeyed stops the start', () => {
  test.each([
    [{ CLAUDE_CODE_USE_BEDROCK: '1' }, 'Bedrock needs a region: set AWS_REGION'],
    [
      { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'Oregon' },
      'AWS_REGION is not the name of a region: Oregon',
    ],
    [{ CLAUDE_CODE_USE_VERTEX: '1' }, 'Vertex needs a region: set CLOUD_ML_REGION'],
    [{ CLAUDE_CODE_USE_VERTEX: '1', CLOUD_ML_REGION: 'global' }, 'Vertex needs a project'],
    [{ CLAUDE_CODE_USE_FOUNDRY: '1' }, 'Foundry needs a resource'],
    [
      { CLAUDE_CODE_USE_FOUNDRY: '1', ANTHROPIC_FOUNDRY_RESOURCE: 'team' },
      'Foundry has no credentials: set ANTHROPIC_FOUNDRY_API_KEY, or install @azure/identity',
    ],
    [
      { CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: '1' },
      'CLAUDE_CODE_USE_BEDROCK and CLAUDE_CODE_USE_VERTEX are both set',
    ],
  ])('%o', async (env, sentence) => {
    const ran = await ask(env as Record<string, string>);
    expect(ran.stderr).toContain(sentence);
    expect(ran.code).toBe(2);
  });

  test('without the package, with the command that installs it', async () => {
    const folder = temporaryFolder();
    const installed = join(folder, 'node_modules', 'turnwright');
    mkdirSync(installed, { recursive: true });
    const isRun = (file: string) => !file.endsWith('.map');
    cpSync(dirname(dirname(BIN)), join(installed, 'dist'), { recursive: true, filter: isRun });
    cpSync(join(MODULES, '..', 'package.json'), join(installed, 'package.json'));
    for (const name of ['zod', '@vscode'])
      symlinkSync(join(MODULES, name), join(folder, 'node_modules', name));
    const bin = join(installed, 'dist', 'bin', 'turnwright');
    const env = { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-west-2' };
    const ran = await turnwright(['-p', 'hi'], { env, bin });
    expect(ran.stderr).toContain(
      'Bedrock needs the package @anthropic-ai/bedrock-sdk, which is not installed: npm install @anthropic-ai/bedrock-sdk',
    );
    expect(ran.code).toBe(2);
  });
});
