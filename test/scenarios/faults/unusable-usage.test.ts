/**
 * A budget ends a run against a server whose figures are missing, wrong or falling, over every wire: what was
 * used and not reported is estimated.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Options, query, type SDKResultMessage } from '@turnwright/engine';
import { recordingStore } from '@turnwright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../long-form.ts';
import { tempFolder } from '../temp-folder.ts';

/** The figures of a prompt and of an answer, at the beginning and at the end of a stream. */
type Figures = readonly [prompt: unknown, output: unknown];
interface Says {
  readonly first?: Figures;
  readonly last?: Figures;
  /** In the place of an object with figures. */
  readonly whole?: unknown;
}

const SAYS: Readonly<Record<string, Says>> = {
  nothing: {},
  'null as usage': { whole: null },
  'a string as usage': { whole: 'much' },
  'a list as usage': { whole: [1, 2] },
  'null figures': { first: [null, null], last: [null, null] },
  'zero figures': { first: [0, 0], last: [0, 0] },
  'negative figures': { first: [-1e9, -1e9], last: [-1e9, -1e9] },
  'strings as figures': { first: ['9', '9'], last: ['9', '9'] },
  'objects as figures': { first: [{}, []], last: [true, {}] },
  'figures beyond all numbers': { first: [1e300, 1e300], last: [1e300, 1e300] },
  'a negative figure beside a true one': { first: [100, 1], last: [100, -1e9] },
  'figures that fall': { first: [5_000, 3_000], last: [1, 1] },
};

let says: Says = {};
let requests = 0;
const TEXT = 'I look at it once more. '.repeat(40);
const INPUT = JSON.stringify({ pattern: '*.none' });

const usageOf = (figures: Figures | undefined, [prompt, output]: readonly [string, string]) =>
  says.whole !== undefined
    ? { usage: says.whole }
    : figures === undefined
      ? {}
      : { usage: { [prompt]: figures[0], [output]: figures[1] } };

const MESSAGES = ['input_tokens', 'output_tokens'] as const;
const CHAT = ['prompt_tokens', 'completion_tokens'] as const;

/** Of the Messages API, chat completions and responses: whole, and as events. */
const ANSWERS: Readonly<
  Record<string, { whole(id: string): object; events(id: string): readonly object[] }>
> = {
  messages: {
    whole: (id) => ({
      ...message(id),
      content: [
        { type: 'text', text: TEXT },
        { type: 'tool_use', id, name: 'Glob', input: JSON.parse(INPUT) },
      ],
      stop_reason: 'tool_use',
      ...usageOf(says.last, MESSAGES),
    }),
    events: (id) => [
      { type: 'message_start', message: { ...message(id), content: [], ...usageOf(says.first, MESSAGES) } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id, name: 'Glob', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: INPUT } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, ...usageOf(says.last, MESSAGES) },
      { type: 'message_stop' },
    ],
  },
  chat: {
    whole: (id) => ({
      id,
      model: 'm',
      choices: [
        { index: 0, finish_reason: 'tool_calls', message: { content: TEXT, tool_calls: [chatCall(id)] } },
      ],
      ...usageOf(says.last, CHAT),
    }),
    events: (id) => [
      { id, model: 'm', choices: [{ index: 0, delta: { content: TEXT } }], ...usageOf(says.first, CHAT) },
      { id, model: 'm', choices: [{ index: 0, delta: { tool_calls: [chatCall(id)] } }] },
      {
        id,
        model: 'm',
        choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
        ...usageOf(says.last, CHAT),
      },
    ],
  },
  responses: {
    whole: (id) => ({ ...response(id), ...usageOf(says.last, MESSAGES) }),
    events: (id) => [
      { type: 'response.created', response: { id, model: 'm', ...usageOf(says.first, MESSAGES) } },
      ...response(id).output.map((item, output_index) => ({
        type: 'response.output_item.done',
        output_index,
        item,
      })),
      { type: 'response.completed', response: { ...response(id), ...usageOf(says.last, MESSAGES) } },
    ],
  },
};

const message = (id: string) => ({ id, type: 'message', role: 'assistant', model: 'm', stop_reason: null });
const chatCall = (id: string) => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'Glob', arguments: INPUT },
});
const response = (id: string) => ({
  id,
  model: 'm',
  status: 'completed',
  output: [
    { type: 'message', id: `${id}m`, role: 'assistant', content: [{ type: 'output_text', text: TEXT }] },
    { type: 'function_call', id: `${id}f`, call_id: id, name: 'Glob', arguments: INPUT },
  ],
});

let stream = true;
const server = createServer((request, reply) => {
  request.resume();
  request.on('end', () => answer(String(request.url), reply));
});
beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
afterAll(() => server.close());

function answer(url: string, reply: ServerResponse): void {
  const api = ['messages', 'chat', 'responses'].find((name) => url.includes(name));
  if (api === undefined) {
    reply.writeHead(404).end('{}');
    return;
  }
  requests += 1;
  const made = ANSWERS[api] as (typeof ANSWERS)[string];
  const id = `call_${requests}`;
  reply.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  if (!stream) reply.end(JSON.stringify(made.whole(id)));
  else
    reply.end(
      made
        .events(id)
        .map(
          (event) =>
            `${'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
        )
        .join(''),
    );
}

const PRICE = { input: 10, output: 50, cacheRead: 1, cacheWrite5m: 12, cacheWrite1h: 20 };

async function run(more: Options): Promise<SDKResultMessage> {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  requests = 0;
  for await (const sdkMessage of query({
    prompt: 'Go.',
    options: {
      cwd: tempFolder(),
      tools: ['Glob'],
      env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url },
      providers: {
        chat: { type: 'openai-compatible', baseUrl: `${url}/v1` },
        responses: { type: 'openai-compatible', baseUrl: `${url}/v1`, api: 'responses' },
      },
      settings: { models: { m: { price: PRICE, contextWindow: 200_000 } } },
      maxTurns: 6,
      maxBudgetUsd: 0.02,
      ...more,
      engine: { store: recordingStore(), ...more.engine },
    },
  }))
    if (sdkMessage.type === 'result') return sdkMessage;
  throw new Error('There was no result.');
}

const WIRES = [
  ['messages', 'm'],
  ['chat', 'chat:m'],
  ['responses', 'responses:m'],
] as const;
const ROWS = WIRES.flatMap(([api, model]) =>
  [true, false].flatMap((isStream) =>
    Object.keys(SAYS)
      // They fall within a stream that reports them twice.
      .filter((what) => what !== 'figures that fall' || (isStream && api !== 'responses'))
      .map((what) => [api, isStream ? 'a stream' : 'one piece', what, model] as const),
  ),
);

describe('a server that reports', () => {
  it.each(everyNth(11, ROWS))('%s in %s, %s: the budget ends the run', async (_api, form, what, model) => {
    says = SAYS[what] as Says;
    stream = form === 'a stream';
    const result = await run({ model });
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd' });
    expect(result.total_cost_usd).toBeGreaterThanOrEqual(0.02);
    expect(result.total_cost_usd).toBeLessThan(1);
    expect(requests).toBeLessThan(6);
    const { input_tokens, output_tokens } = result.usage;
    expect(Math.min(input_tokens, output_tokens)).toBeGreaterThan(0);
  });

  it.each(everyNth(5, Object.keys(SAYS)))(
    '%s, through a model of the host: the budget ends the run',
    async (what) => {
      says = SAYS[what] as Says;
      const result = await run({
        model: 'm',
        engine: {
          callModel: async function* (_request, { retry }) {
            requests += 1;
            const events = (ANSWERS['messages'] as (typeof ANSWERS)[string]).events(`call_${requests}`);
            yield { kind: 'events', events: structuredClone(events) as never };
            return { kind: 'complete', retry, attempts: [] };
          },
        },
      });
      expect(result).toMatchObject({ subtype: 'error_max_budget_usd' });
      expect(requests).toBeLessThan(6);
    },
  );
});
