// A server without a library, for what no library would send. Its first argument says how it behaves.
import { createInterface } from 'node:readline';

const how = process.argv[2];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const TOOLS = {
  schemas: [
    {
      name: 'good',
      description: 'plain\u001b[31m red\u200b\u202e hidden',
      inputSchema: { type: 'object', properties: {} },
    },
    {
      name: 'union',
      inputSchema: {
        anyOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'number' } } },
        ],
      },
    },
    {
      name: 'dollar',
      inputSchema: { type: 'object', properties: { $filter: { type: 'string' } }, required: ['$filter'] },
    },
    { name: 'words', inputSchema: { type: 'string' } },
    { name: 'broken', inputSchema: { type: 'object', properties: { a: { type: 'strange' } } } },
    { name: 'none' },
  ],
  names: [{ name: 'a b' }, { name: 'a.b' }, { name: 'a_b' }, { name: 'x'.repeat(200) }],
};

if (how === 'noise') process.stdout.write('Welcome!\nnot { json\n{"half": \n');
if (how === 'mute') setInterval(() => {}, 1000);
if (how === 'flood') {
  const chunk = 'x'.repeat(1024 * 1024);
  const flood = () => process.stdout.write(chunk, flood);
  flood();
}
if (how === 'stderr') {
  for (let n = 0; n < 200; n++) process.stderr.write('e'.repeat(10_000));
  process.stderr.write('\nfatal: no database\n', () => process.exit(1));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (how === 'mute' || how === 'stderr') return;
  if (method === 'initialize' && how === 'refuses') {
    const data = { supported: ['1999-01-01'], requested: params.protocolVersion };
    send({ id, error: { code: -32602, message: 'Unsupported protocol version', data } });
  } else if (method === 'initialize') {
    send({
      id,
      result: {
        protocolVersion: how === 'old' ? '1999-01-01' : params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'crude', version: '0' },
      },
    });
  }
  if (method === 'tools/list' && how === 'unlisted') {
    send({ id, error: { code: -32603, message: 'fetch failed' } });
  } else if (method === 'tools/list') {
    const tools = TOOLS[how] ?? [{ name: 'odd', inputSchema: { type: 'object' } }];
    // Pages that never end, with the same cursor.
    send({ id, result: { tools: params?.cursor ? [] : tools, nextCursor: 'more' } });
  }
  if (method === 'tools/call' && how === 'closes') process.stdout.end();
  else if (method === 'tools/call') {
    const { name, arguments: input } = params;
    if (name === 'odd' && input.error) send({ id, error: input.error });
    else if (name === 'odd') send({ id, result: input.result ?? null });
    else send({ id, result: { content: [{ type: 'text', text: JSON.stringify(input) }] } });
  }
});
