/** `turnwright mcp add`, `remove`, `get`: servers that files keep, and the run that uses them. */
import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { CRUDE, TOOLBOX } from '@turnwright/test/mcp/servers-under-test.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

function stage(start: typeof commandLine = commandLine) {
  const env = bareEnv();
  const cwd = realpathSync(temporaryFolder());
  const file = join(env['TURNWRIGHT_HOME'] as string, '.claude.json');
  const held = (path = file) => JSON.parse(readFileSync(path, 'utf8'));
  const run = (...args: string[]) => start(args, { cwd, env });
  const mcp = (...args: string[]) => run('mcp', ...args);
  /** The exit code and the first line on stderr. */
  const mistake = async (...args: string[]) => {
    const { code, stderr } = await mcp(...args);
    return [code, stderr.split('\n')[0]];
  };
  return { start, env, cwd, file, held, run, mcp, mistake, project: join(cwd, '.mcp.json') };
}

const stdio = (command: string, args: string[] = [], env: Record<string, string> = {}) => ({
  type: 'stdio',
  command,
  args,
  env,
});

describe('where a server is written', () => {
  test('local: for this project, in a file that only the user can read', async () => {
    const { cwd, file, held, mcp } = stage(turnwright);
    expect(await mcp('add', 'box', '--', 'npx', '-y', 'a-server', '--model', 'x', '-p')).toEqual({
      code: 0,
      signal: null,
      stdout: `Added MCP server box to the local scope: npx -y a-server --model x -p\nFile: ${file}\n`,
      stderr: '',
    });
    const box = stdio('npx', ['-y', 'a-server', '--model', 'x', '-p']);
    expect(held()).toEqual({ projects: { [cwd]: { mcpServers: { box } } } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('user: for every project; what else the file holds stays, byte by byte', async () => {
    const { env, file, held, mcp } = stage();
    mkdirSync(env['TURNWRIGHT_HOME'] as string);
    const before = '{\n    "theme":   "dark",\n    "projects": {"/a": {"mcpServers": {"b": 1}}}\n}\n';
    writeFileSync(file, before, { mode: 0o640 });
    await mcp('add', '-s', 'user', '--env', 'A=1', 'B=x=y', 'box', '-e', 'C=3', '--', 'box-server');
    expect(readFileSync(file, 'utf8')).toContain(before.trimEnd().slice(0, -2));
    expect(held().mcpServers).toEqual({ box: stdio('box-server', [], { A: '1', B: 'x=y', C: '3' }) });
    // It may hold keys from now on.
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await mcp('remove', 'box')).code).toBe(0);
    expect(held()).toEqual({ theme: 'dark', projects: { '/a': { mcpServers: { b: 1 } } }, mcpServers: {} });
  });

  test('without a variable that names the home: ~/.claude.json', async () => {
    const home = temporaryFolder();
    await commandLine(['mcp', 'add', 'box', 'box-server', '-s', 'user'], {
      env: { HOME: home, TURNWRIGHT_HOME: '' },
    });
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toMatchObject({
      mcpServers: { box: {} },
    });
  });

  test('project: in .mcp.json, beside what is there', async () => {
    const { project, held, mcp } = stage();
    writeFileSync(project, '{"mcpServers":{"old":{"command":"o"}},"x":1}');
    const added = await mcp(
      'add',
      '--scope',
      'project',
      '--transport',
      'sse',
      'far',
      'https://h.example/sse',
      '-H',
      'A: b:c',
      'D: e',
    );
    expect(added.stdout).toContain('It is not started before the folder is trusted');
    expect(held(project)).toEqual({
      mcpServers: {
        old: { command: 'o' },
        far: { type: 'sse', url: 'https://h.example/sse', headers: { A: 'b:c', D: 'e' } },
      },
      x: 1,
    });
  });

  test('a folder of a repository means the repository; an address alone is reached over http', async () => {
    const { cwd, env, held, mcp } = stage();
    mkdirSync(join(cwd, '.git'));
    mkdirSync(join(cwd, 'deep/er'), { recursive: true });
    await commandLine(['mcp', 'add', 'far', 'https://h.example/mcp'], { cwd: join(cwd, 'deep/er'), env });
    await mcp('add-json', 'json', `{"type":"http","url":"\${BASE}/mcp","headers":{"a":"b"},"timeout":5}`);
    expect(held().projects[cwd].mcpServers).toEqual({
      far: { type: 'http', url: 'https://h.example/mcp' },
      json: { type: 'http', url: `\${BASE}/mcp`, headers: { a: 'b' }, timeout: 5 },
    });
  });
});

describe('what is refused, with a sentence', () => {
  const { mistake, mcp, project, cwd } = stage();

  test.each([
    [
      ['add', 'a b', 'x'],
      '"a b" cannot be the name of an MCP server: letters, digits, - and _ can, 64 at most.',
    ],
    [['add', 'x'], "Missing required argument 'command|url'."],
    [
      ['add', 'x', 'y', '-s', 'z'],
      "Option '-s, --scope <scope>' argument 'z' is invalid. Allowed choices are local, user, project.",
    ],
    [
      ['add', 'x', 'y', '-t', 'z'],
      "Option '-t, --transport <transport>' argument 'z' is invalid. Allowed choices are stdio, sse, http, streamable-http.",
    ],
    [
      ['add', 'x', 'npx', '-y', 'y'],
      "Unknown option '-y'. Flags of the server itself stand behind --, as in turnwright mcp add files -- npx -y files-server.",
    ],
    [['add', 'x', 'y', '-e', 'secret'], 'A value of --env is not written as KEY=value.'],
    [['add', 'x', 'y', '-H', 'A: b'], '--header is for servers at an address; a program takes --env.'],
    [
      ['add', 'x', 'http://h.example', '-e', 'A=b'],
      '--env is for programs; a server at an address takes --header.',
    ],
    [['add', 'x', 'http://h.example', 'y'], 'A server at an address takes no further words: "y".'],
    [
      ['add', 'x', 'y', '-t', 'http'],
      'The MCP server "x" cannot be added. Its configuration must have an http or https "url".',
    ],
    [['add-json', 'x', '{'], /^turnwright: The configuration of "x" is not JSON: .*\.$/],
    [
      ['add-json', 'x', '{"type":"stdio"}'],
      'The MCP server "x" cannot be added. Its configuration needs a "command".',
    ],
    [['add-json', 'x', '5'], 'The MCP server "x" cannot be added. Its configuration is not an object.'],
    [['remove', 'x'], 'There is no MCP server "x" in any scope.'],
    [['remove', 'x', '-s', 'user'], 'There is no MCP server "x" in the user scope.'],
    [['get', 'x'], 'There is no MCP server "x" in this folder. turnwright mcp list names those there are.'],
    [
      ['lsit'],
      '"lsit" is nothing to do with MCP servers: list, get, add, add-json, remove, login, logout, reset-project-choices are.',
    ],
  ])('%j', async (args, why) => {
    expect(await mistake(...args)).toEqual([
      2,
      why instanceof RegExp ? expect.stringMatching(why) : `turnwright: ${why}`,
    ]);
  });

  test('a name that is taken in its scope, and one that several scopes have', async () => {
    await mcp('add', 'two', 'x');
    expect(await mistake('add', 'two', 'y')).toEqual([
      2,
      'turnwright: There is an MCP server "two" in the local scope already. Remove it first, or take another name.',
    ]);
    await mcp('add', 'two', 'x', '-s', 'user');
    expect(await mistake('remove', 'two')).toEqual([
      2,
      'turnwright: There is an MCP server "two" in the scopes local, user. Say of which.',
    ]);
    expect((await mcp('remove', 'two', '-s', 'user')).code).toBe(0);
  });

  test('a file that cannot be changed is left alone', async () => {
    for (const text of ['no json', '[]', '{"a":{"command":"b"}}', '{"mcpServers":[]}']) {
      writeFileSync(project, text);
      expect((await mistake('add', '-s', 'project', 'x', 'y'))[0]).toBe(2);
      expect(readFileSync(project, 'utf8')).toBe(text);
    }
  });

  test('a .mcp.json that is a link is not written through', async () => {
    const { cwd: other, mistake: wrong } = stage();
    symlinkSync(join(cwd, 'elsewhere.json'), join(other, '.mcp.json'));
    expect((await wrong('add', '-s', 'project', 'x', 'y'))[1]).toContain('is a link');
  });
});

describe('a session', () => {
  /** The servers of a run, as its first message names them. */
  async function serversOf({ start, cwd, env }: ReturnType<typeof stage>, ...flags: string[]) {
    const model = await rehearse(reply('Done.'));
    const args = ['-p', 'go', '--output-format', 'stream-json', '--verbose', ...flags];
    const { stdout, stderr } = await start(args, { cwd, env: { ...env, ...against(model) } });
    const { mcp_servers: servers } = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .find((message) => message.subtype === 'init');
    return { servers, stderr };
  }

  test('uses the servers of its sources; of one name the nearest', async () => {
    const place = stage();
    const { mcp } = place;
    await mcp('add', 'both', '-s', 'user', '--', 'no-such-program');
    await mcp('add', 'both', '--', 'node', TOOLBOX);
    await mcp('add', 'everywhere', '-s', 'user', '--', 'node', TOOLBOX);
    const connected = (name: string, source: string) => ({ name, status: 'connected', source });
    expect((await serversOf(place)).servers).toMatchObject([
      connected('both', 'local'),
      connected('everywhere', 'user'),
    ]);
    expect((await serversOf(place, '--setting-sources', 'user')).servers).toMatchObject([
      { name: 'both', status: 'failed', source: 'user' },
      connected('everywhere', 'user'),
    ]);
  });

  test('uses none of the user’s servers without those sources, and none for one project in another', async () => {
    const place = stage();
    const { mcp, cwd, env } = place;
    await mcp('add', 'both', '-s', 'user', '--', 'no-such-program');
    await mcp('add', 'both', '--', 'node', TOOLBOX);
    expect((await serversOf(place, '--setting-sources', 'project')).servers).toEqual([]);
    expect((await serversOf(place, '--strict-mcp-config')).servers).toEqual([]);
    const elsewhere = { ...place, cwd: realpathSync(temporaryFolder()) };
    expect((await serversOf(elsewhere)).servers).toMatchObject([{ name: 'both', source: 'user' }]);
    const listed = await commandLine(['mcp', 'list', '--json'], { cwd, env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: 'both', scope: 'local', status: 'connected', tools: expect.any(Number) },
    ]);
  });

  test('names the servers of the project that settings leave out', async () => {
    const { cwd, mcp, project } = stage();
    writeFileSync(project, JSON.stringify({ mcpServers: { off: { command: 'no-such-program' } } }));
    mkdirSync(join(cwd, '.turnwright'));
    const settings = JSON.stringify({ disabledMcpjsonServers: ['off'] });
    writeFileSync(join(cwd, '.turnwright/settings.json'), settings);
    expect((await mcp('list')).stdout).toContain('off: (project) - ! not started: the folder is not trusted');
    const trusted = await commandLine(['mcp', 'list'], { cwd, env: { TURNWRIGHT_TRUST_PROJECT: '1' } });
    expect(trusted.stdout).toBe(
      'off: (project) - ○ disabled: enabledMcpjsonServers or disabledMcpjsonServers in the settings leave it out\n',
    );
  });

  test('names a server of an untrusted folder whose configuration trust would not mend', async () => {
    const { mcp, project } = stage();
    const broken = {
      neither: {},
      args: { command: 'x', args: 'y' },
      type: { type: 'ftp', url: 'ftp://a.example' },
      address: { type: 'http', url: 'no address' },
      unset: { command: 'x', env: { A: `\${NOT_SET_ANYWHERE}` } },
      fine: { command: 'no-such-program' },
    };
    writeFileSync(project, JSON.stringify({ mcpServers: broken }));
    expect((await mcp('list')).stdout.split('\n')).toEqual([
      'neither: (project) - ✗ failed: Its configuration needs a "command" or a "url".',
      'args: (project) - ✗ failed: Its configuration must have a list of texts as "args".',
      'type: (project) - ✗ failed: Its configuration has the unknown type "ftp".',
      'address: (project) - ✗ failed: Its configuration must have an http or https "url".',
      'unset: (project) - ✗ failed: Its configuration names variables that are not set: NOT_SET_ANYWHERE.',
      'fine: (project) - ! not started: the folder is not trusted (turnwright trust --show)',
      '',
    ]);
    expect((await mcp('get', 'neither')).stdout).toContain(
      'state: ✗ failed: Its configuration needs a "command" or',
    );
  });

  test('F98 T108 starts a project’s servers only where it is trusted; what is added to a trusted folder is', async () => {
    const place = stage();
    const { mcp, run, project } = place;
    writeFileSync(project, JSON.stringify({ mcpServers: { old: stdio('node', [TOOLBOX]) } }));
    await mcp('add', '-s', 'project', 'new', '--', 'node', TOOLBOX);
    expect((await serversOf(place)).servers).toEqual([]);
    expect((await mcp('get', 'new')).stdout).toBe(
      'new:\n  scope: project (.mcp.json)\n  state: ! not started: the folder is not trusted (turnwright trust --show)\n',
    );
    await run('trust');
    const added = await mcp('add', '-s', 'project', 'newer', 'node', TOOLBOX);
    expect(added.stdout).not.toContain('trusted');
    const names = async () => (await serversOf(place)).servers.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['old', 'new', 'newer']);
    expect(await mcp('remove', 'old')).toMatchObject({ code: 0 });
    expect(await names()).toEqual(['new', 'newer']);
    expect((await mcp('reset-project-choices')).stdout).toContain('This folder is no longer trusted');
    expect(await names()).toEqual([]);
  });

  test('names a server that has not answered when its start time is over', async () => {
    const { mcp, env, cwd } = stage();
    await mcp('add', 'slow', '--', 'node', '-e', 'setInterval(() => {}, 1000)');
    const model = await rehearse(reply('Done.'));
    const ran = await commandLine(['-p', 'go'], {
      cwd,
      env: { ...env, ...against(model), MCP_TIMEOUT: '200' },
    });
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ran.stderr).toBe('The MCP server slow cannot be used: It was not ready within 0.2 s.\n');
  });

  test('says once that a file of servers is no JSON, and goes on', async () => {
    const { env, cwd, file, project, run, mcp } = stage();
    writeFileSync(project, '{ "mcpServers": ');
    const model = await rehearse(reply('Done.'), reply('Done.'));
    const say = () => commandLine(['-p', 'go'], { cwd, env: { ...env, ...against(model) } });
    const why = `The MCP servers of ${project} are not used: the file is not JSON: Unexpected end of JSON input.\n`;
    expect(await say()).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\S.*\n$/) });
    for (const args of [['trust'], ['trust', '--show'], ['mcp']])
      expect(await run(...args)).toMatchObject({ code: 0, stderr: `turnwright: ${why}` });
    writeFileSync(project, '{}');
    mkdirSync(env['TURNWRIGHT_HOME'] as string, { recursive: true });
    writeFileSync(file, 'no json');
    expect((await say()).stderr).toContain(`The MCP servers in ${file} are not used: it is not JSON`);
    expect((await mcp('add', 'x', 'y')).code).toBe(2);
  });
});

test('a server that offers nothing usable is distinguished from one that does not run', async () => {
  const { mcp } = stage();
  await mcp('add', 'crude', '--', 'node', CRUDE);
  await mcp('add', 'gone', '--', 'no-such-program', '-x');
  const { stdout } = await mcp();
  expect(stdout).toMatch(/^crude: .* \(local\) - ✓ connected, \d+ tools?$/m);
  expect(stdout).toContain('gone: no-such-program -x (local) - ✗ failed: spawn no-such-program ENOENT\n');
});
