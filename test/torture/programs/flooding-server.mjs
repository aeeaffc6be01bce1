// An MCP server that writes far too much: `node flooding-server.mjs <where>`. Its tool `flood` writes so many bytes first.
import { createInterface } from 'node:readline';

const where = process.argv[2];
const CHUNK = 1024 * 1024;
const send = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);

async function flood(bytes) {
  const stream = where === 'stderr' ? process.stderr : process.stdout;
  const line = where === 'lines' ? `${'x'.repeat(1023)}\n` : 'x'.repeat(1024);
  const chunk = Buffer.from(line.repeat(CHUNK / 1024));
  for (let sent = 0; sent < bytes; sent += CHUNK)
    if (!stream.write(chunk)) await new Promise((resolve) => stream.once('drain', resolve));
}

createInterface(process.stdin).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    send(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'flood', version: '1' },
    });
  else if (method === 'tools/list')
    send(id, { tools: [{ name: 'flood', inputSchema: { type: 'object', properties: {} } }] });
  else if (method === 'tools/call') {
    await flood(params.arguments.bytes);
    if (where === 'stdout') process.stdout.write('\n');
    send(id, { content: [{ type: 'text', text: 'done' }] });
  } else if (id !== undefined) send(id, {});
});
