// npm run bench:price [-- --only turns45,search80 --runners turnwright,reference --json out.json --trace folder]
// The price of a session in units of uncached input, ours beside the reference and pi where they are installed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsOf } from '../flags.mjs';
import { startAccount } from './account.mjs';
import { RUNNERS } from './runners.mjs';
import { furnish, WORKS } from './works.mjs';

const MODEL = 'claude-opus-5-5';
const TOOL_SERVER = join(import.meta.dirname, 'tool-server.mjs');

/** The figures of one work by one runner. */
export async function priceOf(name, runner, { trace } = {}) {
  const work = WORKS[name];
  const { strict, works, call, kindOf, load } = RUNNERS[runner];
  if (works?.includes(name) === false) throw new Error('does not offer what this work needs');
  const have = await load();
  const root = mkdtempSync(join(tmpdir(), 'turnwright-price-'));
  const project = join(root, 'project');
  const home = join(root, 'home');
  for (const folder of [project, home]) mkdirSync(folder);
  furnish(project);
  const account = await startAccount(work, {
    strict,
    call,
    kindOf,
    ...(trace && { trace: join(trace, runner, name) }),
  });
  try {
    let sessionId;
    for (const [at, prompts] of work.sessions.entries()) {
      if (at > 0) work.between?.({ project, at, passMs: account.passMs });
      const options = {
        cwd: project,
        model: work.model ?? MODEL,
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        settingSources: ['project'],
        systemPrompt: { type: 'preset', preset: 'claude_code' },
        env: {
          PATH: process.env.PATH,
          HOME: home,
          CLAUDE_CONFIG_DIR: join(home, '.claude'),
          ANTHROPIC_BASE_URL: account.url,
          ANTHROPIC_API_KEY: 'sk-ant-price',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          ENABLE_TOOL_SEARCH: 'true',
          IS_SANDBOX: '1',
          ...work.env,
        },
        ...(work.servers && { mcpServers: work.servers(TOOL_SERVER) }),
        ...(sessionId && { resume: sessionId }),
      };
      sessionId = await have({ prompts, options });
    }
    return account.figures();
  } finally {
    account.figures();
    await account.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.argv[1] === import.meta.filename) await main();

async function main() {
  const { values } = flagsOf({
    options: {
      only: { type: 'string', default: Object.keys(WORKS).join() },
      runners: { type: 'string', default: Object.keys(RUNNERS).join() },
      json: { type: 'string' },
      trace: { type: 'string' },
    },
  });
  const report = {};
  for (const name of values.only.split(',')) {
    report[name] = {};
    for (const runner of values.runners.split(',')) {
      try {
        report[name][runner] = await priceOf(name, runner, values);
      } catch (error) {
        report[name][runner] = { failed: error.message };
      }
      console.log(line(name, runner, report[name]));
    }
    if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 1)}\n`);
  }
  process.exit(0);
}

function line(name, runner, found) {
  const { failed, units, requests, first, read, written, input, output, avoidable, breaks, left, refused } =
    found[runner];
  if (failed !== undefined) return `${name.padEnd(10)} ${runner.padEnd(11)} ${failed}`;
  const ratio =
    runner === 'reference' && found.turnwright?.units
      ? `: ours is ${(found.turnwright.units / units).toFixed(2)} of it`
      : '';
  const thousand = (tokens) => `${(tokens / 1000).toFixed(1)}k`;
  const rest = [
    ...breaks.map(
      ({ request, tokens, owner, changed }) =>
        `\n    ${owner ?? 'AVOIDABLE'}: request ${request} wrote ${tokens} again (${changed})`,
    ),
    left > 0 ? `\n    ${left} answers were not asked for` : '',
    refused ? `\n    refused: ${refused}` : '',
  ].join('');
  return `${name.padEnd(10)} ${runner.padEnd(11)} ${thousand(units)} units, ${requests} requests, first ${thousand(first.system)}+${thousand(first.tools)}+${thousand(first.messages)}, read ${thousand(read)} written ${thousand(written)} fresh ${thousand(input)} out ${thousand(output)}, avoidable ${avoidable.length}${ratio}${rest}`;
}
