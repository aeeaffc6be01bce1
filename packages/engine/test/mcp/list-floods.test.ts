/** A server that announces changes of its lists without end is not asked without end. */
import { writeFile } from 'node:fs/promises';
import { call, roomOf, stdio, temporaryFile, toolIn } from '@turnwright/test/mcp/servers-under-test.ts';
import { expect, it, onTestFinished } from 'vitest';

/** Announces changes while it is called, one in each turn of its event loop, and says how often it was asked. */
const FLOODING = `
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const lists = { tools: 0, prompts: 0 };
const turn = () => new Promise((resolve) => setImmediate(resolve));
async function answer({ id, method, params }) {
  if (method === 'initialize')
    return { protocolVersion: params.protocolVersion, serverInfo: { name: 'flood', version: '1' },
      capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } } };
  if (method === 'prompts/list') return lists.prompts++, { prompts: [] };
  if (method === 'tools/list') {
    lists.tools++;
    return { tools: [{ name: 'flood', inputSchema: { type: 'object' } }] };
  }
  for (let n = 0; n < params.arguments.times; n++) {
    for (const kind of params.arguments.kinds) send({ method: 'notifications/' + kind + '/list_changed' });
    if (n % 10 === 0) await turn();
  }
  return { content: [{ type: 'text', text: JSON.stringify(lists) }] };
}
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id !== undefined) answer(message).then((result) => send({ id: message.id, result }));
}
`;

it.each([
  [['tools'], 5_000],
  [['prompts'], 5_000],
  [['tools', 'prompts', 'resources', 'unknown'], 2_000],
] as const)('a flood about %j is a few readings', async (kinds, times) => {
  const warned: Error[] = [];
  const onWarning = (warning: Error) => warned.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const script = await temporaryFile('flood.mjs');
  await writeFile(script, FLOODING);
  const room = await roomOf({ flood: stdio(script, [], {}) });
  await call(toolIn(room, 'mcp__flood__flood'), { kinds, times });
  // A call waits for lists that are being read.
  const { text } = await call(toolIn(room, 'mcp__flood__flood'), { kinds, times: 0 });
  const lists = JSON.parse(text) as { readonly tools: number; readonly prompts: number };
  expect(lists.tools + lists.prompts).toBeLessThan(30);
  expect(warned).toEqual([]);
});
