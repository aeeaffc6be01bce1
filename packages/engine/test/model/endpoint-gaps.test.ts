/**
 * F60: what a gateway does not know of the Messages API is left out, once a request without it was answered:
 * for this endpoint and credential, for a while.
 */

import {
  clientFor,
  failureOf,
  requestOf,
  run,
  says,
  user,
  viewOf,
} from '@turnwright/test/model/conversation.ts';
import { skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import type { WireServer } from '@turnwright/test/model/wires/wire-server.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelClientOptions } from '../../src/model/create-model-client.ts';

let server: WireServer;
let clock = skippingClock();
beforeEach(async () => {
  server = await startMessagesServer();
  clock = skippingClock();
});
afterEach(() => server.close());

const HELLO = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] } as const;
const refuses = (message: string) => ({ kind: 'refusal', reason: 'invalid', message }) as const;
const SENT = {
  betas: ['made-up-2026-01-01', 'kept-2026-02-02'],
  agentId: 'a1',
  effort: 'low',
  thinking: { type: 'adaptive' },
} as const;
const request = () => requestOf(undefined, { model: 'claude-opus-5', system: ['Be brief.'], ...SENT });
const client = (more: Partial<ModelClientOptions> = {}) => clientFor(server.url, { clock, ...more });

/** What is in the request, by the name that a refusal gives it. */
const PARTS: Readonly<Record<string, (seen: Seen) => boolean>> = {
  'one beta': ({ headers }) => String(headers['anthropic-beta']).includes('made-up'),
  'all betas': ({ headers }) => 'anthropic-beta' in headers,
  metadata: ({ json }) => 'metadata' in json,
  output_config: ({ json }) => 'output_config' in json,
  thinking: ({ json }) => 'thinking' in json,
  cache_control: ({ text }) => text.includes('cache_control'),
  'agent id': ({ headers }) => 'x-turnwright-agent-id' in headers,
};

const NAMED: readonly (readonly [part: string, message: string])[] = [
  ['one beta', 'Unexpected value(s) `made-up-2026-01-01` for the `anthropic-beta` header.'],
  ['one beta', 'Unsupported beta: made-up-2026-01-01'],
  ['one beta', 'anthropic-beta: unknown value made-up-2026-01-01'],
  ['all betas', 'The anthropic-beta header is not supported'],
  ['all betas', 'invalid beta flag'],
  ['agent id', 'Unknown header: X-Turnwright-Agent-Id'],
  ['metadata', 'metadata: Extra inputs are not permitted'],
  ['metadata', 'metadata.user_id: Extra inputs are not permitted'],
  ['metadata', 'body -> metadata: extra fields not permitted'],
  ['metadata', "Unknown parameter: 'metadata'."],
  ['metadata', 'json: unknown field "metadata"'],
  ['metadata', 'Unrecognized request argument supplied: metadata'],
  [
    'metadata',
    '[{"type":"extra_forbidden","loc":["body","metadata"],"msg":"Extra inputs are not permitted","input":{}}]',
  ],
  ['output_config', 'output_config: Extra inputs are not permitted'],
  ['output_config', 'output_config.effort: Extra inputs are not permitted'],
  ['thinking', '`thinking` is not supported by this model'],
  [
    'thinking',
    "litellm.UnsupportedParamsError: anthropic does not support parameters: ['thinking'], for model=x",
  ],
  [
    'thinking',
    'litellm.BadRequestError: AnthropicException - b\'{"type":"error","error":{"type":"invalid_request_error","message":"thinking: Extra inputs are not permitted"}}\'',
  ],
  ['cache_control', 'system.0.cache_control: Extra inputs are not permitted'],
  ['cache_control', 'messages.0.content.0.text.cache_control: Extra inputs are not permitted'],
  ['cache_control', 'system[0].cache_control.type: unexpected value'],
  ['cache_control', 'Extra inputs are not permitted: cache_control'],
];

/** Quotes of what users wrote, and places that this request does not have. */
const NOT_NAMED: readonly string[] = [
  'messages.0.content.0: unexpected value: please use cache_control and thinking',
  'messages.0.content.0.text: unexpected value "thinking: Extra inputs are not permitted"',
  'Unexpected value "please leave metadata out" in messages.0',
  'Unexpected text: anthropic-beta, cache_control',
  'The prompt is not allowed: it says metadata, thinking, output_config and context_management',
  'messages.0: Extra inputs are not permitted',
  'messages.0.content.0.input.cache_control: Extra inputs are not permitted',
  'system.7.cache_control: Extra inputs are not permitted',
  'context_management: Extra inputs are not permitted',
  'speed: Extra inputs are not permitted',
  'thinking: Input should be a valid dictionary',
  'Unsupported beta: not-sent-2026-01-01',
  'This is not a valid beta, unknown',
  '[{"type":"string_type","loc":["body","messages",0,"content"],"msg":"unexpected: metadata","input":"metadata"}]',
];

describe('F60 a gateway refuses', () => {
  it.each(NAMED)(
    '%s, as %j: the request is made again without it, and so is every later one',
    async (part, message) => {
      const has = PARTS[part] as (seen: Seen) => boolean;
      const said: string[] = [];
      server.answerWith(refuses(message), HELLO, HELLO);
      const { outcome, notices } = await run(client({ onAdapted: (what) => said.push(what) }), request());
      expect(outcome).toMatchObject({ kind: 'complete', retry: { retries: 0 } });
      expect(notices).toEqual([]);
      // Another client of the same endpoint and key knows it too.
      await run(client(), request());
      expect(seen().map(has)).toEqual([true, false, false]);
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(message);
      const [first, second] = seen();
      for (const [other, hasOther] of Object.entries(PARTS)) {
        if (other === part || part === 'all betas' || other === 'all betas') continue;
        expect(hasOther(second as Seen), other).toBe(hasOther(first as Seen));
      }
    },
  );

  it.each(NOT_NAMED)('nothing of the request, in %j: it fails, and nothing is left out', async (message) => {
    server.answerWith(refuses(message), HELLO);
    expect(failureOf((await run(client(), request())).outcome).kind).toBe('invalid_request');
    await run(client(), request());
    const [first, second] = seen();
    for (const [part, has] of Object.entries(PARTS))
      expect(has(second as Seen), part).toBe(has(first as Seen));
    expect(seen()).toHaveLength(2);
  });

  it.each([
    'tools.1.custom.defer_loading: Extra inputs are not permitted',
    "messages.2.content.0.tool_result.content.0: Input tag 'tool_reference' found using 'type' does not match any of the expected tags: 'text', 'image'",
    '[{"type":"extra_forbidden","loc":["body","tools",1,"defer_loading"],"msg":"Extra inputs are not permitted"}]',
  ])('deferred tools, as %j: they are declared like any other from then on', async (message) => {
    const schema = { type: 'object' } as const;
    const tools = [
      { name: 'ToolSearch', input_schema: schema },
      { name: 'mcp__a__b', input_schema: schema, defer_loading: true },
    ];
    server.answerWith(refuses(message), HELLO, HELLO);
    const asked = () => requestOf(undefined, { model: 'claude-opus-5', tools });
    expect((await run(client(), asked())).outcome.kind).toBe('complete');
    await run(client(), asked());
    expect(seen().map(({ text }) => text.includes('defer_loading'))).toEqual([true, false, false]);
    expect(seen().map(({ text }) => text.includes('mcp__a__b'))).toEqual([true, true, true]);
  });

  it.each([
    'messages.2.output_config: Extra inputs are not permitted',
    "messages.2.role: Input should be 'user' or 'assistant'",
    'Unsupported beta: mid-conversation-output-config-2026-07-01',
  ])('changes of the effort, as %j: it is set for the whole request from then on', async (message) => {
    const view = viewOf(user('One.'), { ...says('m1', 'Two.'), effort: 'high' as const }, user('Three.'));
    const asked = () => requestOf(view, { model: 'claude-opus-5', effort: 'low' });
    server.answerWith(refuses(message), HELLO, HELLO);
    expect((await run(client(), asked())).outcome.kind).toBe('complete');
    await run(client(), asked());
    const efforts = seen().map(({ json }) => (json['output_config'] as { effort: string }).effort);
    expect(efforts).toEqual(['high', 'low', 'low']);
    expect(seen().map(({ text }) => text.includes('"role":"system"'))).toEqual([true, false, false]);
  });

  it('a refusal that stays without what it named teaches nothing', async () => {
    const again = refuses('metadata: Extra inputs are not permitted');
    const said: string[] = [];
    server.answerWith(again, again, HELLO);
    const asking = client({ onAdapted: (what) => said.push(what) });
    expect(failureOf((await run(asking, request())).outcome).kind).toBe('invalid_request');
    await run(asking, requestOf(viewOf(user('Another.')), { system: ['Be brief.'], ...SENT }));
    expect(seen().map(({ json }) => 'metadata' in json)).toEqual([true, false, true]);
    expect(said).toEqual([]);
  });

  it('two fields one after the other: both are left out', async () => {
    server.answerWith(
      refuses('metadata: Extra inputs are not permitted'),
      refuses('output_config: Extra inputs are not permitted'),
      HELLO,
    );
    expect((await run(client(), request())).outcome.kind).toBe('complete');
    expect(seen().map(({ json }) => ['metadata' in json, 'output_config' in json])).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });

  it('another credential, or another header of the user, is not affected', async () => {
    server.answerWith(refuses('metadata: Extra inputs are not permitted'), HELLO, HELLO, HELLO, HELLO);
    await run(client(), request());
    await run(client({ apiKey: 'sk-other' }), request());
    await run(client({ authToken: 'sk-test' }), request());
    await run(client({ headers: { 'x-tenant': 'b' } }), request());
    expect(seen().map(({ json }) => 'metadata' in json)).toEqual([true, false, true, true, true]);
  });

  it('after an hour the endpoint is asked again', async () => {
    const refused = refuses('metadata: Extra inputs are not permitted');
    server.answerWith(refused, HELLO, HELLO, HELLO);
    const asking = client();
    await run(asking, request());
    await clock.advance(59 * 60_000);
    await run(asking, request());
    await clock.advance(60_000);
    await run(asking, request());
    expect(seen().map(({ json }) => 'metadata' in json)).toEqual([true, false, false, true]);
  });

  it('one beta: the others are still sent', async () => {
    server.answerWith(
      refuses('Unexpected value(s) `made-up-2026-01-01` for the `anthropic-beta` header.'),
      HELLO,
    );
    await run(client(), request());
    expect(String(seen()[1]?.headers['anthropic-beta'])).toContain('kept-2026-02-02');
  });
});

interface Seen {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const seen = (): readonly Seen[] =>
  server.requests.flatMap(({ method, headers, json, body }) =>
    method === 'POST' ? [{ headers, json, text: body.toString('utf8') }] : [],
  );
