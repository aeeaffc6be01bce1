/** Facts of models that no table knows, asked of the endpoint. */

import { systemClock } from '@turnwright/base/clock.ts';
import { type Answer, apiServer, hello, refuses } from '@turnwright/test/model/api-server.ts';
import { clientFor, requestOf, run, user, viewOf } from '@turnwright/test/model/conversation.ts';
import {
  type RehearsalOptions,
  type RehearsalServer,
  startRehearsal,
  text,
} from '@turnwright/testing/rehearsal';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelClientOptions } from '../../src/model/create-model-client.ts';
import type { ModelClient } from '../../src/protocol/model/model-client.ts';
import type { Clock } from '../../src/protocol/ports.ts';

const MODELS: NonNullable<RehearsalOptions['models']> = {
  'house-model': { window: 60_000, maxOutput: 5_000 },
  'claude-opus-9': { window: 400_000, maxOutput: 96_000 },
};
const never = new AbortController().signal;

async function rehearsal(): Promise<RehearsalServer> {
  const server = await startRehearsal({ models: MODELS, scenario: () => ({ blocks: [text('Hello.')] }) });
  onTestFinished(() => server.close());
  return server;
}

function client(url: string, more: Partial<ModelClientOptions> = {}): ModelClient {
  const opened = clientFor(url, { clock: systemClock, ...more });
  onTestFinished(() => opened.close());
  return opened;
}

const paths = ({ requests }: RehearsalServer) => requests.map(({ method, path }) => `${method} ${path}`);
const json =
  (body: unknown): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

async function serving(...answers: Answer[]) {
  const server = await apiServer(...answers);
  onTestFinished(() => server.close());
  return server;
}

describe('the sizes of a model that is in no table', () => {
  it('F24: are looked up before its first request, once per process, and bound max_tokens', async () => {
    const server = await rehearsal();
    const first = client(server.url);
    expect(first.infoOf('house-model')).toMatchObject({ source: 'default', contextWindow: 200_000 });
    const request = requestOf(viewOf(user('hi')), { model: 'house-model' });
    for (let n = 1; n <= 2; n++) expect((await run(first, request)).outcome.kind).toBe('complete');
    const second = client(server.url);
    await second.ready('house-model', { signal: never });
    expect(second.infoOf('house-model')).toMatchObject({
      source: 'endpoint',
      contextWindow: 60_000,
      maxOutputTokens: 5_000,
    });
    expect(paths(server)).toEqual(['GET /v1/models/house-model', 'POST /v1/messages', 'POST /v1/messages']);
    expect(server.requests[1]?.body).toMatchObject({ max_tokens: 5_000 });
  });

  it("replace the guess by a model's family; its price stays", async () => {
    const server = await rehearsal();
    const asking = client(server.url);
    const guessed = asking.infoOf('claude-opus-9');
    expect(guessed.source).toBe('family');
    await asking.ready('claude-opus-9', { signal: never });
    expect(asking.infoOf('claude-opus-9')).toEqual({
      ...guessed,
      contextWindow: 400_000,
      maxOutputTokens: 96_000,
      source: 'endpoint',
    });
  });

  it.each<[string, Partial<ModelClientOptions>]>([
    ['claude-sonnet-4-5', {}],
    ['claude-opus-5-5[1m]', {}],
    ['house-model', { models: { 'house-model': { contextWindow: 50_000 } } }],
  ])('never cost a request where they are known: %s', async (model, more) => {
    const server = await rehearsal();
    const asking = client(server.url, more);
    asking.infoOf(model);
    expect(asking.ready(model, { signal: never })).toBeUndefined();
    await run(asking, requestOf(viewOf(user('hi')), { model }));
    expect(paths(server)).toEqual(['POST /v1/messages']);
  });

  it('F24: come from the list of an endpoint that has no entries, in the words of local servers', async () => {
    const server = await serving(
      refuses(404, 'not_found_error', 'No such page.'),
      json({ object: 'list', data: [{ id: 'other' }, { id: 'qwen3', max_model_len: 32_768 }] }),
    );
    const asking = client(server.url);
    await asking.ready('qwen3', { signal: never });
    expect(asking.infoOf('qwen3')).toMatchObject({ contextWindow: 32_768, maxOutputTokens: 8_192 });
    expect(server.received.map(({ url }) => url)).toEqual(['/v1/models/qwen3', '/v1/models']);
  });

  it.each<[string, Answer]>([
    ['is refused', refuses(403, 'permission_error', 'Not for you.')],
    ['is nonsense', json({ data: [{ id: 'odd', max_input_tokens: -1, max_tokens: 'many' }] })],
    ['is no JSON', (response) => void response.end('<html>')],
  ])('are not missed when the answer %s, nor asked for again', async (_, answer) => {
    const server = await serving(answer, answer, hello);
    const asking = client(server.url, { maxRetries: 0 });
    const request = requestOf(viewOf(user('hi')), { model: 'odd' });
    for (let n = 1; n <= 2; n++) expect((await run(asking, request)).outcome.kind).toBe('complete');
    expect(asking.infoOf('odd')).toMatchObject({ source: 'default', contextWindow: 200_000 });
    const urls = server.received.filter(({ method }) => method === 'GET').map(({ url }) => url);
    expect(urls.slice(0, 2)).toEqual(['/v1/models/odd', '/v1/models']);
    expect(new Set(urls).size).toBe(urls.length);
  });

  it('are asked for again where no answer came, but not for ever', async () => {
    const server = await serving((response, { method }) => {
      if (method === 'POST') hello(response, server.received[0] as never, 1);
      else response.destroy();
    });
    const asking = client(server.url, { maxRetries: 0 });
    for (let n = 1; n <= 8; n++) await run(asking, requestOf(viewOf(user('hi')), { model: 'cut' }));
    expect(server.received.filter(({ url }) => url === '/v1/models/cut')).toHaveLength(5);
  });

  it('hold nothing up when the endpoint does not say', async () => {
    const server = await serving((response, { method }) => {
      if (method === 'POST') hello(response, server.received[0] as never, 1);
    });
    let wake = () => {};
    const clock: Clock = {
      ...systemClock,
      // The shorter of the two waits is over when the test says so.
      timer(ms, callback) {
        if (ms <= 1_000) wake = callback;
        return () => {};
      },
    };
    const asking = client(server.url, { clock });
    const ready = asking.ready('slow', { signal: never });
    await expect.poll(() => server.received.length).toBe(1);
    wake();
    await ready;
    expect(asking.infoOf('slow').source).toBe('default');
    await asking.close();
    // What was given up is looked up by the next client.
    const next = client(server.url);
    const asked = () => {
      void next.ready('slow', { signal: never });
      return server.received.length;
    };
    await expect.poll(asked).toBe(2);
  });
});
