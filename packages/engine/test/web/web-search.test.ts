import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Options, query, type SDKMessage } from '../../src/index.ts';

type Body = Readonly<Record<string, never>> & {
  readonly tools?: readonly { readonly type?: string; readonly name: string }[];
};

const LINKS = [
  { type: 'web_search_result', title: 'One', url: 'https://one.example/a', encrypted_content: 'x' },
  { type: 'web_search_result', title: 'Two', url: 'https://two.example/b', encrypted_content: 'y' },
];
const found = (content: unknown) => [
  { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'larches' } },
  { type: 'web_search_tool_result', tool_use_id: 'srv_1', content },
  { type: 'text', text: 'Larches lose their needles.' },
];
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  server_tool_use: { web_search_requests: 1 },
};

describe('WebSearch', () => {
  let answer: readonly object[] | number;
  let bodies: Body[];
  let input: object;
  let url: string;
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text || '{}') as Body;
    bodies.push(body);
    const searches = body.tools?.some(({ type }) => type === 'web_search_20250305') === true;
    const mine = bodies.filter(
      ({ tools }) => tools?.some(({ name }) => name === 'WebSearch') !== false,
    ).length;
    const blocks = searches
      ? answer
      : mine === 1
        ? [{ type: 'tool_use', id: 'call_1', name: 'WebSearch', input }]
        : [{ type: 'text', text: 'Done.' }];
    response.setHeader('content-type', 'application/json');
    if (typeof blocks === 'number') {
      response.statusCode = blocks;
      response.end(
        JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }),
      );
      return;
    }
    const called = blocks.some((block) => (block as { type?: string }).type === 'tool_use');
    const message = {
      id: `msg_${bodies.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5',
    };
    const end = { stop_reason: called ? 'tool_use' : 'end_turn', stop_sequence: null };
    response.end(
      JSON.stringify({
        ...message,
        content: blocks,
        ...end,
        usage: searches ? usage : { ...usage, server_tool_use: undefined },
      }),
    );
  });
  beforeEach(async () => {
    bodies = [];
    answer = found(LINKS);
    input = { query: 'larches' };
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const run = async (options: Options = {}) => {
    const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k' };
    const all = {
      env,
      model: 'claude-sonnet-5',
      persistSession: false,
      allowedTools: ['WebSearch'],
      ...options,
    };
    const messages: SDKMessage[] = [];
    for await (const message of query({ prompt: 'Go.', options: all })) messages.push(message);
    const result = messages.findLast((message) => message.type === 'result');
    const answered = messages.find((message) => message.type === 'user');
    const [block] = (answered?.message.content ?? []) as unknown as { content: string; is_error?: boolean }[];
    return { result, block, data: (answered as { tool_use_result?: unknown } | undefined)?.tool_use_result };
  };

  it('asks the provider in one further call, and hands on links and summary', async () => {
    const { block, data, result } = await run();
    const asked = bodies.find(({ tools }) => tools?.[0]?.type !== undefined);
    expect(asked?.tools).toEqual([{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }]);
    expect(block?.content).toContain('Links: [{"title":"One","url":"https://one.example/a"}');
    expect(block?.content).toContain('Larches lose their needles.');
    expect(data).toMatchObject({
      query: 'larches',
      searchCount: 1,
      results: [
        { tool_use_id: 'srv_1', content: [{ title: 'One', url: 'https://one.example/a' }, { title: 'Two' }] },
        'Larches lose their needles.',
      ],
    });
    expect(result?.modelUsage['claude-sonnet-5']).toMatchObject({ webSearchRequests: 1 });
  });

  it('passes on which domains are wanted, and refuses both lists at once', async () => {
    input = { query: 'larches', allowed_domains: ['one.example'] };
    await run();
    expect(bodies[1]?.tools).toMatchObject([{ allowed_domains: ['one.example'] }]);
    bodies = [];
    input = { query: 'larches', allowed_domains: ['a.b'], blocked_domains: ['c.d'] };
    expect((await run()).block).toMatchObject({
      is_error: true,
      content: expect.stringContaining('not both'),
    });
    expect(bodies).toHaveLength(2);
  });

  it('says what went wrong', async () => {
    answer = found({ type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' });
    expect((await run()).block?.content).toContain('Web search error: max_uses_exceeded');
    bodies = [];
    answer = 400;
    expect((await run()).block).toMatchObject({
      is_error: true,
      content: expect.stringContaining('API Error'),
    });
  });

  it('needs a permission, and is absent for a model of another provider', async () => {
    const { result } = await run({ allowedTools: [] });
    expect(result?.permission_denials).toMatchObject([{ tool_name: 'WebSearch' }]);
    bodies = [];
    await run({ model: 'local-model' });
    const main = bodies.filter(({ tools }) => tools !== undefined);
    expect(main.flatMap(({ tools = [] }) => tools.map(({ name }) => name))).not.toContain('WebSearch');
  });
});
