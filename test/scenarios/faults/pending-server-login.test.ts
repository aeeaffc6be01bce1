/** F48 An MCP server that wants a login, or a SessionStart hook that never exits: the result comes, the process ends. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, onTestFinished, test } from 'vitest';
import { against, temporaryFolder, turnwright } from '../../cli/bin.ts';
import { oauthServer } from '../../mcp/oauth-server.ts';

async function run(...args: string[]) {
  const model = await startRehearsal({ scenario: { name: 'F48', replies: [reply('Done.')] } });
  onTestFinished(() => model.close());
  const cwd = realpathSync(temporaryFolder());
  mkdirSync(join(cwd, '.claude'));
  const flags = ['-p', 'go', '--output-format', 'stream-json', '--verbose', ...args];
  const ran = await turnwright(flags, { cwd, env: against(model) });
  const messages = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...ran, messages };
}

test('F48 a server that wants a login is shown as such, and nothing waits for it', async () => {
  const far = await oauthServer();
  const config = JSON.stringify({ mcpServers: { far: { type: 'http', url: `${far.url}/mcp` } } });
  const { code, messages } = await run('--mcp-config', config);
  expect(code).toBe(0);
  expect(messages.find(({ subtype }) => subtype === 'init')).toMatchObject({
    mcp_servers: [{ name: 'far', status: 'needs-auth' }],
  });
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Done.' });
  // Nobody asked for a login: no client was registered, no page opened.
  expect(far.asked).toEqual({});
});

test('F48 a SessionStart hook that never exits is ended at its limit', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  const hook = { type: 'command', command: 'sleep 1000', timeout: 1 };
  writeFileSync(file, JSON.stringify({ hooks: { SessionStart: [{ hooks: [hook] }] } }));
  const { code, messages } = await run('--settings', file);
  expect(code).toBe(0);
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Done.' });
});
