// A session through the built library, in a process of its own whose memory can be looked at. Prints one JSON object.
// Usage: node --expose-gc long-run.mjs '{ "cwd", "env", "resume"?, "resultChars", "sampleEvery" }'
import { createSdkMcpServer, query, tool } from '../../dist/index.js';

const { cwd, env, resume, resultChars, sampleEvery } = JSON.parse(process.argv[2]);
const heap = [];
let turns = 0;
let compactions = 0;
const fill = tool('fill', 'Fills the conversation', {}, async () => {
  turns++;
  if (turns % sampleEvery === 0) {
    globalThis.gc();
    heap.push(process.memoryUsage().heapUsed);
  }
  return { content: [{ type: 'text', text: `${turns} ${'lorem ipsum '.repeat(resultChars / 12)}` }] };
});
const options = {
  cwd,
  env,
  resume,
  model: 'claude-sonnet-5',
  permissionMode: 'bypassPermissions',
  tools: [],
  mcpServers: { long: createSdkMcpServer({ name: 'long', tools: [fill] }) },
};
let result;
for await (const message of query({ prompt: 'Fill it.', options })) {
  if (message.type === 'system' && message.subtype === 'compact_boundary') compactions++;
  if (message.type === 'result') result = message;
}
const { subtype, session_id: sessionId, errors } = result;
console.log(JSON.stringify({ subtype, sessionId, turns, compactions, heap, errors }));
