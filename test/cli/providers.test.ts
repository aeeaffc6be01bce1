/** The command line with a provider of its flags, and no key of the first party. */
import { expect, onTestFinished, test } from 'vitest';
import { startOllama } from '../model/wires/local-servers.ts';
import { startChatServer } from '../model/wires/openai-chat-server.ts';
import { turnwright } from './bin.ts';
import { commandLine } from './command-line.ts';

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
  expect(stderr).toContain('OPENAI_API_KEY is set: --provider openai-compatible --base-url https://api');
  expect(stderr).not.toContain('sk-secret');
});
