/** `turnwright models` against endpoints that list their models, and one that does not. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAuthCommand } from '../../packages/cli/src/commands/auth-command.ts';
import { runModelsCommand } from '../../packages/cli/src/commands/models-command.ts';
import { checkModel } from '../../packages/cli/src/doctor/check-model.ts';
import { parseArgs } from '../../packages/cli/src/flags/args.ts';
import type { World } from '../../packages/cli/src/world.ts';
import { resolveModelAlias } from '../../packages/engine/src/model/catalog/model-info.ts';
import { type Answer, apiServer } from '../model/api-server.ts';
import { startOllama, startOpenRouter } from '../model/wires/local-servers.ts';
import { tempFolder } from '../scenarios/temp-folder.ts';

const json =
  (status: number, body: unknown): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

async function listed(isJson: boolean, ...answers: Answer[]) {
  const server = await apiServer(...answers);
  onTestFinished(() => server.close());
  const written = await listedIn({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_MODEL: 'house:8b' }, isJson);
  return { written, urls: server.received.map(({ url }) => url), url: server.url };
}

/** With a configuration home that has these settings. */
function worldOf(env: Readonly<Record<string, string>>, settings: object = {}) {
  const home = tempFolder();
  writeFileSync(join(home, 'settings.json'), JSON.stringify(settings));
  return { cwd: home, env: { TURNWRIGHT_HOME: home, ...env } };
}

async function listedIn(env: Readonly<Record<string, string>>, isJson = false, settings: object = {}) {
  const { world, written } = writing(worldOf(env, settings));
  expect(await runModelsCommand(world, { json: isJson })).toBe(0);
  return written();
}

function writing(place: ReturnType<typeof worldOf>) {
  let text = '';
  const out = {
    async write(more: string) {
      text += more;
    },
  };
  return { world: { ...place, out } as unknown as World, written: () => text };
}

it('lists all pages, with sizes that the endpoint states and prices that are known', async () => {
  const { written, urls, url } = await listed(
    false,
    json(200, {
      data: [{ id: 'claude-haiku-5-5', display_name: 'Claude Haiku 5.5', type: 'model' }],
      has_more: true,
      last_id: 'claude-haiku-5-5',
    }),
    json(200, { data: [{ id: 'house:8b', max_model_len: 32_768 }, { object: 'nameless' }], has_more: false }),
  );
  expect(urls).toEqual(['/v1/models?limit=1000', '/v1/models?limit=1000&after_id=claude-haiku-5-5']);
  expect(written.split('\n')).toEqual([
    `Models of ${url}; prices in USD per million tokens.`,
    '',
    expect.stringMatching(/^model +sizes from +window +max output +input +cache read +output$/),
    expect.stringMatching(/^claude-haiku-5-5 +list +1\.00M +128\.0k +0\.1 +0\.01 +0\.5 \+$/),
    expect.stringMatching(/^house:8b \* +endpoint +32\.8k +8\.2k +\? +\? +\?$/),
    '',
    expect.stringMatching(/^\* the default\. opus is claude-opus-5-5, /),
    '+ claude-haiku-5-5: 0.5 and 2.5 for prompts above 100.0k tokens.',
    'Prices: https://claude.com/pricing, 2026-11-24.',
    '?: no price is known; give one under "models" in the settings.',
    '',
  ]);
});

it('says why there is no list, and lists what is known without it; JSON has the same', async () => {
  const { written } = await listed(false, json(404, { error: 'not found' }));
  expect(written).toContain('was not read: The endpoint does not list its models (404).');
  expect(written).toMatch(/^claude-opus-5-5 +list/m);
  const refused = await listed(
    true,
    json(401, { type: 'error', error: { type: 'authentication_error', message: 'no' } }),
  );
  expect(JSON.parse(refused.written)).toMatchObject({
    baseUrl: refused.url,
    unlisted: expect.stringContaining('no'),
    defaultModel: 'house:8b',
    aliases: { opus: 'claude-opus-5-5' },
  });
});

it('the default model is named in the help and in the README', () => {
  const help = parseArgs(['--help'], '');
  const name = resolveModelAlias('default', {});
  expect('text' in help ? help.text.replaceAll(/\s+/g, ' ') : '').toContain(`default ${name}`);
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(
    `the model is \`${name}\``,
  );
});

const LIST = { object: 'list', data: [{ id: 'qwen3:8b', object: 'model', max_model_len: 16_384 }] };
const named = (url: string) => ({
  provider: 'mine',
  providers: { mine: { type: 'openai-compatible', baseUrl: `${url}/openai/`, apiKeyEnv: 'MINE_KEY' } },
  model: 'qwen3:8b',
});
const KEYS = { MINE_KEY: 'sk-mine', ANTHROPIC_API_KEY: 'sk-main', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };

it('lists the models of a named provider, at its address and with its key alone', async () => {
  const server = await apiServer(json(200, LIST));
  onTestFinished(() => server.close());
  const written = await listedIn(KEYS, false, named(server.url));
  expect(written).toContain(`Models of mine (${server.url}/openai`);
  expect(written).toMatch(/^qwen3:8b \* +endpoint +16\.4k/m);
  expect(server.received.map(({ url }) => url)).toEqual(['/openai/models?limit=1000']);
  expect(server.received[0]?.headers['authorization']).toBe('Bearer sk-mine');
  expect(JSON.stringify(server.received)).not.toContain('sk-main');
});

it('lists what a local server knows of its models beside their names', async () => {
  const server = await startOllama({
    'gemma:2b': { capabilities: ['completion'] },
    'qwen3:8b': { capabilities: ['completion', 'tools', 'vision', 'thinking'], loadedContext: 16_384 },
  });
  onTestFinished(() => server.close());
  const written = await listedIn({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_MODEL: 'qwen3:8b' });
  expect(written).toMatch(/^model +sizes from +takes no +window/m);
  expect(written).toMatch(/^gemma:2b +endpoint +images, tools, thinking +41\.0k/m);
  expect(written).toMatch(/^qwen3:8b \* +endpoint +16\.4k/m);
});

it('lists the prices of an endpoint that states some', async () => {
  const server = await startOpenRouter();
  onTestFinished(() => server.close());
  const written = await listedIn({ ANTHROPIC_BASE_URL: `${server.url}/api`, ANTHROPIC_AUTH_TOKEN: 'sk-or' });
  expect(written).toMatch(/^sees\/all +endpoint +262\.1k +32\.8k +3 +0\.3 +15$/m);
  expect(written).toContain('Prices without a date: as the endpoint states them.');
});

it('a cloud lists no models, and nothing is asked', async () => {
  const written = await listedIn({ ...KEYS, CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-west-2' });
  expect(written).toContain('bedrock was not read: The provider bedrock lists no models.');
});

it('the doctor asks a named provider, and names it with the source of its key', async () => {
  const server = await apiServer(json(200, { id: 'qwen3:8b', object: 'model' }));
  onTestFinished(() => server.close());
  const checks = await checkModel(worldOf(KEYS, named(server.url)));
  expect(checks).toMatchObject([
    { name: 'credentials', state: 'ok', detail: 'from MINE_KEY' },
    { name: 'API', state: 'ok', detail: expect.stringMatching(/^mine \(http.*\/openai\) lets us in/) },
    { name: 'model', state: 'ok', detail: expect.stringMatching(/^qwen3:8b; --model/) },
  ]);
  expect(server.received.map(({ url }) => url)).toEqual(['/openai/models/qwen3%3A8b']);
});

describe('a configured model of another provider than the session has', () => {
  const NO_KEY = { ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', OLLAMA_API_KEY: '' };
  const model = 'ollama:qwen3:8b';

  async function ollama() {
    const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 }, 'gemma:2b': {} });
    onTestFinished(() => server.close());
    return { server, env: { ...NO_KEY, OLLAMA_HOST: `127.0.0.1:${server.port}` } };
  }

  it('models lists those of its provider, by the names that this session asks for them with', async () => {
    const { env } = await ollama();
    const written = await listedIn(env, false, { model });
    expect(written).toMatch(/^Models of ollama \(http:\/\/127\.0\.0\.1:/);
    expect(written).toMatch(/^ollama:qwen3:8b \* +endpoint/m);
    expect(written).toMatch(/^ollama:gemma:2b +endpoint/m);
  });

  it('doctor asks its provider, which needs no key of the first party', async () => {
    const { server, env } = await ollama();
    expect(await checkModel(worldOf(env, { model }))).toMatchObject([
      { name: 'credentials', state: 'ok', detail: 'none; the server asks for none' },
      { name: 'API', state: 'ok', detail: expect.stringMatching(/^ollama \(.*\/v1\) lets us in/) },
      { name: 'model', state: 'ok', detail: expect.stringMatching(/^ollama:qwen3:8b; --model/) },
    ]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/v1/models/qwen3%3A8b']);
  });

  it('doctor says what to do about a local server that is not there', async () => {
    const checks = await checkModel(worldOf({ ...NO_KEY, OLLAMA_HOST: '127.0.0.1:9' }, { model }));
    expect(checks).toMatchObject([
      { state: 'warning', detail: expect.stringContaining('OLLAMA_API_KEY is not set') },
      {
        state: 'problem',
        detail: expect.stringMatching(/cannot be reached: .* Start the server, or give its/),
      },
      {},
    ]);
  });

  it('where a variable asks for a cloud, doctor and models send no request', async () => {
    const { server, env } = await ollama();
    const locked = { ...env, CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-west-2' };
    const checks = await checkModel(worldOf(locked, { model }));
    expect(checks.at(-1)).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('CLAUDE_CODE_USE_BEDROCK is set, so no model of the provider "ollama"'),
    });
    expect(await listedIn(locked, false, { model })).toContain('CLAUDE_CODE_USE_BEDROCK is set');
    expect(server.requests).toEqual([]);
  });
});

it('doctor names the model of a session that names none', async () => {
  const server = await apiServer(json(200, { id: 'claude-opus-5-5', type: 'model' }));
  onTestFinished(() => server.close());
  const checks = await checkModel(worldOf({ ANTHROPIC_API_KEY: 'sk-main', ANTHROPIC_BASE_URL: server.url }));
  expect(checks.at(-1)?.detail).toMatch(new RegExp(`^${resolveModelAlias('default', {})}; --model`));
});

describe('auth status', () => {
  const router = { type: 'anthropic', baseUrl: 'https://openrouter.ai/api', apiKeyEnv: 'OPENROUTER_API_KEY' };
  const settings = { providers: { router }, model: 'router:qwen/qwen3-coder' };
  it.each<[string, Record<string, string>, object, object, string]>([
    [
      'a named provider with its key',
      { OPENROUTER_API_KEY: 'sk-or' },
      settings,
      { loggedIn: true, authMethod: 'api_key', apiProvider: 'router', apiKeySource: 'OPENROUTER_API_KEY' },
      'Credentials from OPENROUTER_API_KEY.',
    ],
    [
      'a named provider whose key is missing, beside a key of the first party',
      { ANTHROPIC_API_KEY: 'sk-main' },
      settings,
      { loggedIn: false, authMethod: 'none', apiProvider: 'router', apiKeySource: 'none' },
      'No credentials for router: OPENROUTER_API_KEY is not set. Many local servers ask for none.',
    ],
    [
      'a local server',
      {},
      { model: 'llamacpp:qwen3' },
      { loggedIn: false, apiProvider: 'llamacpp', apiKeySource: 'none' },
      'No credentials for llamacpp: LLAMA_API_KEY is not set. Many local servers ask for none.',
    ],
    [
      'a cloud',
      { CLAUDE_CODE_USE_BEDROCK: '1', AWS_REGION: 'us-west-2' },
      {},
      { loggedIn: true, authMethod: 'third_party', apiProvider: 'bedrock', apiKeySource: 'none' },
      'Credentials of bedrock; they are read with the first request.',
    ],
  ])('%s', async (_, env, given, status, sentence) => {
    expect(JSON.parse(await statusIn(env, given, true))).toMatchObject(status);
    expect(await statusIn(env, given, false)).toBe(`${sentence}\n`);
  });

  async function statusIn(env: Readonly<Record<string, string>>, given: object, asJson: boolean) {
    const { world, written } = writing(worldOf(env, given));
    expect(await runAuthCommand(world, asJson)).toBe(0);
    return written();
  }
});
