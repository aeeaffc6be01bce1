/** Every block that the Messages API takes: in a prompt, in a tool result, in an answer, and after a resume. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, type ApiServer, apiServer } from '@turnwright/test/model/api-server.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Options, query, type SDKUserMessage } from '../../src/index.ts';

let folder: string;
let server: ApiServer | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwright-blocks-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

type Block = Readonly<Record<string, unknown>> & { readonly type: string };
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const text = (value: string): Block => ({ type: 'text', text: value });

/** Blocks of the user side, each with a field that none of our types names. */
const GIVEN: readonly Block[] = [
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG }, transformations: {} },
  { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  { type: 'image', source: { type: 'file', file_id: 'file_1' } },
  {
    type: 'document',
    source: { type: 'file', file_id: 'file_2' },
    citations: { enabled: true },
    context: 'c',
  },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' }, title: 't' },
  { type: 'document', source: { type: 'content', content: [text('inside')] } },
  { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
  { type: 'search_result', source: 's', title: 't', content: [text('found')], citations: { enabled: true } },
  { type: 'container_upload', file_id: 'file_3' },
  { type: 'tool_addition', tool: { type: 'tool_reference', name: 'x' } },
  { type: 'tool_removal', tool: { type: 'tool_reference', name: 'x' } },
  { type: 'text', text: 'cited', citations: [{ type: 'char_location', cited_text: 'c' }] },
  { type: 'browser_state', tabs: [] },
  { type: 'of_next_year', anything: { at: ['all'] } },
];
/** Blocks of the model's side. */
const ANSWERED: readonly Block[] = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  {
    type: 'web_fetch_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: { type: 'web_fetch_result', url: 'u' },
  },
  { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'advisor_result', text: 'a' } },
  { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { stdout: 'o' } },
  { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { stdout: 'o' } },
  { type: 'text_editor_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { x: 1 } },
  { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: { tool_references: [] } },
  { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'n', server_name: 's', input: { a: 1 } },
  { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: [text('r')], is_error: false },
  { type: 'mcp_tool_listing', mcp_server_name: 's', tools: [] },
  { type: 'container_upload', file_id: 'file_4' },
  { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } },
  { type: 'compaction', content: 'so far', encrypted_content: 'sealed' },
  { type: 'redacted_thinking', data: 'sealed' },
  { type: 'text', text: 'said', citations: [{ type: 'char_location', cited_text: 'c' }] },
  { type: 'of_next_year', anything: { at: ['all'] } },
];

/** A block as the API streams it: what grows, grows by deltas. */
function streamed(block: Block, index: number): object[] {
  const events = (start: object, ...deltas: object[]) => [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  switch (block.type) {
    case 'text': {
      const cited = (block['citations'] as object[] | undefined) ?? [];
      return events(
        { type: 'text', text: '' },
        { type: 'text_delta', text: block['text'] },
        ...cited.map((citation) => ({ type: 'citations_delta', citation })),
      );
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return events(
        { ...block, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
      );
    case 'compaction': {
      const { type, ...content } = block;
      const empty = { content: null, encrypted_content: null };
      return events({ type, ...empty }, { type: 'compaction_delta', ...content });
    }
    default:
      return events(block);
  }
}

const answering =
  (blocks: readonly Block[], stop_reason = 'end_turn'): Answer =>
  (response) => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const events = [
      {
        type: 'message_start',
        message: { id: 'm', role: 'assistant', model: 'claude-sonnet-5', content: [], usage },
      },
      ...blocks.flatMap(streamed),
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
const refusing =
  (message: string): Answer =>
  (response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
  };

async function run(content: string | readonly Block[], answers: readonly Answer[], options: Options = {}) {
  let asked = 0;
  server = await apiServer((response, received, n) => {
    if (received.url.includes('/messages'))
      return answers[Math.min(asked++, answers.length - 1)]?.(response, received, n);
    response.writeHead(404).end();
  });
  const given = {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
  } as SDKUserMessage;
  const running = query({
    prompt: (async function* () {
      yield given;
    })(),
    options: {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        TURNWRIGHT_HOME: join(folder, 'home'),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-test',
      },
      model: 'claude-sonnet-5',
      ...options,
    },
  });
  const gathered = await gather(running);
  const bodies = server.received.filter(({ url }) => url.includes('/messages')).map(({ json }) => json);
  await server.close();
  server = undefined;
  return { ...gathered, bodies };
}

/** Blocks of all messages of a request, without the marks of the cache. */
const blocksOf = (body: Readonly<Record<string, unknown>> = { messages: [] }): Block[] =>
  (body['messages'] as { content: string | Block[] }[]).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.map(({ cache_control: _, ...block }) => block as Block),
  );

describe('a prompt', () => {
  it.each(GIVEN.map((block) => [block.type, block] as const))('takes %s as it is', async (_, block) => {
    const { bodies, results } = await run([block, text('Look.')], [answering([text('Seen.')])]);
    expect(results).toMatchObject([{ subtype: 'success', result: 'Seen.' }]);
    expect(blocksOf(bodies[0])).toContainEqual(block);
  });

  it('leaves out what is no block, and says so', async () => {
    const { bodies, results } = await run(
      [{ kind: 'odd' } as unknown as Block, text('Look.')],
      [answering([text('Seen.')])],
    );
    expect(results).toMatchObject([{ subtype: 'success' }]);
    expect(JSON.stringify(bodies[0])).toContain('[block left out: it has no type]');
  });
});

describe('a tool result', () => {
  it.each(GIVEN.map((block) => [block.type, block] as const))('takes %s as it is', async (_, block) => {
    const call: Block = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'true' } };
    const { bodies } = await run('Go.', [answering([call], 'tool_use'), answering([text('Seen.')])], {
      allowedTools: ['Bash'],
      hooks: {
        PostToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: [block, text('and')] },
              }),
            ],
          },
        ],
      },
    });
    const result = blocksOf(bodies[1]).find(({ type }) => type === 'tool_result');
    expect(result?.['content']).toContainEqual(block);
  });
});

describe('a resumed history', () => {
  it('holds every block of both sides as it came', async () => {
    const first = await run([...GIVEN, text('Look.')], [answering([...ANSWERED, text('Seen.')])]);
    const [{ session_id: resume = '' } = {}] = first.results;
    const { bodies, results } = await run('Again.', [answering([text('Yes.')])], { resume });
    expect(results).toMatchObject([{ subtype: 'success', result: 'Yes.' }]);
    const sent = blocksOf(bodies[0]);
    for (const block of [...GIVEN, ...ANSWERED]) expect(sent).toContainEqual(block);
  });
});

describe('a block that the API refuses', () => {
  it.each(['search_result', 'container_upload', 'of_next_year'])('%s is left out by name', async (type) => {
    const block = GIVEN.find((each) => each.type === type) as Block;
    const { bodies, results } = await run(
      [text('Look.'), block],
      [
        (...call) => {
          const [, { json }] = call;
          const { messages } = json as { messages: { content: Block[] }[] };
          const at = messages[0]?.content.findIndex((each) => each.type === type);
          return refusing(`messages.0.content.${at}.${type}: not available`)(...call);
        },
        answering([text('Seen.')]),
      ],
    );
    expect(results).toMatchObject([{ subtype: 'success', result: 'Seen.' }]);
    expect(bodies).toHaveLength(2);
    expect(JSON.stringify(bodies[1])).toContain(`[${type} refused by the API and removed`);
    expect(blocksOf(bodies[1])).not.toContainEqual(block);
  });

  it('is left out of an answer, too', async () => {
    const compaction = ANSWERED.find(({ type }) => type === 'compaction') as Block;
    const first = await run('Look.', [answering([compaction, text('Seen.')])]);
    const [{ session_id: resume = '' } = {}] = first.results;
    const { bodies, results } = await run(
      'Again.',
      [refusing('messages.1.content.0.compaction: not available'), answering([text('Yes.')])],
      { resume },
    );
    expect(results).toMatchObject([{ subtype: 'success', result: 'Yes.' }]);
    expect(blocksOf(bodies[0])).toContainEqual(compaction);
    expect(JSON.stringify(bodies[1])).toContain('[compaction refused by the API and removed');
  });
});

it('an answer that ends with a compaction goes on', async () => {
  const compaction = ANSWERED.find(({ type }) => type === 'compaction') as Block;
  const { bodies, results } = await run('Go.', [
    answering([compaction], 'compaction'),
    answering([text('Done.')]),
  ]);
  expect(results).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
  expect(blocksOf(bodies[1])).toContainEqual(compaction);
});
