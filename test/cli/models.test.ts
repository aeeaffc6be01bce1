/** `turnwright models` against endpoints that list their models, and one that does not. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { modelsCommand } from '../../src/cli/commands/models-command.ts';
import { checkModel } from '../../src/cli/doctor/check-model.ts';
import { parseArgs } from '../../src/cli/flags/args.ts';
import type { World } from '../../src/cli/world.ts';
import { resolveModelAlias } from '../../src/model/catalog/model-info.ts';
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
  let written = '';
  const world = {
    ...worldOf(env, settings),
    out: {
      async write(text: string) {
        written += text;
      },
    },
  } as unknown as World;
  expect(await modelsCommand(world, { json: isJson })).toBe(0);
  return written;
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
    'Prices: https://claude.com/pricing, 2026-11-01.',
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
