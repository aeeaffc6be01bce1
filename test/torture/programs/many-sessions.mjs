// Many sessions at the same time in one process, through the built library. Prints one line of JSON. Usage:
//   node many-sessions.mjs '{ "url", "sessions", "folder" }'
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createSdkMcpServer, query, tool } from '../../../dist/index.js';
import { unattended } from './unattended.mjs';

const { url, sessions, folder } = JSON.parse(process.argv[2]);
const delay = monitorEventLoopDelay({ resolution: 5 });
let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);

async function session(n) {
  const fill = tool('fill', 'Fills the conversation', {}, async () => ({
    content: [{ type: 'text', text: `session ${n}` }],
  }));
  let result;
  const running = query({
    prompt: `The task of session ${n}.`,
    options: {
      cwd: folder,
      ...unattended(`${url}/${n}`, folder),
      model: 'claude-sonnet-5',
      tools: [],
      mcpServers: { host: createSdkMcpServer({ name: 'host', tools: [fill] }) },
    },
  });
  for await (const message of running) if (message.type === 'result') result = message;
  return result;
}

// The first one loads the code.
await session('first');
const startedMs = performance.now();
delay.enable();
const results = await Promise.all(Array.from({ length: sessions }, (_, n) => session(n)));
delay.disable();
clearInterval(watch);
const ms = performance.now() - startedMs;
console.log(
  JSON.stringify({
    succeeded: results.filter((result) => result?.subtype === 'success' && !result.is_error).length,
    turns: results.reduce((sum, result) => sum + (result?.num_turns ?? 0), 0),
    ms,
    peak: Math.max(peak, process.resourceUsage().maxRSS * 1024),
    lagMs: delay.max / 1e6,
    cpuMs: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  }),
);
