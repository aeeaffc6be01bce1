/** WebFetch through the public door: rules, the small model that reads, and what it costs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type RehearsalServer,
  reply,
  type Scenario,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Options, query, type SDKResultMessage } from '../../src/index.ts';
import { html, type PageServer, servePages } from './page-server.ts';

const LONG = `<h1>Guide</h1>${'<p>Larches lose their needles in autumn, as no pine does.</p>'.repeat(3_000)}`;

let server: RehearsalServer;
let pages: PageServer;
let cwd: string;
beforeEach(async () => {
  server = await startRehearsal();
  cwd = await mkdtemp(join(tmpdir(), 'turnwright-web-'));
  pages = await servePages({
    '/short': html('<h1>Larch</h1><p>A tree.</p>'),
    '/long': html(LONG),
    '/gone': (response) => response.writeHead(410, { 'content-type': 'text/plain' }).end('It was here once.'),
  });
});
afterEach(async () => {
  await server.close();
  await pages.close();
  await rm(cwd, { recursive: true, force: true });
});

const fetchOf = (path: string, more: object = {}) =>
  toolUse('WebFetch', { url: pages.origin + path, prompt: 'What is a larch?', ...more });

async function run(replies: Scenario['replies'], options: Options = {}) {
  server.setScenario({ name: 'web', replies });
  const results: { content: string; isError: boolean; data: unknown }[] = [];
  let result: SDKResultMessage | undefined;
  const rules = { allowedTools: [`WebFetch(domain:${pages.host})`] };
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' };
  const all = { cwd, env, tools: ['WebFetch'], ...rules, ...options };
  for await (const message of query({ prompt: 'Go.', options: all })) {
    if (message.type === 'result') result = message;
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_result')
        results.push({
          content: String(block.content),
          isError: block.is_error === true,
          data: message.tool_use_result,
        });
  }
  expect(server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
  return { results, result };
}

it('a short page comes as it is, and is not asked for twice', async () => {
  const { results } = await run([
    reply(fetchOf('/short')),
    reply(fetchOf('/short', { prompt: 'Again?' })),
    reply('Done.'),
  ]);
  expect(results).toMatchObject([
    {
      isError: false,
      content: `${pages.origin}/short says:\n\n# Larch\n\nA tree.`,
      data: { code: 200, codeText: 'OK', bytes: 28, url: `${pages.origin}/short` },
    },
    { isError: false },
  ]);
  expect(pages.asked).toEqual(['/short']);
});

it('a long page is read by a small model, whose cost is counted, and can be read on', async () => {
  const { results, result } = await run([
    reply(fetchOf('/long')),
    reply('A conifer that sheds.', { when: { kind: 'helper' } }),
    reply('Done.'),
  ]);
  expect(results[0]?.content).toMatch(
    /^A conifer that sheds\.\n\n\(Characters 0 to 100000 of \d+ were read\. To read on, call again with offset 100000\.\)$/,
  );
  const asked = server.requests[1]?.body as { model: string; messages: unknown; tools?: unknown };
  expect(asked.model).toContain('haiku');
  expect(JSON.stringify(asked.messages)).toContain('no pine does');
  expect(JSON.stringify(asked.messages)).toContain('What is a larch?');
  const models = Object.keys(result?.modelUsage ?? {});
  expect(models).toContainEqual(expect.stringContaining('haiku'));
  expect(models).toHaveLength(2);
});

it('without a rule the call is denied, and a rule for the tool alone opens no private host', async () => {
  const denied = await run([reply(fetchOf('/short')), reply('Well.')], { allowedTools: [] });
  expect(denied.result?.permission_denials).toMatchObject([{ tool_name: 'WebFetch' }]);
  const refused = await run([reply(fetchOf('/short')), reply('Well.')], { allowedTools: ['WebFetch'] });
  expect(refused.results).toMatchObject([
    { isError: true, content: expect.stringContaining('its address 127.0.0.1 is loopback') },
  ]);
  expect(pages.asked).toEqual([]);
});

it('a setting opens a private host; who may fetch is still a matter of rules', async () => {
  const { results } = await run([reply(fetchOf('/short')), reply('Well.')], {
    allowedTools: ['WebFetch'],
    settings: { webFetchPrivateHosts: [pages.host] },
  });
  expect(results).toMatchObject([{ isError: false }]);
});

it('what the user allowed by name is refused when the name leads to a private address', async () => {
  const { results } = await run(
    [reply(toolUse('WebFetch', { url: 'https://docs.example/', prompt: 'x' })), reply('Well.')],
    {
      allowedTools: ['WebFetch(domain:docs.example)'],
      engine: { webFetch: { resolve: async () => [{ address: '169.254.169.254', family: 4 }] } },
    },
  );
  expect(results).toMatchObject([{ isError: true, content: expect.stringContaining('is link-local') }]);
});

it('error pages, invalid URLs and offsets beyond the end are reported', async () => {
  const { results } = await run([
    reply(fetchOf('/gone')),
    reply(toolUse('WebFetch', { url: 'http://me:pw@127.0.0.1/', prompt: 'x' })),
    reply(toolUse('WebFetch', { url: 'ftp://127.0.0.1/', prompt: 'x' })),
    reply(fetchOf('/short', { offset: 999 })),
    reply('Well.'),
  ]);
  expect(results.map(({ isError }) => isError)).toEqual([true, true, true, true]);
  expect(results[0]?.content).toContain('answered 410 Gone. It says:\n\nIt was here once.');
  expect(results[1]?.content).toContain('user name or password');
  expect(results[2]?.content).toContain('Only http and https');
  expect(results[3]?.content).toContain('ends before character 999');
});
