/** `turnwright mcp`: a login on the command line, used by the run after it. */
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { oauthServer } from '@turnwright/test/mcp/oauth-server.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

async function stage() {
  const far = await oauthServer();
  const model = await rehearse(reply(toolUse('mcp__far__echo', { text: 'over there' })), reply('Done.'));
  const cwd = realpathSync(temporaryFolder());
  const env = bareEnv(against(model));
  const servers = {
    far: { type: 'http', url: `${far.url}/mcp` },
    near: { command: 'near-mcp', args: ['-x'] },
  };
  writeFileSync(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  const login = (...args: string[]) => {
    let approved = false;
    return turnwright(['mcp', 'login', ...args], {
      cwd,
      env,
      onStdout(_, soFar) {
        const address = /^ {2}(http\S+)\n/m.exec(soFar)?.[1];
        if (address === undefined || approved) return;
        approved = true;
        void far.approve(new URL(address));
      },
    });
  };
  return { far, cwd, env, login, run: (...args: string[]) => commandLine(args, { cwd, env }) };
}

test('servers of a trusted folder are tried, those of another one are only named', async () => {
  const { far, cwd, env, run } = await stage();
  const untrusted = await run('mcp');
  const state = '(project) - ! not started: the folder is not trusted (turnwright trust --show)';
  expect(untrusted).toMatchObject({ code: 0, stdout: `far: ${state}\nnear: ${state}\n`, stderr: '' });
  const unasked = await commandLine(['mcp'], { cwd, env: { ...env, TURNWRIGHT_TRUST_PROJECT: '1' } });
  expect(unasked).toMatchObject({
    stdout: expect.stringContaining('near: near-mcp -x (project)'),
    stderr: '',
  });
  await run('trust');
  expect((await run('mcp')).stdout).toBe(
    [
      `far: ${far.url}/mcp (project) - ! needs a login: turnwright mcp login far`,
      'near: near-mcp -x (project) - ✗ failed: spawn near-mcp ENOENT',
      '',
    ].join('\n'),
  );
  const before = await run('mcp', 'list', '--json');
  expect(JSON.parse(before.stdout)).toMatchObject([
    { name: 'far', loggedIn: false, status: 'needs-auth' },
    { name: 'near', status: 'failed' },
  ]);
});

test('a login prints its page and is used by the next run', async () => {
  const { far, login, run } = await stage();
  await run('trust');
  expect(await login('far')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^To log in to far, open\n\n {2}http.*\n\nand come back.*\nLogged in to far\.\n$/s,
    ),
    stderr: '',
  });
  expect((await run('mcp')).stdout).toContain('/mcp (project) - ✓ connected, ');
  expect((await run('mcp', 'get', 'far')).stdout).toContain('  login: logged in\n');
  const ran = await run(
    '-p',
    'go',
    '--output-format',
    'stream-json',
    '--verbose',
    '--allowedTools',
    'mcp__far',
  );
  expect(far.calls).toEqual(['echo']);
  expect(ran.stdout).toContain('over there');
  expect(ran.stdout + ran.stderr).not.toMatch(/access-|refresh-/);

  expect(await run('mcp', 'logout', 'far')).toMatchObject({ code: 0, stdout: 'Logged out of far.\n' });
  expect(await run('mcp', 'logout', 'far')).toMatchObject({ code: 1 });
});

test.each([
  [{ command: 5 }, 'Its configuration needs a "command".'],
  [{ url: 'example' }, 'Its configuration must have an http or https "url".'],
  [1, 'Its configuration is not an object.'],
  [{ command: 'no-such-program' }, 'ENOENT'],
])('a run says why the server %j cannot be used, and goes on', async (config, why) => {
  const model = await rehearse(reply('Done.'));
  const flags = ['--mcp-config', JSON.stringify({ mcpServers: { odd: config } })];
  const ran = await commandLine(['-p', 'go', ...flags], { env: against(model) });
  expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect(ran.stderr).toMatch(/^The MCP server odd cannot be used: /);
  expect(ran.stderr).toContain(why);
});

test('an address will do; what cannot be logged in to is a mistake, with a sentence', async () => {
  const { far, login, run } = await stage();
  expect(await login(`${far.url}/mcp`)).toMatchObject({ code: 0 });
  await run('trust');
  const wrong = async (...args: string[]) => {
    const { code, stderr } = await run('mcp', ...args);
    return [code, stderr.split('\n')[0]];
  };
  expect(await wrong('login', 'fra')).toEqual([
    2,
    'turnwright: There is no MCP server "fra". These are: far, near. An address works as well.',
  ]);
  expect(await wrong('login', 'near')).toEqual([
    2,
    'turnwright: The MCP server "near" is a program on this machine: it takes no login.',
  ]);
  expect(await wrong('login')).toEqual([2, "turnwright: Missing required argument 'server'."]);
  expect((await wrong('lgoin'))[0]).toBe(2);
});
