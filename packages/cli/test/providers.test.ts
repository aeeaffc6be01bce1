/** The command line with a provider of its flags, and no key of the first party. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { modelAccess } from '@turnwright/engine';
import { turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { startOllama } from '@turnwright/test/model/wires/local-servers.ts';
import { startChatServer } from '@turnwright/test/model/wires/openai-chat-server.ts';
import { expect, onTestFinished, test } from 'vitest';

test('an OpenAI-compatible server is asked by its address alone', async () => {
  const server = await startChatServer();
  onTestFinished(() => server.close());
  server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Paris.' }] });
  const flags = ['--provider', 'openai-compatible', '--base-url', `${server.url}/v1`, '--model', 'qwen3:8b'];
  expect(await turnwright(['-p', ...flags, 'capital of France?'])).toMatchObject({
    code: 0,
    stdout: 'Paris.\n',
  });
});

test('an unknown provider is named, with those that are known', async () => {
  expect(await turnwright(['-p', '--provider', 'nope', 'hi'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no provider "nope". Known are anthropic,'),
  });
});

test.each([
  ['by a flag', ['--model', 'ollama:qwen3:8b'], {}],
  ['by a variable', [], { ANTHROPIC_MODEL: 'ollama:qwen3:8b' }],
  ['by given settings', ['--settings', '{"model":"ollama:qwen3:8b"}'], {}],
])('a model of a local server is all that a run needs: %s', async (_, flags, env) => {
  const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
  onTestFinished(() => server.close());
  server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Paris.' }] });
  const place = { env: { OLLAMA_HOST: `127.0.0.1:${server.port}`, ...env } };
  expect(await commandLine(['-p', ...flags, 'capital of France?'], place)).toMatchObject({
    code: 0,
    stdout: 'Paris.\n',
    stderr: '',
  });
});

test('a window too small for an agent ends the run, and both sentences say what to do', async () => {
  const server = await startOllama({ 'qwen3:8b': { loadedContext: 4_096 } });
  onTestFinished(() => server.close());
  const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` };
  const { code, stderr } = await commandLine(['-p', '--model', 'ollama:qwen3:8b', 'hi'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('Start Ollama with OLLAMA_CONTEXT_LENGTH=64000');
  expect(stderr).toContain('take a model with a larger window');
  expect(server.received).toEqual([]);
});

test('a name with a colon that is of no provider configures nothing', async () => {
  expect(await commandLine(['-p', '--model', 'qwen3:8b', 'hi'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/No model is configured\..*--model ollama:/s),
  });
});

test('what the environment has for other vendors is named where no model is configured', async () => {
  const env = { OPENAI_API_KEY: 'sk-secret', OLLAMA_HOST: '127.0.0.1:9' };
  const { code, stderr } = await commandLine(['-p', 'hi'], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('OLLAMA_HOST is set: --model ollama:<name> asks that server.');
  expect(stderr).toContain('OPENAI_API_KEY is set: --model openai:<name> asks OpenAI.');
  expect(stderr).not.toContain('OPENROUTER_API_KEY');
  expect(stderr).not.toContain('sk-secret');
});

test.each([
  ['its variable', [], (url: string) => ({ OPENAI_BASE_URL: url })],
  ['the flag', (url: string) => ['--base-url', url], () => ({})],
  [
    'the flag, not its variable',
    (url: string) => ['--base-url', url],
    () => ({ OPENAI_BASE_URL: 'http://127.0.0.1:9' }),
  ],
] as const)(
  'a qualified model of an OpenAI-compatible server is asked at the address of %s',
  async (_, flags, env) => {
    const server = await startChatServer();
    onTestFinished(() => server.close());
    server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Paris.' }] });
    const given = typeof flags === 'function' ? flags(`${server.url}/v1`) : flags;
    const place = {
      env: { ...env(`${server.url}/v1`), OPENAI_API_KEY: 'sk-mine', ANTHROPIC_API_KEY: 'sk-other' },
    };
    const ran = await commandLine(
      ['-p', ...given, '--model', 'openai-compatible:my-model', 'capital?'],
      place,
    );
    expect(ran).toMatchObject({ code: 0, stdout: 'Paris.\n' });
    expect(String(server.received[0]?.body)).toContain('"model":"my-model"');
    expect(JSON.stringify(server.received)).not.toContain('sk-other');
  },
);

test.each([
  ['openai-compatible:my-model', {}, 'needs the address of its API: --base-url, or OPENAI_BASE_URL'],
  ['openai:gpt-5', {}, 'The provider "openai" needs a key: set OPENAI_API_KEY.'],
  ['openrouter:x/y', {}, 'The provider "openrouter" needs a key: set OPENROUTER_API_KEY.'],
  ['gemini:gemini-3-pro', {}, 'set GEMINI_API_KEY'],
  ['azure:gpt-5', { ANTHROPIC_API_KEY: 'k' }, 'There is no provider "azure".'],
  ['qwen3:8b', { ANTHROPIC_API_KEY: 'k' }, 'a model of Ollama is ollama:qwen3:8b'],
  ['openai/gpt-5', { ANTHROPIC_API_KEY: 'k' }, 'Did you mean "openai:gpt-5"?'],
  ['openai-compatible:m', { OPENAI_BASE_URL: 'localhost:9' }, 'The base URL (OPENAI_BASE_URL) must be'],
])('what the model %s lacks is named, and nothing is sent', async (model, env, lack) => {
  for (const key of [{}, { ANTHROPIC_API_KEY: 'sk-ant' }]) {
    const ran = await commandLine(['-p', '--model', model, 'hi'], { env: { ...key, ...env } });
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(lack) });
  }
});

test('a prefix that is no provider may be part of a name where another server takes the place of Anthropic', async () => {
  const access = { env: { ANTHROPIC_BASE_URL: 'http://localhost:11434' }, cwd: '/', settingSources: [] };
  const asked = await modelAccess({ ...access, env: { ...access.env, ANTHROPIC_MODEL: 'mistral:7b' } });
  expect(asked).toMatchObject({
    provider: 'anthropic',
    model: 'mistral:7b',
    baseUrl: 'http://localhost:11434',
  });
  expect(asked.unreachable).toBeUndefined();
});

/** model, environment → where it goes, by which API, with which key. */
const ROUTES = [
  ['openai:gpt-5', {}, ['openai', 'https://api.openai.com/v1', 'responses', 'OPENAI_API_KEY']],
  [
    'openai:gpt-5',
    { OPENAI_BASE_URL: 'https://gate.example/v1' },
    ['openai', 'https://gate.example/v1', 'chat completions', 'OPENAI_API_KEY'],
  ],
  [
    'openai:gpt-5',
    { OPENAI_BASE_URL: 'https://api.openai.com/v1' },
    ['openai', 'https://api.openai.com/v1', 'responses', 'OPENAI_API_KEY'],
  ],
  [
    'openrouter:x/y',
    { OPENAI_BASE_URL: 'https://gate.example/v1' },
    ['openrouter', 'https://openrouter.ai/api/v1', 'chat completions', 'OPENROUTER_API_KEY'],
  ],
  ['groq:a', {}, ['groq', 'https://api.groq.com/openai/v1', 'chat completions', 'GROQ_API_KEY']],
  ['deepseek:a', {}, ['deepseek', 'https://api.deepseek.com/v1', 'chat completions', 'DEEPSEEK_API_KEY']],
  [
    'gemini:a',
    {},
    [
      'gemini',
      'https://generativelanguage.googleapis.com/v1beta/openai',
      'chat completions',
      'GEMINI_API_KEY',
    ],
  ],
  ['xai:a', {}, ['xai', 'https://api.x.ai/v1', 'chat completions', 'XAI_API_KEY']],
  [
    'openai-compatible:a',
    { OPENAI_BASE_URL: 'http://localhost:8000/v1' },
    ['openai-compatible', 'http://localhost:8000/v1', 'chat completions', 'OPENAI_API_KEY'],
  ],
] as const;

test.each(ROUTES)('%s with %o goes to %j', async (model, env, [provider, baseUrl, api, apiKeyEnv]) => {
  const keys = Object.fromEntries(ROUTES.map(([, , route]) => [route[3], 'sk-1']));
  for (const more of [{}, { ANTHROPIC_API_KEY: 'k' }, { ANTHROPIC_BASE_URL: 'http://localhost:1' }]) {
    const asked = await modelAccess({
      cwd: '/',
      env: { ...keys, ...env, ...more, ANTHROPIC_MODEL: model },
      settingSources: [],
    });
    expect(asked).toMatchObject({ provider, baseUrl, api, apiKeyEnv });
    expect(asked.unreachable).toBeUndefined();
  }
});

test.each([
  ['gpt-5', /The model "gpt-5" is not known here, and \S+ says nothing of it/],
  ['claude-opus-9', /^$/],
  ['opus', /^$/],
])('a model that neither the list nor the server knows is warned of: %s', async (model, said) => {
  const server = createServer((_, response) => response.writeHead(404).end('{}')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'k' };
  const { stderr } = await commandLine(['-p', '--model', model, 'hi'], { env });
  const about = stderr.split('\n').filter((line) => line.includes('is not known here'));
  expect(about.join('\n')).toMatch(said);
});
