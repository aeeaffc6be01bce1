/**
 * Foundry by a login that `@azure/identity` finds: the built command line, the published package, and a login server on
 * loopback that speaks OAuth over TLS.
 */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BIN, temporaryFolder, turnwright } from '../cli/bin.ts';
import { startFoundryServer } from '../model/wires/foundry-server.ts';

const PACKAGES = fileURLToPath(new URL('node_modules', import.meta.url));
const OURS = fileURLToPath(new URL('../..', import.meta.url));
const CERTIFICATE = fileURLToPath(new URL('../model/fixtures/tls-cert.pem', import.meta.url));
const KEY = fileURLToPath(new URL('../model/fixtures/tls-key.pem', import.meta.url));

/** Our package as it is installed beside these. */
let bin: string;
beforeAll(() => {
  const modules = join(temporaryFolder(), 'node_modules');
  const installed = join(modules, 'turnwright');
  mkdirSync(installed, { recursive: true });
  cpSync(dirname(dirname(BIN)), join(installed, 'dist'), { recursive: true });
  cpSync(join(OURS, 'package.json'), join(installed, 'package.json'));
  for (const name of ['zod', '@vscode']) symlinkSync(join(OURS, 'node_modules', name), join(modules, name));
  for (const name of ['@azure', '@anthropic-ai']) symlinkSync(join(PACKAGES, name), join(modules, name));
  bin = join(installed, 'dist', 'bin', 'turnwright');
});

interface TokenRequest {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
}

/** Gives `entra-token-1`, `entra-token-2` … to the client that knows the secret. */
async function startLoginServer() {
  const asked: TokenRequest[] = [];
  const tls = { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) };
  const server = createServer(tls, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = (status: number, json: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    };
    if (path === '/adfs/.well-known/openid-configuration')
      return answer(200, {
        issuer: `${url}/adfs`,
        authorization_endpoint: `${url}/adfs/oauth2/authorize`,
        token_endpoint: `${url}/adfs/oauth2/token`,
        jwks_uri: `${url}/adfs/discovery/keys`,
      });
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
    asked.push({ path, form });
    if (form['client_secret'] !== 'the-secret')
      return answer(401, {
        error: 'invalid_client',
        error_description: 'AADSTS7000215: Invalid client secret.',
      });
    answer(200, { token_type: 'Bearer', expires_in: 3600, access_token: `entra-token-${asked.length}` });
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  onTestFinished(() => void server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

const PARIS = { kind: 'message', parts: [{ kind: 'text', text: 'Paris.' }] } as const;
const LOOKS = {
  kind: 'message',
  parts: [{ kind: 'call', id: 'toolu_1', name: 'Glob', input: { pattern: '*' } }],
} as const;

async function foundry(token: string) {
  const server = await startFoundryServer({ token, deployments: ['claude-team'] });
  onTestFinished(() => server.close());
  return server;
}

const ask = (url: string, env: Readonly<Record<string, string>>) =>
  turnwright(['-p', 'capital of France?', '--model', 'claude-team'], {
    bin,
    env: {
      CLAUDE_CODE_USE_FOUNDRY: '1',
      ANTHROPIC_FOUNDRY_BASE_URL: `${url}/anthropic`,
      NODE_EXTRA_CA_CERTS: CERTIFICATE,
      ...env,
    },
  });

const application = (authority: string, secret = 'the-secret') => ({
  AZURE_AUTHORITY_HOST: authority,
  // The one tenant whose authority is taken as it is: others are looked up at Microsoft first.
  AZURE_TENANT_ID: 'adfs',
  AZURE_CLIENT_ID: 'the-application',
  AZURE_CLIENT_SECRET: secret,
});

describe('an Azure login', () => {
  test('of an application: one token for all requests, asked for the scope of Foundry', async () => {
    const [login, server] = [await startLoginServer(), await foundry('entra-token-1')];
    server.answerWith(LOOKS, PARIS);
    expect(await ask(server.url, application(login.url))).toMatchObject({ code: 0, stdout: 'Paris.\n' });
    expect(server.received).toHaveLength(2);
    expect(login.asked).toMatchObject([
      {
        path: '/adfs/oauth2/token',
        form: {
          grant_type: 'client_credentials',
          client_id: 'the-application',
          scope: expect.stringContaining('https://ai.azure.com/.default'),
        },
      },
    ]);
  });

  test('whose token is refused is made again, once', async () => {
    const [login, server] = [await startLoginServer(), await foundry('entra-token-2')];
    server.answerWith(PARIS);
    expect(await ask(server.url, application(login.url))).toMatchObject({ code: 0, stdout: 'Paris.\n' });
    expect(login.asked).toHaveLength(2);
  });

  test('that fails is named, with what to do', async () => {
    const [login, server] = [await startLoginServer(), await foundry('entra-token-1')];
    const ran = await ask(server.url, application(login.url, 'wrong'));
    expect(ran.code).toBe(1);
    expect(`${ran.stdout}${ran.stderr}`).toContain(
      'Azure credentials could not be obtained: AADSTS7000215: Invalid client secret. Log in again (`az login`), or',
    );
    expect(server.received).toEqual([]);
  });

  test('by the command line of Azure', async () => {
    const server = await foundry('entra-token-of-az');
    server.answerWith(PARIS);
    const folder = temporaryFolder();
    const expiresOn = '2100-01-01 00:00:00.000000';
    const token = { accessToken: 'entra-token-of-az', expiresOn, tokenType: 'Bearer' };
    writeFileSync(join(folder, 'az'), `#!/bin/sh\necho '${JSON.stringify(token)}'\n`, { mode: 0o755 });
    const ran = await ask(server.url, {
      AZURE_TOKEN_CREDENTIALS: 'AzureCliCredential',
      PATH: `${folder}:${process.env['PATH']}`,
    });
    expect(ran).toMatchObject({ code: 0, stdout: 'Paris.\n' });
  });
});
