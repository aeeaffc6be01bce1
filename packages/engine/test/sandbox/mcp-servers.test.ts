/** MCP servers that are programs, in the sandbox. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inForm } from '@turnwright/test/long-form.ts';
import { PROBES } from '@turnwright/test/sandbox/escape-probes.ts';
import { lacking } from '@turnwright/test/sandbox/support.ts';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkMcpServers, type Options, query, type SDKMessage } from '../../src/index.ts';
import { NO_ESCAPE, probeWorld } from './probe-world.ts';
import { type HomeFolder, homeFolder, sessionOf } from './session.ts';

const SERVER = fileURLToPath(new URL('../../../../test/sandbox/shell-server.mjs', import.meta.url));
let at: HomeFolder;
beforeEach(() => {
  at = homeFolder();
});

/** A server whose one tool runs a command. Its program lies in the workspace, which the sandbox shows. */
function shellServer(cwd: string, env: Record<string, string> = {}) {
  copyFileSync(SERVER, join(cwd, 'server.mjs'));
  return { type: 'stdio' as const, command: process.execPath, args: [join(cwd, 'server.mjs')], env };
}

const ALLOWED: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };
const shell = (server: string, command: string) => [`mcp__${server}__shell`, { command }] as const;
const GRANT =
  'mkdir -p .claude/skills; echo x > .mcp.json; echo x > /var/outside-of-servers; echo x > mine; ls /proc | grep -c "^[0-9]"';

describe.skipIf(lacking !== undefined)('MCP servers in the sandbox', () => {
  it('write in the working folder alone, do not grant and see no other process; nothing is left of them', async () => {
    const mcpServers = { a: shellServer(at.cwd) };
    const sandbox = { enabled: true, mcpServers: true };
    const { results } = await sessionOf(at, [shell('a', GRANT)], { ...ALLOWED, mcpServers, sandbox });
    expect(results.join()).toMatch(/\.claude.*Read-only file system/);
    expect(results.join()).toMatch(/\.mcp\.json: Read-only file system/);
    expect(results.join()).toMatch(/\/var\/outside-of-servers: Read-only file system/);
    expect(results.join()).toMatch(/"\d \d\\n/);
    expect(readdirSync(at.cwd).sort()).toEqual(['mine', 'server.mjs']);
  });

  it('are the named ones, and none without configuration', async () => {
    const mcpServers = { a: shellServer(at.cwd), b: shellServer(at.cwd) };
    const outside = join(at.home, 'outside');
    const calls = [shell('a', `echo x > ${outside}-a`), shell('b', `echo x > ${outside}-b`)];
    await sessionOf(at, calls, { ...ALLOWED, mcpServers, sandbox: { enabled: true, mcpServers: ['a'] } });
    expect([existsSync(`${outside}-a`), existsSync(`${outside}-b`)]).toEqual([false, true]);
    await sessionOf(at, calls, { ...ALLOWED, mcpServers, sandbox: { enabled: true } });
    expect(existsSync(`${outside}-a`)).toBe(true);
  });

  it('do not read what the session denies, nor its configuration home, nor keys in the home folder', async () => {
    mkdirSync(join(at.cwd, 'secret'));
    writeFileSync(join(at.cwd, 'secret', 'key'), 'CANARY');
    writeFileSync(join(at.home, '.netrc'), 'CANARY');
    const mcpServers = { a: shellServer(at.cwd) };
    const command = `cat secret/key ~/.netrc; ls -A ${at.home}/config ${at.home}/config/projects; true`;
    const { results } = await sessionOf(at, [shell('a', command)], {
      ...ALLOWED,
      mcpServers,
      additionalDirectories: [at.home],
      disallowedTools: ['Read(secret/**)'],
      sandbox: { enabled: true, mcpServers: true },
    });
    expect(results.join()).not.toContain('CANARY');
    expect(results.join()).toContain('projects');
    expect(results.join()).toMatch(/No such file/);
  });

  it('go on when the conversation is cleared, and hold their places until the session ends', async () => {
    const server = await startRehearsal();
    onTestFinished(() => server.close());
    const call = reply([
      toolUse('mcp__a__shell', {
        command: 'echo kept >> /tmp/kept; wc -l < /tmp/kept; mkdir .claude/skills',
      }),
    ]);
    server.setScenario({ name: 'two', replies: [call, reply('One.'), call, reply('Two.')] });
    const prompt = (text: string) => ({
      type: 'user' as const,
      message: { role: 'user' as const, content: text },
      parent_tool_use_id: null,
    });
    let next = () => {};
    const held: boolean[] = [];
    async function* prompts() {
      for (const text of ['Go.', '/clear', 'Again.']) {
        yield prompt(text);
        await new Promise<void>((resolve) => {
          next = resolve;
        });
        held.push(existsSync(join(at.cwd, '.claude')));
      }
    }
    const env = { PATH: process.env['PATH'] ?? '', HOME: at.home, TURNWRIGHT_HOME: join(at.home, 'config') };
    const running = query({
      prompt: prompts(),
      options: {
        ...ALLOWED,
        cwd: at.cwd,
        settingSources: [],
        mcpServers: { a: shellServer(at.cwd) },
        sandbox: { enabled: true, mcpServers: true },
        env: { ...env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-test' },
      },
    });
    const messages: SDKMessage[] = [];
    for await (const message of running) {
      messages.push(message);
      if (message.type === 'result') {
        if (held.length === 2) await running.reconnectMcpServer('a');
        next();
      }
    }
    const said = messages.flatMap((message) =>
      message.type === 'user' ? [JSON.stringify(message.message)] : [],
    );
    expect(said.filter((text) => /\d 1\\+nmkdir.*Read-only file system/.test(text))).toHaveLength(1);
    expect(said.filter((text) => /\d 2\\+nmkdir.*Read-only file system/.test(text))).toHaveLength(1);
    expect(held).toEqual([true, true, true]);
    expect(readdirSync(at.cwd)).toEqual(['server.mjs']);
  });

  it('that cannot be isolated are not started when they are checked', async () => {
    const env = { PATH: '/nonexistent', HOME: at.home, TURNWRIGHT_HOME: join(at.home, 'config') };
    const mcpServers = { a: { command: '/bin/sh', args: ['-c', `touch ${at.home}/ran`] } };
    const found = await checkMcpServers({
      cwd: at.cwd,
      env,
      mcpServers,
      settingSources: [],
      sandbox: { enabled: true, mcpServers: true },
    } as Parameters<typeof checkMcpServers>[0]);
    expect(found).toMatchObject([
      { name: 'a', status: 'failed', problem: expect.stringContaining('Sandbox required but unavailable') },
    ]);
    expect(existsSync(join(at.home, 'ran'))).toBe(false);
  });

  describe('escape probes from inside of a server', () => {
    const shared = mkdtempSync(join(tmpdir(), 'turnwright-server-probes-'));
    afterAll(() => rmSync(shared, { recursive: true, force: true }));

    // The other form of the probes, packages/engine/test/sandbox/escape-probes.test.ts, takes others in the short form.
    it('none gets out', { timeout: 180_000 }, async () => {
      const probes = inForm(
        PROBES.filter((_, at) => at % 3 === 1),
        PROBES,
      );
      const world = await probeWorld(shared, undefined);
      const { ws, env, configHome } = world;
      const files = {
        denyRead: [join(ws, 'secret'), join(ws, '**', '*.pem')],
        denyWrite: [join(ws, 'locked')],
      };
      const { results } = await sessionOf(
        { home: env['HOME'] ?? '', cwd: ws },
        probes.map(([, command]) => shell('a', command)),
        {
          ...ALLOWED,
          maxTurns: probes.length + 1,
          mcpServers: { a: shellServer(ws, { ...env }) },
          sandbox: { enabled: true, mcpServers: true, filesystem: files },
          env: { TURNWRIGHT_HOME: configHome },
        },
      );
      expect(results.length).toBe(probes.length);
      const said = Object.fromEntries(results.map((text, i) => [`${i} ${probes[i]?.[0]}`, text]));
      const escapes = world.escapes(said);
      console.log(
        `${results.length} probes, ${Object.keys(escapes.said).length} escapes (from inside of a server)`,
      );
      expect(escapes).toEqual(NO_ESCAPE);
      world.close();
    });
  });
});
