/** What is learned from refusals, and which kind they are. */

import { type Answer, type ApiServer, apiServer } from '@turnwright/test/model/api-server.ts';
import {
  calls,
  clientFor,
  failureOf,
  requestOf,
  result,
  run,
  thinks,
  user,
  viewOf,
} from '@turnwright/test/model/conversation.ts';
import { skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { createModelClient } from '../../../src/model/create-model-client.ts';
import { classifyOpenAi } from '../../../src/model/openai/classify-openai-error.ts';
import { createOpenAiWire } from '../../../src/model/openai/openai-wire.ts';

let server: ApiServer;
afterEach(() => server?.close());

const refuses =
  (status: number, error: object): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error }));
  };
const says: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    }),
  );
};

/** The first request looks up the model; it is not counted. */
const asked = () => server.received.filter(({ method }) => method === 'POST');

/** Answers requests for an answer in order; look-ups of models are answered 404. */
async function serverOf(...answers: Answer[]): Promise<void> {
  let at = 0;
  server = await apiServer((response, received, n) => {
    if (received.method === 'GET') return refuses(404, { message: 'none' })(response, received, n);
    const answer = answers[Math.min(at++, answers.length - 1)] as Answer;
    return answer(response, received, n);
  });
}

const client = (api: 'chat' | 'responses' = 'chat', baseUrl = `${server.url}/v1`) =>
  createModelClient({
    baseUrl: server.url,
    authToken: 'k',
    clock: skippingClock(),
    random: () => 0,
    wire: (ports) => createOpenAiWire({ baseUrl, api }, ports),
  });
const request = (more: Parameters<typeof requestOf>[1] = {}) =>
  requestOf(viewOf(user('hi')), { model: 'm', stream: false, ...more });

describe('a field that the server refuses', () => {
  it.each([
    [
      'max_tokens',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      {},
      'max_completion_tokens',
    ],
    [
      'reasoning_effort',
      'Unrecognized request argument supplied: reasoning_effort',
      { effort: 'high' },
      undefined,
    ],
    ['stream_options', 'Extra inputs are not permitted: stream_options', { stream: true }, undefined],
  ] as const)(
    '%s is left out of the next request and of all later ones',
    async (field, message, more, instead) => {
      await serverOf(refuses(400, { message, type: 'invalid_request_error' }), says);
      const one = client();
      const { outcome } = await run(one, request(more));
      await run(one, request(more));
      expect(outcome.kind).toBe('complete');
      const bodies = asked().map(({ json }) => json);
      expect(bodies).toHaveLength(3);
      const isSent = bodies.map((body) => field in body);
      expect(isSent.slice(1)).not.toContain(true);
      expect(isSent[0]).toBe(true);
      if (instead !== undefined) expect(bodies[1]).toHaveProperty(instead);
    },
  );

  it('is asked for once more at most, however often it is refused', async () => {
    await serverOf(refuses(400, { message: 'stream_options: extra inputs are not permitted' }));
    const { outcome } = await run(client(), request({ stream: true }));
    expect(failureOf(outcome).kind).toBe('invalid_request');
    expect(asked()).toHaveLength(2);
  });

  it('images become a sentence where a model takes none', async () => {
    await serverOf(
      refuses(400, { message: 'Invalid content type. image_url is only supported by certain models.' }),
      says,
    );
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    } as const;
    const { outcome } = await run(client(), request({ view: viewOf(user([image])) }));
    expect(outcome.kind).toBe('complete');
    expect(asked()[1]?.text).toContain('image left out');
  });
});

describe('F122: what a provider demands on old calls', () => {
  const history = () =>
    viewOf(user('look'), thinks('a', 'hm', 'other'), calls('a', 'call_1'), result('call_1', 'ok'));

  it('reasoning that the conversation does not have is replaced by a placeholder', async () => {
    await serverOf(
      refuses(400, { message: 'The reasoning_content in the thinking mode must be passed back to the API.' }),
      says,
    );
    const { outcome } = await run(client(), request({ view: history() }));
    expect(outcome.kind).toBe('complete');
    expect(asked()[0]?.text).not.toContain('reasoning_content');
    expect(asked()[1]?.text).toContain('"reasoning_content":"(not kept)"');
  });

  it('a thought signature is replaced by the one that is documented for it', async () => {
    await serverOf((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      const message = 'Function call is missing a thought_signature in functionCall parts.';
      response.end(JSON.stringify([{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]));
    }, says);
    const { outcome } = await run(client(), request({ view: history() }));
    expect(outcome.kind).toBe('complete');
    expect(asked()[1]?.text).toContain('"thought_signature":"skip_thought_signature_validator"');
  });
});

describe('the kind of a refusal', () => {
  const of = (status: number, body: unknown, headers = {}) =>
    classifyOpenAi(
      { status, headers: { 'content-type': 'application/json', ...headers } },
      JSON.stringify(body),
      0,
    );
  it.each([
    [
      401,
      { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
      { kind: 'authentication' },
    ],
    [
      400,
      { error: { message: 'API key not valid. Please pass a valid API key.' } },
      { kind: 'authentication' },
    ],
    [404, { error: { message: 'The model does not exist', code: 'model_not_found' } }, { kind: 'not_found' }],
    [
      429,
      {
        error: {
          message: 'You exceeded your current quota',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      },
      { kind: 'permission', errorType: 'billing_error' },
    ],
    [
      429,
      { error: { message: 'Rate limit reached. Please try again in 1.5s.', code: 'rate_limit_exceeded' } },
      { kind: 'rate_limited', retryAfterMs: 1500 },
    ],
    [
      429,
      [{ error: { code: 429, message: 'Quota', details: [{ '@type': 'RetryInfo', retryDelay: '30s' }] } }],
      { kind: 'rate_limited', retryAfterMs: 30_000 },
    ],
    [
      429,
      {
        error: {
          message: 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 50000.',
        },
      },
      { kind: 'prompt_too_long', tokens: { limit: 30_000, input: 50_000 } },
    ],
    [503, { error: { message: 'The engine is currently overloaded' } }, { kind: 'overloaded' }],
    [400, { error: { message: 'x', code: 'context_length_exceeded' } }, { kind: 'prompt_too_long' }],
    [
      400,
      {
        error: {
          code: 400,
          message: 'request (9000 tokens) exceeds the available context size (8192 tokens)',
        },
      },
      { kind: 'prompt_too_long', tokens: { input: 9000, limit: 8192 } },
    ],
    [
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
      },
      { kind: 'prompt_too_long' },
    ],
    [
      400,
      { error: 'Trying to keep the first 9000 tokens when context the overflows.' },
      { kind: 'prompt_too_long' },
    ],
    [
      402,
      { error: { code: 402, message: 'Insufficient credits' } },
      { kind: 'permission', errorType: 'billing_error' },
    ],
  ])('%s %j', (status, body, expected) => {
    expect(of(status, body)).toMatchObject(expected);
  });
});

describe('an address that speaks another API', () => {
  /** Knows one path; every other is 404. */
  const only =
    (path: string): Answer =>
    (response, { url, method }) => {
      const known = method === 'POST' && url === path;
      response.writeHead(known ? 400 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(known ? { error: { message: 'empty' } } : { detail: 'Not Found' }));
    };

  it.each([
    ['chat', '/v1/messages', 'ANTHROPIC_BASE_URL'],
    ['chat', '/v1/responses', "api: 'responses'"],
    ['responses', '/v1/chat/completions', '--provider openai-compatible'],
  ] as const)('is named when it was asked for %s and has %s', async (api, path, advice) => {
    server = await apiServer(only(path));
    const { outcome, notices } = await run(client(api), request());
    expect(failureOf(outcome)).toMatchObject({ kind: 'protocol', message: expect.stringContaining(path) });
    expect(failureOf(outcome).message).toContain(advice);
    expect(notices).toEqual([]);
  });

  it('is named for the Messages API too', async () => {
    server = await apiServer(only('/v1/chat/completions'));
    const { outcome, notices } = await run(clientFor(server.url));
    expect(failureOf(outcome)).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('--provider openai-compatible'),
    });
    expect(notices).toEqual([]);
  });

  it('an unknown model is no other API', async () => {
    await serverOf(refuses(404, { message: 'model "m" not found, try pulling it first' }));
    expect(failureOf((await run(client(), request())).outcome).kind).toBe('not_found');
    expect(asked()).toHaveLength(1);
  });
});
