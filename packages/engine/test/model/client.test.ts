import type { ApiServer } from '@turnwright/test/model/api-server.ts';
import {
  apiServer,
  hello,
  start,
  stop,
  streams,
  text,
  textOf,
  toolUse,
} from '@turnwright/test/model/api-server.ts';
import {
  assistant,
  calls,
  clientFor,
  requestOf,
  result,
  run,
  user,
  viewOf,
} from '@turnwright/test/model/conversation.ts';
import { afterEach, describe, expect, it } from 'vitest';

let server: ApiServer;
afterEach(() => server?.close());

describe('a call', () => {
  it('streams events and ends complete', async () => {
    server = await apiServer(hello);
    const { outputs, events, outcome } = await run(clientFor(server.url));
    expect(outputs[0]).toMatchObject({ kind: 'attempt', attempt: 1, maxTokens: 8000 });
    expect(outputs[0]).toHaveProperty('bytes', Number(server.received[0]?.headers['content-length']));
    expect(textOf(events)).toBe('Hello');
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(outcome).toMatchObject({ kind: 'complete', requestId: 'req_1', retry: { retries: 0 } });
    expect(outcome.attempts).toMatchObject([
      {
        outcome: 'complete',
        status: 200,
        requestId: 'req_1',
        model: 'claude-sonnet-5',
        stream: true,
        usage: { input_tokens: 10, output_tokens: 7 },
      },
    ]);
  });

  it('tells the time to first content once, on its batch', async () => {
    server = await apiServer(streams(start(), ...text(0, 'a'), ...stop()));
    const { outputs } = await run(clientFor(server.url));
    expect(outputs.filter((output) => output.kind === 'events' && output.ttftMs !== undefined)).toHaveLength(
      1,
    );
  });

  it('posts the request with its headers below the base path', async () => {
    server = await apiServer(hello);
    const client = clientFor(`${server.url}/gateway/v2/`, {
      authToken: 'tok',
      headers: { 'X-Team': 'blue', 'anthropic-beta': 'custom-1' },
      userAgent: 'turnwright/1',
    });
    await run(client, requestOf(undefined, { betas: ['b-1'], taskBudget: { total: 1000 }, effort: 'high' }));
    const [got] = server.received;
    expect(got).toMatchObject({ method: 'POST', url: '/gateway/v2/v1/messages' });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test',
      authorization: 'Bearer tok',
      'x-team': 'blue',
      'user-agent': 'turnwright/1',
      'x-turnwright-session-id': 'session-1',
      'anthropic-beta': 'b-1,custom-1,effort-2025-11-24,task-budgets-2026-03-13',
    });
    expect(got?.json).toMatchObject({
      model: 'claude-sonnet-5',
      max_tokens: 8000,
      stream: true,
      output_config: { effort: 'high', task_budget: { type: 'tokens', total: 1000 } },
      metadata: { user_id: '{"session_id":"session-1"}' },
    });
  });

  it('asks for one JSON answer and gives its events as one batch', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'msg_9',
          type: 'message',
          role: 'assistant',
          model: 'claude-sonnet-5',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'Hi' },
            { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } },
          ],
          stop_reason: 'tool_use',
          stop_sequence: null,
          usage: { input_tokens: 5, output_tokens: 9 },
        }),
      );
    });
    const { outputs, events, outcome } = await run(
      clientFor(server.url),
      requestOf(undefined, { stream: false }),
    );
    expect(server.received[0]?.json['stream']).toBe(false);
    expect(outputs.filter((output) => output.kind === 'events')).toHaveLength(1);
    expect(outcome.kind).toBe('complete');
    expect(outcome.attempts[0]).toMatchObject({
      stream: false,
      usage: { input_tokens: 5, output_tokens: 9 },
    });
    expect(events).toEqual([
      expect.objectContaining({
        type: 'message_start',
        message: expect.objectContaining({ id: 'msg_9', content: [], stop_reason: null }),
      }),
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 't1', name: 'Read', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' },
      },
      { type: 'content_block_stop', index: 2 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: 5, output_tokens: 9 },
      },
      { type: 'message_stop' },
    ]);
  });

  it('takes a JSON answer where it asked for a stream', async () => {
    server = await apiServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ id: 'm', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }),
      );
    });
    const { events, outcome } = await run(clientFor(server.url));
    expect(outcome.kind).toBe('complete');
    expect(textOf(events)).toBe('Hi');
  });

  it('uses one connection for calls in a row', async () => {
    server = await apiServer(hello);
    const client = clientFor(server.url);
    await run(client);
    await run(client);
    await run(clientFor(server.url));
    expect(server.received.map((got) => got.connection)).toEqual([1, 1, 1]);
  });

  it('sends thinking back to the model an endpoint serves under another name', async () => {
    server = await apiServer(
      streams(start('claude-opus-5-5', 'm1'), ...toolUse(0, 't1', '{}'), ...stop('tool_use')),
      hello,
    );
    const models = { 'team-default': { contextWindow: 200_000 } };
    const client = clientFor(server.url, { models });
    await run(client, requestOf(undefined, { model: 'team-default' }));
    const thought = { type: 'thinking', thinking: 'x', signature: 's' } as const;
    const view = viewOf(
      user('hi'),
      assistant('m1', thought, { model: 'claude-opus-5-5' }),
      calls('m1', 't1'),
      result('t1', 'ok'),
    );
    await run(client, requestOf(view, { model: 'team-default' }));
    expect(server.received[1]?.text).toContain('"thinking":"x"');
  });
});
