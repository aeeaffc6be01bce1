/** Stored logins: where they come in the order of credentials, what file they are in, and what is refused. */
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeLogin, storeApiKeyHelper, storeLogin } from '../../src/sdk/logins.ts';
import { resolveConfig } from '../../src/settings/resolve/resolve-config.ts';

const API = 'https://api.anthropic.com';
let root: string;
let cwd: string;
let home: string;
let env: Record<string, string>;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-logins-')));
  cwd = join(root, 'project');
  home = join(root, 'home');
  env = { HOME: root, TURNWRIGHT_HOME: home };
  await mkdir(cwd);
});
afterEach(() => rm(root, { recursive: true }));

const place = () => ({ cwd, env });
const file = () => join(home, 'logins.json');

async function connectionWith(
  more: Record<string, string> = {},
  settingSources: ('user' | 'project')[] = ['user'],
) {
  const { config, warnings, isModelConfigured } = await resolveConfig({
    cwd,
    env: { ...env, ...more },
    options: { settingSources },
    files: nodeFiles,
  });
  const { apiKey, authToken, apiKeySource, headers } = config;
  return { apiKey, authToken, apiKeySource, headers, warnings, isModelConfigured };
}

describe('a stored key', () => {
  it('is used by sessions that read the user’s settings, and by no others', async () => {
    await storeLogin(API, { apiKey: 'stored' }, place());
    expect(await connectionWith()).toMatchObject({
      apiKey: 'stored',
      apiKeySource: 'login',
      isModelConfigured: true,
    });
    expect(await connectionWith({}, ['project'])).toMatchObject({
      apiKey: undefined,
      apiKeySource: 'none',
      isModelConfigured: false,
    });
  });

  it.each([
    ['ANTHROPIC_API_KEY', { ANTHROPIC_API_KEY: 'given' }],
    ['ANTHROPIC_AUTH_TOKEN', { ANTHROPIC_AUTH_TOKEN: 'given' }],
    ['CLAUDE_CODE_OAUTH_TOKEN', { CLAUDE_CODE_OAUTH_TOKEN: 'given' }],
    ['none', { ANTHROPIC_CUSTOM_HEADERS: 'Authorization: Bearer given' }],
  ])('comes after %s', async (source, given) => {
    await storeLogin(API, { apiKey: 'stored' }, place());
    const found = await connectionWith(given);
    expect(found.apiKeySource).toBe(source);
    expect(found.apiKey).not.toBe('stored');
  });

  it('comes after the setting apiKeyHelper, which a login can set', async () => {
    await storeLogin(API, { apiKey: 'stored' }, place());
    expect(await storeApiKeyHelper('pass show key', place())).toBe(join(home, 'settings.json'));
    expect(await connectionWith()).toMatchObject({ apiKeySource: 'apiKeyHelper', apiKey: undefined });
  });

  it('is for one address, however that is spelled, and is sent to no other', async () => {
    await storeLogin('http://127.0.0.1:8080/gateway/', { apiKey: 'of the gateway' }, place());
    await storeLogin(API, { apiKey: 'of the API' }, place());
    const at = async (address: string) => (await connectionWith({ ANTHROPIC_BASE_URL: address })).apiKey;
    expect(await at('http://127.0.0.1:8080/gateway')).toBe('of the gateway');
    expect(await at('https://API.anthropic.com/')).toBe('of the API');
    expect(await at('http://127.0.0.1:8080')).toBeUndefined();
    expect(await at('https://api.anthropic.com.evil.example')).toBeUndefined();
  });

  it('is not for a provider with credentials of its own', async () => {
    await storeLogin(API, { apiKey: 'stored' }, place());
    expect(await connectionWith({ CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-east-1' })).toMatchObject({
      apiKey: undefined,
      apiKeySource: 'none',
    });
  });

  it('is replaced by the next one, and removed alone or with all others', async () => {
    await storeLogin(API, { apiKey: 'first' }, place());
    await storeLogin(API, { authToken: 'second' }, place());
    await storeLogin('http://gateway', { apiKey: 'third' }, place());
    expect(await connectionWith()).toMatchObject({ apiKey: undefined, authToken: 'second' });
    expect(await removeLogin(`${API}/`, place())).toEqual([API]);
    expect(await removeLogin(API, place())).toEqual([]);
    expect(await connectionWith()).toMatchObject({ apiKeySource: 'none' });
    expect(await removeLogin('all', place())).toEqual(['http://gateway']);
    expect(await readdir(home)).toEqual([]);
  });
});

it('a token of a subscription is sent with the beta that it needs, another token without', async () => {
  await storeLogin(API, { authToken: 'sk-ant-oat01-abc' }, place());
  expect((await connectionWith()).headers).toEqual({ 'anthropic-beta': 'oauth-2025-04-20' });
  await storeLogin(API, { authToken: 'other' }, place());
  expect((await connectionWith()).headers).toEqual({});
});

describe.skipIf(process.platform === 'win32')('the file', () => {
  it('is for its owner alone, also after others could read it, which is a warning', async () => {
    await storeLogin(API, { apiKey: 'stored' }, place());
    await chmod(file(), 0o644);
    expect((await connectionWith()).warnings).toEqual([
      `${file()} holds keys, and others may read it. Run: chmod 600 ${file()}`,
    ]);
    await storeLogin(API, { apiKey: 'again' }, place());
    expect([(await stat(file())).mode & 0o777, (await stat(home)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect((await connectionWith()).warnings).toEqual([]);
    expect(await readdir(home)).toEqual(['logins.json']);
  });

  it('may not be a link: neither read nor written through one', async () => {
    const theirs = join(root, 'theirs.json');
    await writeFile(theirs, JSON.stringify({ version: 1, logins: { [API]: { apiKey: 'planted' } } }));
    await mkdir(home);
    await symlink(theirs, file());
    const refusal = `${file()} cannot be used: it is a link, and credentials are not read or written through one.`;
    await expect(connectionWith()).rejects.toThrow(refusal);
    await expect(storeLogin(API, { apiKey: 'mine' }, place())).rejects.toThrow(refusal);
    expect(await readFile(theirs, 'utf8')).not.toContain('mine');
    // With a credential of the environment nobody looks for the file.
    expect(await connectionWith({ ANTHROPIC_API_KEY: 'given' })).toMatchObject({ apiKey: 'given' });
  });

  it('is found in a home that is a link', async () => {
    await mkdir(join(root, 'real'));
    await symlink(join(root, 'real'), home);
    await storeLogin(API, { apiKey: 'stored' }, place());
    expect(await connectionWith()).toMatchObject({ apiKey: 'stored' });
  });

  it.each([
    ['is no JSON', 'x'],
    ['holds something else', '{"logins":[]}'],
  ])('that %s is refused by name, without its content', async (_, text) => {
    await mkdir(home);
    await writeFile(file(), text);
    await expect(connectionWith()).rejects.toThrow(
      `${file()} cannot be used: it holds no list of logins. Remove it, and log in again: turnwright login.`,
    );
  });
});

describe('nothing is stored', () => {
  it('in a project', async () => {
    await mkdir(join(cwd, '.git'));
    env['TURNWRIGHT_HOME'] = join(cwd, '.turnwright');
    await expect(storeLogin(API, { apiKey: 'x' }, place())).rejects.toThrow(
      `Credentials are not stored inside a project, and ${join(cwd, '.turnwright')} lies in ${cwd}.`,
    );
  });

  it('without a home', async () => {
    await expect(storeLogin(API, { apiKey: 'x' }, { cwd, env: {} })).rejects.toThrow(
      'There is no home to keep credentials in. Set TURNWRIGHT_HOME or HOME.',
    );
  });
});

it('a home folder under version control is no project', async () => {
  await mkdir(join(root, '.git'));
  await storeLogin(API, { apiKey: 'stored' }, { cwd: root, env: { HOME: root } });
  expect(await readdir(join(root, '.claude'))).toEqual(['logins.json']);
});
