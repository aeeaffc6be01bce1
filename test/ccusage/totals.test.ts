/** A published reader of transcripts counts in ours what our own result counts. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { query, type SDKResultMessage } from '@turnwright/engine';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

const CCUSAGE = fileURLToPath(new URL('node_modules/ccusage/src/cli.js', import.meta.url));

test('its token totals are those of the result, subagents included', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'turnwright-ccusage-'));
  const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
  await mkdir(cwd);
  const dig = { description: 'dig it', prompt: 'Dig.', subagent_type: 'digger' };
  const server = await startRehearsal({
    scenario: {
      name: 'session',
      replies: [
        reply(['I look.', toolUse('Glob', { pattern: '*.md' }), toolUse('Glob', { pattern: '*.ts' })]),
        reply(toolUse('Agent', dig)),
        reply('Gold.'),
        reply('Found gold.'),
      ],
    },
  });
  let result: SDKResultMessage | undefined;
  for await (const message of query({
    prompt: 'Look around, then dig.',
    options: {
      cwd,
      env: {
        PATH: process.env['PATH'],
        TURNWRIGHT_HOME: home,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-test',
      },
      agents: { digger: { description: 'Digs.', prompt: 'You dig.', tools: ['Read'] } },
    },
  })) {
    if (message.type === 'result') result = message;
  }
  await server.close();
  expect(result).toMatchObject({ subtype: 'success', result: 'Found gold.' });

  const { stdout } = await promisify(execFile)(
    process.execPath,
    [CCUSAGE, 'claude', 'session', '--json', '--offline', '--mode', 'calculate'],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, CLAUDE_CONFIG_DIR: home, TZ: 'UTC' } },
  );
  await rm(folder, { recursive: true, force: true });
  const { totals } = JSON.parse(stdout) as { totals: Record<string, number> };
  const models = Object.values(result?.modelUsage ?? {});
  const sum = (of: (usage: (typeof models)[number]) => number) =>
    models.reduce((total, usage) => total + of(usage), 0);
  expect(sum(({ outputTokens }) => outputTokens)).toBeGreaterThan(0);
  expect(totals).toMatchObject({
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cacheCreationTokens: sum(({ cacheCreationInputTokens }) => cacheCreationInputTokens),
    cacheReadTokens: sum(({ cacheReadInputTokens }) => cacheReadInputTokens),
  });
});
