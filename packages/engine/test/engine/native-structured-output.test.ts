/** `outputFormat` by the provider's own means: real servers of each API, through `query()`. */
import { createOpenAI } from '@ai-sdk/openai';
import { systemClock } from '@turnwright/base/clock.ts';
import { startBedrockServer } from '@turnwright/test/model/wires/bedrock-server.ts';
import { AWS_ENV, KEYS } from '@turnwright/test/model/wires/cloud-clients.ts';
import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import { startChatServer } from '@turnwright/test/model/wires/openai-chat-server.ts';
import { startResponsesServer } from '@turnwright/test/model/wires/openai-responses-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { recordingStore, type ServerAnswer } from '@turnwright/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openModelClient } from '../../src/engine/models/open-model-client.ts';
import type { ProviderConfig } from '../../src/protocol/model/provider-config.ts';
import { query } from '../../src/sdk/query/query.ts';
import type { Options } from '../../src/sdk/query-options.ts';

const schema = {
  type: 'object',
  properties: { tree: { type: 'string' } },
  required: ['tree'],
  additionalProperties: false,
} as const;
const TOOL = 'StructuredOutput';

const servers: WireServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function started(start: () => Promise<WireServer>, ...answers: readonly ServerAnswer[]) {
  const server = await start();
  servers.push(server);
  server.answerWith(...answers);
  return server;
}

const says = (text: string) => ({ kind: 'message', parts: [{ kind: 'text', text }] }) as const;
const calls = (name: string, input: Readonly<Record<string, unknown>>) =>
  ({ kind: 'message', parts: [{ kind: 'call', id: 'call_1', name, input }] }) as const;
const refuses = { kind: 'refusal', reason: 'bad_schema' } as const;
const LOOKS = {
  kind: 'message',
  parts: [
    { kind: 'text', text: '{"tree":"none yet"}' },
    { kind: 'call', id: 'call_1', name: 'Glob', input: { pattern: '*.nothing' } },
  ],
} as const;
const LARCH = says('{"tree":"larch"}');
const USES_THE_TOOL = calls(TOOL, { tree: 'larch' });

async function ask(provider: ProviderConfig, more: Options = {}) {
  const { results, error } = await gather(
    query({
      prompt: 'Which tree is it?',
      options: {
        cwd: tempFolder({}),
        tools: ['Glob'],
        outputFormat: { type: 'json_schema', schema },
        provider: 'mine',
        providers: { mine: provider },
        model: 'gpt-5.2',
        engine: { store: recordingStore() },
        ...more,
        env: { ANTHROPIC_API_KEY: 'sk-main', ...more.env },
      },
    }),
  );
  return { result: results[0], error };
}

/** What each request asked for: the schema by the API, the tool, or neither. */
const means = (server: WireServer) =>
  server.received.map(({ outputSchema, tools }) => [
    ...(outputSchema === undefined ? [] : ['schema']),
    ...tools.map(({ name }) => name).filter((name) => name === TOOL),
  ]);
const succeeded = { subtype: 'success', is_error: false, structured_output: { tree: 'larch' } };
const chat = (server: WireServer, structuredOutput?: 'native' | 'tool'): ProviderConfig => ({
  type: 'openai-compatible',
  baseUrl: `${server.url}/v1`,
  structuredOutput,
});

describe('the text of the last answer is the value', () => {
  it.each([
    ['chat completions', startChatServer, chat],
    [
      'responses',
      startResponsesServer,
      (server: WireServer) => ({ ...chat(server), api: 'responses' as const }),
    ],
    [
      'the Messages API',
      startMessagesServer,
      ({ url }: WireServer) => ({ type: 'anthropic' as const, baseUrl: url }),
    ],
  ] as const)('of %s', async (_api, start, provider) => {
    const server = await started(start, LARCH);
    const { result } = await ask({ ...provider(server), structuredOutput: 'native' });
    expect(result).toMatchObject({ ...succeeded, result: '{"tree":"larch"}', num_turns: 1 });
    expect(means(server)).toEqual([['schema']]);
    expect(server.received[0]).toMatchObject({ outputSchema: schema, tools: [{ name: 'Glob' }] });
  });

  it('of a model of the AI SDK', async () => {
    const server = await started(startResponsesServer, LARCH);
    const openai = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-checks' });
    const { result } = await ask({ type: 'ai-sdk', languageModel: openai.responses('gpt-5.2') });
    expect(result).toMatchObject(succeeded);
    expect(means(server)).toEqual([['schema']]);
  });

  it('of a model on Bedrock', async () => {
    const server = await started(() => startBedrockServer({ keys: KEYS, region: 'us-west-2' }), LARCH);
    const env = { ...AWS_ENV, CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_BEDROCK_BASE_URL: server.url };
    const { result } = await ask(
      { type: 'bedrock', structuredOutput: 'native' },
      { env, provider: 'bedrock', providers: { bedrock: { type: 'bedrock', structuredOutput: 'native' } } },
    );
    expect(result).toMatchObject(succeeded);
    expect(means(server)).toEqual([['schema']]);
  });

  it('not of an answer with calls: the work goes on, and the last answer counts', async () => {
    const server = await started(startChatServer, LOOKS, LARCH);
    const { result } = await ask(chat(server, 'native'));
    expect(result).toMatchObject({ ...succeeded, num_turns: 2 });
    expect(means(server)).toEqual([['schema'], ['schema']]);
  });

  it('not of an answer with calls, if a hook ends the run behind them', async () => {
    const server = await started(startChatServer, LOOKS);
    const stops = { hooks: [async () => ({ continue: false, stopReason: 'Enough.' })] };
    const { result } = await ask(chat(server, 'native'), { hooks: { PostToolUse: [stops] } });
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'hook_stopped',
      errors: ['A hook ended the run before a structured output was accepted'],
    });
    expect(result).not.toHaveProperty('structured_output');
  });

  it('of a schema of zod that judges it, also one that waits', async () => {
    const known = z.object({ tree: z.string().refine(async (tree) => tree === 'larch', 'not a tree') });
    const server = await started(startChatServer, LARCH);
    const { result } = await ask(chat(server, 'native'), { outputFormat: known });
    expect(result).toMatchObject({ ...succeeded, num_turns: 1 });
    expect(server.received[0]?.outputSchema).toMatchObject({ ...schema, additionalProperties: false });
  });

  it('not of an answer that the schema of zod refuses: the tool says why', async () => {
    const known = z
      .object({ tree: z.string().transform((tree) => tree.toUpperCase()) })
      .refine(({ tree }) => tree === 'LARCH', 'not a tree');
    const server = await started(
      startChatServer,
      says('{"tree":"shrub"}'),
      calls(TOOL, { tree: 'bush' }),
      USES_THE_TOOL,
    );
    const { result } = await ask(chat(server, 'native'), { outputFormat: known });
    expect(result).toMatchObject({ structured_output: { tree: 'LARCH' }, result: '{"tree":"larch"}' });
    expect(JSON.stringify(server.received[2])).toContain('The value: not a tree');
    expect(means(server)).toEqual([['schema'], [TOOL], [TOOL]]);
  });

  it('whatever its type is: a list is carried in an object', async () => {
    const list = { type: 'array', items: { type: 'string' } } as const;
    const server = await started(startChatServer, says('{"value":["larch","fir"]}'));
    const { result } = await ask(chat(server, 'native'), {
      outputFormat: { type: 'json_schema', schema: list },
    });
    expect(result).toMatchObject({ structured_output: ['larch', 'fir'], result: '["larch","fir"]' });
    expect(server.received[0]?.outputSchema).toMatchObject({ type: 'object', properties: { value: list } });
  });
});

describe('the tool takes over', () => {
  it.each([
    ['chat completions', startChatServer, chat],
    [
      'the Messages API',
      startMessagesServer,
      ({ url }: WireServer) => ({ type: 'anthropic' as const, baseUrl: url }),
    ],
  ] as const)('where %s refuse the schema, which costs one request', async (_api, start, provider) => {
    const server = await started(start, refuses, LOOKS, USES_THE_TOOL);
    const { result } = await ask({ ...provider(server), structuredOutput: 'native' });
    expect(result).toMatchObject(succeeded);
    expect(means(server)).toEqual([['schema'], [TOOL], [TOOL]]);
  });

  it('where the answer does not keep to the schema: counted like any other attempt', async () => {
    const wrong = says('It is a larch.');
    const server = await started(startChatServer, wrong, wrong, wrong, wrong, wrong, USES_THE_TOOL);
    const { result } = await ask(chat(server, 'native'));
    expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries' });
    expect(means(server)).toEqual([['schema'], [TOOL], [TOOL], [TOOL], [TOOL]]);
  });
});

describe('by default', () => {
  it('Claude models get the tool, as the streams of their users show it', async () => {
    const server = await started(startMessagesServer, USES_THE_TOOL);
    const { result } = await ask({ type: 'anthropic', baseUrl: server.url });
    expect(result).toMatchObject(succeeded);
    expect(means(server)).toEqual([[TOOL]]);
  });

  it('a compatible server gets the tool beside other tools, and the schema where there are none', async () => {
    const server = await started(startChatServer, USES_THE_TOOL);
    expect((await ask(chat(server))).result).toMatchObject(succeeded);
    server.answerWith(LARCH);
    expect((await ask(chat(server), { tools: [] })).result).toMatchObject(succeeded);
    expect(means(server)).toEqual([[TOOL], ['schema']]);
  });

  it.each([
    ['https://api.openai.com/v1', 'with_tools'],
    ['https://house.openai.azure.com/openai/v1', 'with_tools'],
    ['https://api.openai.com.example.org/v1', 'without_tools'],
    ['http://localhost:11434/v1', 'without_tools'],
  ])('%s: %s', async (baseUrl, expected) => {
    const client = openModelClient(
      {
        cwd: '/work',
        tools: [],
        provider: 'mine',
        providers: { mine: { type: 'openai-compatible', baseUrl } },
      },
      { clock: systemClock, random: Math.random, onAttempt: () => {} },
    );
    expect(client.infoOf('gpt-5.2').structuredOutput).toBe(expected);
    await client.close();
  });
});
