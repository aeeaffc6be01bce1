/** Which provider is asked, and what of one never reaches another. Real servers of the Messages API. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startBedrockServer } from '@turnwright/test/model/wires/bedrock-server.ts';
import { AWS_ENV, KEYS } from '@turnwright/test/model/wires/cloud-clients.ts';
import { startOllama } from '@turnwright/test/model/wires/local-servers.ts';
import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import { startChatServer } from '@turnwright/test/model/wires/openai-chat-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { collapsingClock } from '@turnwright/test/scenarios/collapsing-clock.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { recordingStore } from '@turnwright/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { smallModel } from '../../src/engine/side-calls/small-model.ts';
import type { ProviderConfig } from '../../src/protocol/model/provider-config.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';
import { query } from '../../src/sdk/query/query.ts';
import type { Options } from '../../src/sdk/query-options.ts';

let main: WireServer;
let local: WireServer;
beforeEach(async () => {
  [main, local] = await Promise.all([startMessagesServer(), startMessagesServer({ bare: true })]);
});
afterEach(() => Promise.all([main.close(), local.close()]));

const says = (text: string) => ({ kind: 'message', parts: [{ kind: 'text', text }] }) as const;

/** An image of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** More than a small window holds. */
const LONG = 'All work and no play makes Jack a dull boy. '.repeat(300);

/** Nothing on disk, and back-off takes no time. */
const engine = (more: Options['engine'] = {}): NonNullable<Options['engine']> => ({
  store: recordingStore(),
  clock: collapsingClock(),
  ...more,
});

const base = (env?: Options['env']): Options => ({
  cwd: '/work',
  tools: [],
  env: { ANTHROPIC_API_KEY: 'sk-main', ANTHROPIC_BASE_URL: main.url, LOCAL_KEY: 'sk-local', ...env },
  engine: engine(),
});

async function ask({ env, prompt = 'Hello.', ...more }: Options & { readonly prompt?: string }) {
  const { results, messages, error } = await gather(query({ prompt, options: { ...base(env), ...more } }));
  const [result] = results;
  return { result, messages, said: `${String(error ?? '')} ${JSON.stringify(results)}` };
}

const providers = (): Readonly<Record<string, ProviderConfig>> => ({
  local: { type: 'anthropic', baseUrl: local.url, apiKeyEnv: 'LOCAL_KEY' },
});

describe('the provider of a session', () => {
  it('the session asks the provider that is named', async () => {
    local.answerWith(says('Local.'));
    const { result } = await ask({ provider: 'local', providers: providers(), model: 'qwen3:8b' });
    expect(result).toMatchObject({ subtype: 'success', result: 'Local.' });
    expect(local.received).toMatchObject([{ model: 'qwen3:8b', credential: 'sk-local' }]);
    expect(main.received).toEqual([]);
  });

  it('the address of an option takes the place of that of the environment', async () => {
    local.answerWith(says('Local.'));
    await ask({ baseUrl: local.url, model: 'qwen3:8b' });
    expect(local.received).toMatchObject([{ credential: 'sk-main' }]);
    expect(main.received).toEqual([]);
  });

  it('a model of another provider is asked there, with its own key', async () => {
    local.answerWith(says('Local.'));
    const { result } = await ask({ providers: providers(), model: 'local:qwen3:8b' });
    expect(local.received).toMatchObject([{ model: 'qwen3:8b', credential: 'sk-local' }]);
    expect(local.received[0]?.body).not.toContain('sk-main');
    expect(Object.keys(result?.modelUsage ?? {})).toEqual(['local:qwen3:8b']);
    expect(main.received).toEqual([]);
  });

  it('what precedes a colon is a provider only if it is one', async () => {
    main.answerWith(says('Main.'));
    await ask({ providers: providers(), model: 'qwen3:8b' });
    expect(main.received).toMatchObject([{ model: 'qwen3:8b', credential: 'sk-main' }]);
  });

  it('an alias may be qualified', async () => {
    main.answerWith(says('Main.'));
    await ask({ providers: providers(), model: 'anthropic:haiku' });
    expect(main.received).toMatchObject([{ model: 'claude-haiku-5-5' }]);
  });

  it('a local server is known by its name, and needs no key of another provider', async () => {
    const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
    onTestFinished(() => server.close());
    server.answerWith(says('Local.'));
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}`, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' };
    const { result, said } = await ask({ env, model: 'ollama:qwen3:8b' });
    expect(said).toContain('Local.');
    expect(server.received).toMatchObject([{ model: 'qwen3:8b' }]);
    expect(server.requests.map(({ headers }) => headers['authorization'])).not.toContain('Bearer sk-main');
    expect(result?.modelUsage).toMatchObject({ 'ollama:qwen3:8b': { contextWindow: 40_960 } });
    expect(main.received).toEqual([]);
  });

  it('without credentials for Anthropic no prompt goes there, not even that of an agent with an alias', async () => {
    const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
    onTestFinished(() => server.close());
    const input = {
      description: 'Look',
      prompt: 'CANARY-1',
      subagent_type: 'general-purpose',
      model: 'haiku',
    };
    const call = { kind: 'call', id: 'toolu_1', name: 'Agent', input } as const;
    server.answerWith({ kind: 'message', parts: [call] }, says('Done.'));
    const proxied: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      proxied.push(request.url ?? '');
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const env = {
      OLLAMA_HOST: `127.0.0.1:${server.port}`,
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_BASE_URL: '',
    };
    const { result } = await ask({ env, model: 'ollama:qwen3:8b', tools: ['Agent'] });
    expect(result).toMatchObject({ result: 'Done.' });
    expect(server.received[1]?.body).toContain('No credentials for Anthropic are configured');
    expect(proxied).toEqual([]);
  });

  it('settings take the place of what is known of a name, and an address of its own that of the server', async () => {
    local.answerWith(says('Local.'), says('Local.'));
    const env = { OLLAMA_HOST: 'http://127.0.0.1:9' };
    const own = { ollama: { type: 'anthropic', baseUrl: local.url } } as const;
    await ask({ env, providers: own, model: 'ollama:qwen3:8b' });
    expect(local.received).toMatchObject([{ model: 'qwen3:8b' }]);
    const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
    onTestFinished(() => server.close());
    server.answerWith(says('Moved.'));
    const moved = await ask({ env, provider: 'ollama', baseUrl: `${server.url}/v1`, model: 'qwen3:8b' });
    expect(moved.result).toMatchObject({ result: 'Moved.' });
  });

  it('work beside the conversation is for the provider of its model', () => {
    const resolve = (name: string | undefined) => `resolved ${name}`;
    const small = (model: string) => smallModel(model, undefined, { resolve });
    expect(small('claude-opus-5-5')).toBe('resolved haiku');
    expect(small('us.anthropic.claude-opus-4-1-v1:0')).toBe('resolved haiku');
    expect(small('bedrock:claude-opus-5-5')).toBe('resolved bedrock:haiku');
    expect(small('router:anthropic/claude-opus-5.5')).toBe('router:anthropic/claude-opus-5.5');
    expect(small('ollama:qwen3:8b')).toBe('ollama:qwen3:8b');
  });

  it('F54 the fallback of an overloaded model may be that of another provider', async () => {
    const busy = { kind: 'refusal', reason: 'overloaded', headers: { 'retry-after': '0' } } as const;
    main.answerWith(busy, busy, busy);
    local.answerWith(says('Local.'));
    const { result, messages } = await ask({
      providers: providers(),
      model: 'haiku',
      fallbackModel: 'local:qwen3:8b',
    });
    expect(result).toMatchObject({ result: 'Local.' });
    expect(main.received).toHaveLength(3);
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: 'model_fallback',
        original_model: 'claude-haiku-5-5',
        fallback_model: 'local:qwen3:8b',
      }),
    );
  });
});

describe('two attempts at one answer', () => {
  const busy = { kind: 'refusal', reason: 'overloaded', headers: { 'retry-after': '0' } } as const;
  const texts = (messages: readonly object[]) =>
    messages.flatMap((message) => {
      const { type, message: sent, uuid, supersedes } = message as Extract<SDKMessage, { type: 'assistant' }>;
      return type === 'assistant' ? [{ content: sent.content, uuid, supersedes }] : [];
    });

  it.each([
    ['overloads', 'overloaded', [busy, busy]],
    ['stalls', 'stall', [{ kind: 'silence' }, { kind: 'silence' }]],
  ] as const)(
    'F54 after %s: what the first model has said is retracted, and never joined with the answer of the next',
    async (_what, how, earlier) => {
      const half = {
        kind: 'message',
        parts: [
          { kind: 'text', text: 'Half a sentence' },
          { kind: 'text', text: 'and another half' },
        ],
        breaks: { at: 'end', how },
      } as const;
      main.answerWith(...earlier, half);
      local.answerWith(says('Local.'));
      const { result, messages } = await ask({
        engine: engine({ timeouts: { headersMs: 300, idleMs: 300, answerMs: 300 } }),
        includePartialMessages: true,
        providers: providers(),
        model: 'haiku',
        fallbackModel: 'local:qwen3:8b',
      });
      expect(result).toMatchObject({ result: 'Local.' });
      expect(local.received).toHaveLength(1);
      expect(local.received[0]?.body).not.toMatch(/Half a sentence|another half/);
      const [first, second, last] = texts(messages);
      expect(last).toMatchObject({
        content: [{ type: 'text', text: 'Local.' }],
        supersedes: [first?.uuid, second?.uuid],
      });
    },
  );
});

describe('a fallback model with other abilities', () => {
  const busy = { kind: 'refusal', reason: 'overloaded', headers: { 'retry-after': '0' } } as const;
  const modelsOf = (models: Readonly<Record<string, object>>) => ({ settings: { models } });
  const said = (messages: readonly { type: string }[], subtype: string) =>
    messages.filter((message) => 'subtype' in message && message.subtype === subtype);

  it('F55 one that takes no images gets a text in the place of each', async () => {
    main.answerWith(busy, busy, busy);
    local.answerWith(says('Local.'));
    const source = { type: 'base64', media_type: 'image/png', data: PNG } as const;
    const { results } = await gather(
      query({
        prompt: (async function* () {
          yield {
            type: 'user' as const,
            parent_tool_use_id: null,
            message: {
              role: 'user' as const,
              content: [
                { type: 'image' as const, source },
                { type: 'text' as const, text: 'What is this?' },
              ],
            },
          };
        })(),
        options: {
          ...base(),
          ...modelsOf({ 'local:qwen3:8b': { supportsImages: false } }),
          providers: providers(),
          model: 'haiku',
          fallbackModel: 'local:qwen3:8b',
        },
      }),
    );
    expect(results).toMatchObject([{ result: 'Local.' }]);
    expect(main.received[0]?.body).toContain(PNG);
    expect(local.received[0]?.body).not.toContain(PNG);
    expect(local.received[0]?.body).toContain(
      '[image left out, because this model takes no images: image/png, 1 KB]',
    );
    expect(local.received[0]?.body).toContain('What is this?');
  });

  it.each(['/v1/messages', '/v1/chat/completions'])(
    'what its server says that it does not take is not sent, without a setting: %s',
    async (api) => {
      const server = await startOllama({
        'gemma:2b': { capabilities: ['completion'], loadedContext: 64_000 },
      });
      onTestFinished(() => server.close());
      server.answerWith(says('Local.'));
      const own: ProviderConfig =
        api === '/v1/messages'
          ? { type: 'anthropic', baseUrl: server.url }
          : { type: 'openai-compatible', baseUrl: `${server.url}/v1` };
      const warnings: string[] = [];
      const source = { type: 'base64', media_type: 'image/png', data: PNG } as const;
      const { results } = await gather(
        query({
          prompt: (async function* () {
            const content = [{ type: 'image' as const, source }];
            yield {
              type: 'user' as const,
              parent_tool_use_id: null,
              message: { role: 'user' as const, content },
            };
          })(),
          options: {
            ...base(),
            tools: ['Read'],
            providers: { own },
            model: 'own:gemma:2b',
            thinking: { type: 'enabled', budgetTokens: 2_000 },
            stderr: (line) => warnings.push(line),
          },
        }),
      );
      expect(results).toMatchObject([{ result: 'Local.' }]);
      expect(server.requests.at(-1)?.url).toBe(api);
      const body = server.requests.at(-1)?.body.toString('utf8') ?? '';
      expect(body).toContain('[image left out, because this model takes no images');
      expect(body).not.toContain(PNG);
      expect(Object.keys(JSON.parse(body))).not.toContain('tools');
      expect(Object.keys(JSON.parse(body))).not.toContain('thinking');
      expect(warnings.filter((line) => line.includes('takes no tools'))).toHaveLength(1);
    },
  );

  it('a model without tools is asked for structured output by its endpoint', async () => {
    const server = await startOllama({ 'gemma:2b': { capabilities: ['completion'], loadedContext: 64_000 } });
    onTestFinished(() => server.close());
    server.answerWith(says('{"city":"Paris"}'));
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const { result } = await ask({
      env: { OLLAMA_HOST: `127.0.0.1:${server.port}` },
      tools: ['Read'],
      model: 'ollama:gemma:2b',
      outputFormat: { type: 'json_schema', schema },
    });
    expect(result).toMatchObject({ subtype: 'success', structured_output: { city: 'Paris' } });
    const body = JSON.parse(server.received[0]?.body ?? '');
    expect(body).toMatchObject({ response_format: { json_schema: { schema } } });
    expect(Object.keys(body)).not.toContain('tools');
  });

  it('F55 one whose window is too small is skipped with a reason, and the next one takes over', async () => {
    main.answerWith(busy, busy, busy, says('Main.'));
    const { result, messages } = await ask({
      ...modelsOf({ 'local:tiny': { contextWindow: 2_000, maxOutputTokens: 500 } }),
      prompt: LONG,
      providers: providers(),
      model: 'haiku',
      fallbackModel: 'local:tiny,sonnet',
    });
    expect(result).toMatchObject({ result: 'Main.' });
    expect(local.received).toEqual([]);
    expect(said(messages, 'model_fallback')).toMatchObject([
      {
        fallback_model: 'claude-sonnet-5-5',
        content: expect.stringMatching(
          /claude-sonnet-5-5 takes over .* local:tiny was skipped: its window of 2000 tokens is too small/,
        ),
      },
    ]);
  });

  it('F55 without one that fits, a warning says why, and the first choice is asked with all its retries', async () => {
    main.answerWith(busy, busy, busy, says('Main.'));
    const { result, messages } = await ask({
      ...modelsOf({ 'local:tiny': { contextWindow: 2_000, maxOutputTokens: 500 } }),
      prompt: LONG,
      providers: providers(),
      model: 'haiku',
      fallbackModel: 'local:tiny',
    });
    expect(result).toMatchObject({ result: 'Main.' });
    expect(main.received).toHaveLength(4);
    expect(said(messages, 'model_fallback')).toEqual([]);
    expect(said(messages, 'informational')).toMatchObject([
      { level: 'warning', content: expect.stringContaining('local:tiny was skipped: its window of 2000') },
    ]);
  });

  it('F56 the third stall in a row asks the fallback instead of paying for a fourth attempt', async () => {
    const stall = { ...says('Half'), breaks: { at: 'text', how: 'stall' } } as const;
    main.answerWith(stall, { kind: 'silence' }, { kind: 'silence' });
    local.answerWith(says('Local.'));
    const { result, messages } = await ask({
      engine: engine({ timeouts: { headersMs: 300, idleMs: 300, answerMs: 300 } }),
      providers: providers(),
      model: 'haiku',
      fallbackModel: 'local:qwen3:8b',
    });
    expect(result).toMatchObject({ result: 'Local.' });
    expect(main.received).toHaveLength(3);
    expect(said(messages, 'model_fallback')).toMatchObject([
      { trigger: 'stalled', content: expect.stringContaining('claude-haiku-5-5 does not answer; local:') },
    ]);
  });

  it('F36 a limit of the settings for the first byte holds for its model alone', async () => {
    local.answerWith({ kind: 'silence' }, says('Local.'));
    const { messages } = await ask({
      ...modelsOf({ 'local:slow': { firstByteTimeoutMs: 300 } }),
      providers: providers(),
      model: 'local:slow',
    });
    expect(local.received).toHaveLength(2);
    expect(said(messages, 'api_retry')).toHaveLength(1);
  });
});

describe('an OpenAI-compatible server', () => {
  let chat: WireServer;
  beforeEach(async () => {
    chat = await startChatServer();
  });
  afterEach(() => chat.close());

  it('is asked by its address alone, and no key of another provider is sent to it', async () => {
    chat.answerWith(says('Chat.'));
    const { result } = await ask({
      provider: 'openai-compatible',
      baseUrl: `${chat.url}/v1`,
      model: 'qwen3:8b',
    });
    expect(result).toMatchObject({ result: 'Chat.' });
    expect(chat.received).toMatchObject([{ model: 'qwen3:8b' }]);
    expect(JSON.stringify(chat.requests.map(({ headers }) => headers))).not.toContain('sk-main');
    expect(main.requests).toEqual([]);
  });

  it('gets the key of its variable', async () => {
    chat.answerWith(says('Chat.'));
    await ask({
      env: { CHAT_KEY: 'sk-chat' },
      providers: { chat: { type: 'openai-compatible', baseUrl: `${chat.url}/v1`, apiKeyEnv: 'CHAT_KEY' } },
      model: 'chat:qwen3:8b',
    });
    expect(chat.received).toMatchObject([{ credential: 'sk-chat' }]);
  });

  it('F54 may take over from an overloaded model', async () => {
    const busy = { kind: 'refusal', reason: 'overloaded', headers: { 'retry-after': '0' } } as const;
    main.answerWith(busy, busy, busy);
    chat.answerWith(says('Chat.'));
    const { result } = await ask({
      providers: { chat: { type: 'openai-compatible', baseUrl: `${chat.url}/v1` } },
      model: 'haiku',
      fallbackModel: 'chat:qwen3:8b',
    });
    expect(result).toMatchObject({ result: 'Chat.' });
    expect(Object.keys(result?.modelUsage ?? {})).toContain('chat:qwen3:8b');
  });
});

describe('a variable that asks for one cloud', () => {
  it('keeps every request from other providers, of whatever model a name is', async () => {
    const bedrock = await startBedrockServer({ keys: KEYS, region: 'us-west-2' });
    onTestFinished(() => bedrock.close());
    const call = { kind: 'call', id: 'toolu_1', name: 'Agent' } as const;
    const input = { description: 'look', prompt: 'Look.', subagent_type: 'scout' };
    bedrock.answerWith({ kind: 'message', parts: [{ ...call, input }] }, says('No scout.'));
    const { result } = await ask({
      tools: ['Agent'],
      providers: providers(),
      // As a repository may define it.
      agents: { scout: { description: 'Scouts.', prompt: 'Scout.', model: 'local:qwen3:8b' } },
      env: { ...AWS_ENV, CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_BEDROCK_BASE_URL: bedrock.url },
    });
    expect(result).toMatchObject({ result: 'No scout.' });
    expect(JSON.stringify(bedrock.received.at(-1)?.messages)).toContain(
      'CLAUDE_CODE_USE_BEDROCK is set, so no model of the provider',
    );
    expect([...main.received, ...local.received]).toEqual([]);
  });
});

describe('what cannot be obeyed stops the start', () => {
  const nowhere = () => expect([...main.received, ...local.received]).toEqual([]);

  it.each([
    [{ provider: 'nobody' }, 'There is no provider "nobody"'],
    [{ provider: 'openai-compatible', env: { ANTHROPIC_BASE_URL: '' } }, 'needs the address of its API'],
    [
      { env: { CLAUDE_CODE_USE_BEDROCK: '1' }, provider: 'anthropic' },
      'CLAUDE_CODE_USE_BEDROCK is set, but the provider "anthropic" is asked for',
    ],
    [
      { env: { CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: '1' } },
      'CLAUDE_CODE_USE_BEDROCK and CLAUDE_CODE_USE_VERTEX are both set',
    ],
  ] as const)('%j', async (options, sentence) => {
    const { said } = await ask(options);
    expect(said).toContain(sentence);
    nowhere();
  });
});
