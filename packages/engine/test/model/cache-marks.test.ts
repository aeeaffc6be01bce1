import { type ApiServer, apiServer, hello } from '@turnwright/test/model/api-server.ts';
import {
  calls,
  clientFor,
  requestOf,
  result,
  run,
  says,
  user,
  viewOf,
} from '@turnwright/test/model/conversation.ts';
import { afterEach, describe, expect, it } from 'vitest';
import type { UserMessage } from '../../src/protocol/model/messages.ts';
import type { ModelRequest } from '../../src/protocol/model/model.ts';
import type { UserBlock } from '../../src/protocol/model/wire.ts';

let server: ApiServer;
afterEach(() => server?.close());

const SHORT = { type: 'ephemeral' } as const;
const LONG = { type: 'ephemeral', ttl: '1h' } as const;
const HEAD = {
  system: ['You are useful.', 'And brief.'],
  tools: [{ name: 'Read', input_schema: { type: 'object' } }],
} satisfies Partial<ModelRequest>;

async function sent(request: ModelRequest, options: Parameters<typeof clientFor>[1] = {}) {
  server = await apiServer(hello);
  await run(clientFor(server.url, options), request);
  return server.received[0]?.text ?? '';
}

const marksIn = (text: string) => text.match(/"cache_control":\{[^}]*\}/g) ?? [];

describe('cache marks', () => {
  const marked = (block: UserBlock, cache_control: typeof SHORT | typeof LONG): UserBlock => ({
    ...block,
    cache_control,
  });
  const image: UserBlock = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
  };
  const callers: UserMessage = user([
    marked({ type: 'text', text: 'a' }, SHORT),
    marked({ type: 'text', text: 'b' }, LONG),
    marked(image, LONG),
    marked({ type: 'document', source: { type: 'text', data: 'c' } }, SHORT),
  ]);
  const answered = user([
    marked(
      { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'x', cache_control: LONG }] },
      LONG,
    ),
  ]);
  const view = () => viewOf(callers, calls('m1', 't1'), answered, says('m2', 'y'), user('go on'));
  const tools = [{ ...HEAD.tools[0], cache_control: LONG }] as ModelRequest['tools'];

  it('F13: a caller’s marks make way for the engine’s own: never more than four, all of one time to live', async () => {
    const marks = marksIn(await sent(requestOf(view(), { ...HEAD, tools })));
    expect(marks).toHaveLength(3);
    expect(new Set(marks)).toEqual(new Set(['"cache_control":{"type":"ephemeral"}']));
  });

  it('F13: with one hour, so that none follows a shorter one', async () => {
    const marks = marksIn(await sent(requestOf(view(), HEAD), { cacheTtl: '1h' }));
    expect(marks).toHaveLength(3);
    expect(new Set(marks)).toEqual(new Set(['"cache_control":{"type":"ephemeral","ttl":"1h"}']));
  });

  it('F112: two identical runs have identical bytes, and these are they', async () => {
    const request = () =>
      requestOf(viewOf(user('Look.'), calls('m1', 't1', { path: 'ä' }), result('t1', 'x'), user('Go on.')), {
        ...HEAD,
        userContext: ['Today is Sunday.'],
      });
    const first = await sent(request());
    await server.close();
    expect(await sent(request())).toBe(first);
    const prefix = first.slice(0, first.indexOf(',"output_config"'));
    expect(prefix).toMatchInlineSnapshot(
      `"{"model":"claude-sonnet-5","max_tokens":8000,"system":[{"type":"text","text":"You are useful."},{"type":"text","text":"And brief.","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"Read","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[{"type":"text","text":"Today is Sunday."},{"type":"text","text":"Look.","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"path":"ä"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"},{"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]}]"`,
    );
  });
});
