/** An MCP server on its standard streams with one tool, `shell`, which runs a command and says what came of it. */
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';

const tools = [
  {
    name: 'shell',
    description: 'Runs a command.',
    inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
];

const shell = (command) =>
  new Promise((resolve) => {
    const options = { timeout: 10_000, killSignal: 'SIGKILL', maxBuffer: 4_000_000 };
    execFile('bash', ['-c', command], options, (_error, stdout, stderr) => resolve(stdout + stderr));
  });

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shell', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': async ({ arguments: { command } }) => ({
    content: [{ type: 'text', text: `${process.pid} ${await shell(command)}` }],
  }),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = await answers[method]?.(params);
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: method } }) })}\n`,
  );
});
