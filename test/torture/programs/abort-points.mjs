// Runs a session again and again, each time ended at one of its messages, through the built library. Prints one line of
// JSON for each run. Usage: node abort-points.mjs '{ "folder", "runs": [{ "at", "way", "waitMs" }] }'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query } from '../../../dist/index.js';
import { reply, startRehearsal, toolUse } from '../../../dist/rehearsal.js';
import { unattended } from './unattended.mjs';

const SERVER = fileURLToPath(new URL('../../mcp/servers/toolbox.mjs', import.meta.url));

/** Commands that leave children: an obedient one, and one that ignores SIGTERM. */
const FAMILY = [
  'echo $$ >> pids',
  'sleep 60 & echo $! >> pids',
  '(trap "" TERM; sleep 60) & echo $! >> pids',
  'sleep 0.3',
].join('; ');
const QUICK = 'echo $$ >> pids; sleep 0.05';

/** Two rounds of parallel calls, one of them of the server; an agent that runs a command; then an answer. */
function model({ results, tools, firstUserMessage }) {
  const timing = { gapMs: 5, blockPauseMs: 10 };
  const bash = (command, id) => toolUse('Bash', { command }, id);
  if (firstUserMessage.includes('task of the agent'))
    return reply(results.size === 0 ? bash(FAMILY, 'agent_1') : 'The agent is done.', { timing });
  if (!tools.includes('Bash')) return reply('A title.');
  switch (results.size) {
    case 0:
      return reply(['First.', bash(QUICK, 'call_1'), bash(FAMILY, 'call_2')], { timing });
    case 2:
      return reply([toolUse('mcp__box__echo', { text: 'hello' }, 'call_3'), bash(FAMILY, 'call_4')], {
        timing,
      });
    case 4:
      return reply(toolUse('Agent', { description: 'Work', prompt: 'The task of the agent.' }, 'call_5'), {
        timing,
      });
    default:
      return reply('Done.', { timing });
  }
}

const WAYS = {
  interrupt: (running) => running.interrupt(),
  abort: (_, controller) => controller.abort(),
  close: (running) => running.close(),
  return: (running) => running.return(),
};

async function endedRun(url, folder, { at, way, waitMs }) {
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  for (const each of [cwd, home]) mkdirSync(each, { recursive: true });
  const log = join(cwd, 'server.log');
  writeFileSync(join(cwd, 'pids'), '');
  const abortController = new AbortController();
  const running = query({
    prompt: 'Go.',
    options: {
      cwd,
      ...unattended(url, home),
      includePartialMessages: true,
      abortController,
      mcpServers: { box: { command: process.execPath, args: [SERVER], env: { LOG: log } } },
      agents: { 'general-purpose': { description: 'Works.', prompt: 'Work.' } },
    },
  });
  let messages = 0;
  let askedMs;
  const end = async () => {
    askedMs = performance.now();
    await WAYS[way](running, abortController);
  };
  try {
    for await (const _ of running) if (++messages === at) setTimeout(() => end().catch(() => {}), waitMs);
  } catch {
    // An AbortError, or an error result: what is thrown is not the matter here.
  }
  const endMs = askedMs === undefined ? undefined : performance.now() - askedMs;
  await running.close().catch(() => {});
  const pids = [join(cwd, 'pids'), log].flatMap((file) =>
    existsSync(file) ? (readFileSync(file, 'utf8').match(/\b\d{2,}\b/g) ?? []).map(Number) : [],
  );
  return { at, way, messages, endMs, pids };
}

const { folder, runs } = JSON.parse(process.argv[2]);
const server = await startRehearsal({ scenario: model });
for (const [n, run] of runs.entries())
  console.log(JSON.stringify(await endedRun(server.url, join(folder, String(n)), run)));
await server.close();
