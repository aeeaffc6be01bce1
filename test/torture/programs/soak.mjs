// One session that goes on and on, through the built library: calls of a host's tool, commands, a server that is
// reconnected. Prints one line of JSON for each sample, and one with the result. Usage:
//   node --expose-gc soak.mjs '{ "folder", "url", "iterations", "reconnects", "samples", "window" }'
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getHeapCodeStatistics } from 'node:v8';
import { createSdkMcpServer, query, tool } from '../../../dist/index.js';
import { unattended } from './unattended.mjs';

const SERVER = fileURLToPath(new URL('../../mcp/servers/toolbox.mjs', import.meta.url));
const SIGNALS = ['exit', 'SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException', 'beforeExit', 'warning'];
const { folder, url, iterations, reconnects, samples, window } = JSON.parse(process.argv[2]);
const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
for (const each of [cwd, home]) mkdirSync(each, { recursive: true });

let iteration = 0;
let reconnected = 0;
let compactions = 0;
/** Messages that the consumer was given since the last compaction. */
let weak = [];
let warnings = 0;
process.on('warning', () => warnings++);

const fill = tool('fill', 'Fills the conversation', {}, async () => {
  iteration++;
  if (iteration % Math.floor(iterations / reconnects) === 0 && reconnected < reconnects) {
    await running.reconnectMcpServer('box');
    reconnected++;
  }
  if (iteration % Math.floor(iterations / samples) === 0) sample();
  return { content: [{ type: 'text', text: `${iteration} ${'lorem ipsum '.repeat(20)}` }] };
});

function sample() {
  globalThis.gc();
  const count = (kind) => process.getActiveResourcesInfo().filter((each) => each === kind).length;
  // What is compiled grows while the program becomes faster, whatever it keeps.
  const code = getHeapCodeStatistics();
  const sampled = {
    iteration,
    compactions,
    heap: process.memoryUsage().heapUsed - code.code_and_metadata_size - code.bytecode_and_metadata_size,
    fds: readdirSync('/proc/self/fd').length,
    timers: count('Timeout'),
    children: count('ProcessWrap'),
    sockets: count('TCPSocketWrap'),
    listeners: SIGNALS.reduce((sum, event) => sum + process.listenerCount(event), 0),
  };
  console.log(JSON.stringify(sampled));
}

/** Messages that are held for longer than this, ms, count as kept: a busy machine may be slow to release them. */
const MOST_HELD_MS = 10_000;

async function isReleased(gone) {
  const started = performance.now();
  let held = gone;
  do {
    await new Promise((resolve) => setTimeout(resolve, 300));
    globalThis.gc();
    held = held.filter((ref) => ref.deref() !== undefined);
  } while (held.length > 0 && performance.now() - started < MOST_HELD_MS);
  checked += gone.length;
  leftOver += held.length;
}

const running = query({
  prompt: 'Go on and on.',
  options: {
    cwd,
    ...unattended(url, home, { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(window) }),
    model: 'claude-sonnet-5',
    tools: ['Bash'],
    mcpServers: {
      host: createSdkMcpServer({ name: 'host', tools: [fill] }),
      box: { command: process.execPath, args: [SERVER] },
    },
  },
});
let result;
let leftOver = 0;
let checked = 0;
let older = [];
const checks = [];
for await (const message of running) {
  if (message.type === 'assistant' || message.type === 'user') weak.push(new WeakRef(message.message));
  if (message.type === 'result') result = message;
  if (message.type !== 'system' || message.subtype !== 'compact_boundary') continue;
  compactions++;
  // The last messages before a compaction are kept behind it, and go with the next one.
  const gone = older;
  older = weak;
  weak = [];
  checks.push(isReleased(gone));
}
await Promise.all(checks);
sample();
console.log(
  JSON.stringify({
    subtype: result?.subtype,
    errors: result?.errors,
    iteration,
    reconnected,
    compactions,
    checked,
    leftOver,
    warnings,
  }),
);
