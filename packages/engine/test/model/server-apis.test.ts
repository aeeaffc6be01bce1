/** What common servers say of their models, in the shapes of their documentation, and how little is asked. */

import { type Answer, apiServer } from '@turnwright/test/model/api-server.ts';
import { clientFor, requestOf, run, user, viewOf } from '@turnwright/test/model/conversation.ts';
import {
  startLiteLlm,
  startLlamaCpp,
  startLmStudio,
  startOllama,
  startOpenRouter,
  startVllm,
} from '@turnwright/test/model/wires/local-servers.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { virtualClock } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelClientOptions } from '../../src/model/create-model-client.ts';
import type { ModelClient } from '../../src/protocol/model/model-client.ts';

const never = new AbortController().signal;

function client(url: string, more: Partial<ModelClientOptions> = {}): ModelClient {
  const opened = clientFor(url, { clock: virtualClock(), ...more });
  onTestFinished(() => opened.close());
  return opened;
}

async function started(starting: Promise<WireServer>): Promise<WireServer> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

async function infoOf(url: string, model: string, more: Partial<ModelClientOptions> = {}) {
  const asking = client(url, more);
  await asking.ready(model, { signal: never });
  return asking.infoOf(model);
}

const lookUps = ({ requests }: WireServer) =>
  requests.filter(({ url }) => !url.startsWith('/v1/messages')).map(({ method, url }) => `${method} ${url}`);

const answerHello = (server: WireServer, times = 1) =>
  server.answerWith(
    ...Array.from({ length: times }, () => ({
      kind: 'message' as const,
      parts: [{ kind: 'text' as const, text: 'Hello.' }],
    })),
  );

describe('Ollama', () => {
  it('says abilities and the window that the model is made with, which beats that of its architecture', async () => {
    const server = await started(
      startOllama({ 'qwen3:8b': { parameters: 'num_ctx                        16384' } }),
    );
    expect(await infoOf(server.url, 'qwen3:8b')).toMatchObject({
      source: 'endpoint',
      contextWindow: 16_384,
      maxOutputTokens: 4_096,
      supportsImages: false,
      supportsTools: true,
      supportsThinking: true,
    });
    expect(lookUps(server).toSorted()).toEqual([
      'GET /api/ps',
      'GET /v1/models/qwen3%3A8b',
      'POST /api/show',
    ]);
  });

  it('the window of a loaded model is the one it was loaded with, and a small one is advised about', async () => {
    const server = await started(startOllama({ 'qwen3:8b': { loadedContext: 4_096 } }));
    const advised: string[] = [];
    const info = await infoOf(server.url, 'qwen3:8b', { onAdapted: (line) => advised.push(line) });
    expect(info.contextWindow).toBe(4_096);
    expect(advised).toEqual([expect.stringMatching(/4096 tokens of the 40960 .*OLLAMA_CONTEXT_LENGTH/)]);
  });

  it('a model that its first request loads is asked about again, and no more once its window is known', async () => {
    let isLoaded = () => false;
    const model = {
      get loadedContext() {
        return isLoaded() ? 8_192 : undefined;
      },
    };
    const server = await started(startOllama({ 'qwen3:8b': model }));
    isLoaded = () => server.received.length > 0;
    answerHello(server, 2);
    const advised: string[] = [];
    const asking = client(server.url, { onAdapted: (line) => advised.push(line) });
    await asking.ready('qwen3:8b', { signal: never });
    expect(asking.infoOf('qwen3:8b').contextWindow).toBe(40_960);
    const request = requestOf(viewOf(user('hi')), { model: 'qwen3:8b' });
    await run(asking, request);
    expect(asking.infoOf('qwen3:8b').contextWindow).toBe(8_192);
    expect(advised).toHaveLength(1);
    const asked = lookUps(server).length;
    await run(asking, request);
    expect(lookUps(server)).toHaveLength(asked);
  });

  it('an answer that is larger than any description is read no further, and nothing is known', async () => {
    const server = await apiServer((response, { method }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (method === 'GET') response.end(JSON.stringify({ id: 'm', owned_by: 'library' }));
      else
        response.end(JSON.stringify({ capabilities: ['completion'], license: 'x'.repeat(9 * 1024 * 1024) }));
    });
    onTestFinished(() => server.close());
    expect((await infoOf(server.url, 'm')).supportsImages).toBeUndefined();
  });

  it('a model without vision or tools is known as such, whatever its author', async () => {
    const server = await started(
      startOllama({ 'hf.co/bartowski/gemma:q4': { capabilities: ['completion'], owner: 'bartowski' } }),
    );
    expect(await infoOf(server.url, 'hf.co/bartowski/gemma:q4')).toMatchObject({
      supportsImages: false,
      supportsTools: false,
      supportsThinking: false,
    });
  });

  it.each([
    ['thinking', { type: 'adaptive' }, { type: 'enabled', budget_tokens: 4_000 }],
    ['thinking', { type: 'enabled', budgetTokens: 2_000 }, { type: 'enabled', budget_tokens: 2_000 }],
    ['thinking', { type: 'disabled' }, { type: 'disabled' }],
    ['thinking', undefined, undefined],
    ['tools', { type: 'enabled', budgetTokens: 2_000 }, undefined],
    ['tools', { type: 'adaptive' }, undefined],
    ['tools', { type: 'disabled' }, undefined],
  ] as const)(
    'thinking is sent to a model that thinks, and as it is asked for: %s, %o',
    async (ability, asked, sent) => {
      const capabilities = ['completion', ability];
      const server = await started(startOllama({ 'qwen3:8b': { capabilities, loadedContext: 64_000 } }));
      answerHello(server);
      const thinking = asked === undefined ? {} : { thinking: asked };
      await run(
        client(server.url),
        requestOf(viewOf(user('hi')), { model: 'qwen3:8b', maxTokens: 8_000, ...thinking }),
      );
      expect(server.requests.at(-1)?.json['thinking']).toEqual(sent);
    },
  );

  it('no ability is denied to the stub of a model that runs elsewhere', async () => {
    const server = await started(startOllama({ 'gpt-oss:120b': { capabilities: ['thinking'] } }));
    const { supportsImages, supportsTools } = await infoOf(server.url, 'gpt-oss:120b');
    expect([supportsImages, supportsTools]).toEqual([undefined, undefined]);
  });
});

describe('llama.cpp', () => {
  it('says its own window and whether it sees, under whatever name its model is asked for', async () => {
    for (const vision of [false, true]) {
      const server = await started(startLlamaCpp({ window: 16_384, vision }));
      expect(await infoOf(server.url, 'anything')).toMatchObject({
        contextWindow: 16_384,
        supportsImages: vision,
      });
    }
  });
});

describe('LM Studio', () => {
  it.each(['v1', 'v0'] as const)('says by %s what the model is loaded with', async (version) => {
    const server = await started(startLmStudio(version, 8_192));
    expect(await infoOf(server.url, 'qwen/qwen3-8b')).toMatchObject({
      contextWindow: 8_192,
      supportsImages: false,
    });
  });

  it.each(['v1', 'v0'] as const)('says by %s what the model can have', async (version) => {
    const server = await started(startLmStudio(version, undefined));
    expect((await infoOf(server.url, 'qwen/qwen3-8b')).contextWindow).toBe(131_072);
  });
});

describe('gateways', () => {
  it('LiteLLM: of several deployments of one name what all of them can; the price of a single one', async () => {
    const server = await started(startLiteLlm());
    expect(await infoOf(server.url, 'house')).toMatchObject({
      contextWindow: 64_000,
      maxOutputTokens: 16_384,
      supportsImages: false,
      supportsTools: true,
    });
    const single = await infoOf(server.url, 'single');
    expect(single.price).toEqual({
      input: 0.15,
      output: 0.6,
      cacheRead: 0.075,
      cacheWrite5m: 0.15,
      cacheWrite1h: 0.15,
    });
    expect(single.supportsImages).toBeUndefined();
  });

  it('vLLM: the list has the window', async () => {
    const server = await started(startVllm());
    expect((await infoOf(server.url, 'Qwen/Qwen3-8B')).contextWindow).toBe(32_768);
    expect(lookUps(server)).toEqual(['GET /v1/models/Qwen%2FQwen3-8B', 'GET /v1/models']);
  });

  it('OpenRouter: sizes, abilities and prices of its list, at its path', async () => {
    const server = await started(startOpenRouter());
    const at = `${server.url}/api`;
    expect(await infoOf(at, 'qwen/qwen3-coder')).toMatchObject({
      contextWindow: 262_144,
      maxOutputTokens: 32_768,
      supportsImages: false,
      supportsTools: true,
      supportsThinking: true,
      price: { input: 0.06, output: 0.25, cacheRead: 0.06 },
    });
    expect(await infoOf(at, 'sees/all')).toMatchObject({
      supportsImages: true,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite5m: 3.75 },
    });
    const text = await infoOf(at, 'text/only');
    expect(text).toMatchObject({ supportsTools: false, supportsThinking: false });
    expect(text.price).toBeUndefined();
  });
});

describe('what is asked', () => {
  it('nothing before the first request, and once for all clients of the process', async () => {
    const server = await started(startOllama({ 'qwen3:8b': { loadedContext: 64_000 } }));
    answerHello(server, 3);
    const [first, second] = [client(server.url), client(server.url)];
    first.infoOf('qwen3:8b');
    expect(server.requests).toEqual([]);
    const request = requestOf(viewOf(user('hi')), { model: 'qwen3:8b' });
    await Promise.all([run(first, request), run(second, request)]);
    await run(second, request);
    expect(lookUps(server)).toHaveLength(3);
    expect(second.infoOf('qwen3:8b').contextWindow).toBe(40_960);
  });

  const entry =
    (more: object): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: 'm', object: 'model', ...more }));
    };

  it('a redirect to another origin is not followed, and the key does not go there', async () => {
    const other = await apiServer(entry({ max_model_len: 1 }));
    const server = await apiServer((response) => {
      response.writeHead(307, { location: `${other.url}/v1/models/m` });
      response.end();
    });
    onTestFinished(async () => void (await Promise.all([server.close(), other.close()])));
    expect((await infoOf(server.url, 'm', { apiKey: 'sk-own' })).source).toBe('default');
    expect(other.received).toEqual([]);
  });

  it('every look-up carries the key of the endpoint, and its failures are logged and cost nothing', async () => {
    const server = await apiServer(entry({ owned_by: 'library' }), (response) => {
      response.writeHead(500);
      response.end('broken');
    });
    onTestFinished(() => server.close());
    const lines: string[] = [];
    const info = await infoOf(server.url, 'm', { apiKey: 'sk-own', onLookedUp: (line) => lines.push(line) });
    expect(info.source).toBe('default');
    expect(server.received.map(({ headers }) => headers['x-api-key'])).toEqual([
      'sk-own',
      'sk-own',
      'sk-own',
    ]);
    expect(lines).toEqual([`m was looked up: ${server.url} says nothing of it`]);
  });

  it('a server that gives nothing but its list is asked for no API of another vendor', async () => {
    const server = await apiServer(entry({ owned_by: 'vllm', max_model_len: 8_000 }));
    onTestFinished(() => server.close());
    await infoOf(server.url, 'm');
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/models/m']);
  });
});
