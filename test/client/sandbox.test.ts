import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it, vi } from 'vitest';
import { lacking } from '../sandbox/support.ts';
import { throughBothDoors, toolResults } from './doors.ts';

const bash = (command: string, more: object = {}) => toolUse('Bash', { command, ...more });

throughBothDoors('the sandbox', (stage) => {
  const run = (options: Readonly<Record<string, unknown>>, ...commands: ReturnType<typeof bash>[]) =>
    stage.run([...commands.map((command) => reply([command])), reply('Well.')], options);

  it.skipIf(lacking !== undefined)('commands write in the working directory and nowhere else', async () => {
    const { messages, result } = await run(
      { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } },
      bash('echo mine > mine.txt; cat mine.txt'),
      bash('echo evil > /var/outside.txt'),
      bash('mkdir .claude && echo "{}" > .claude/settings.json'),
    );
    expect(toolResults(messages).map(({ text, is_error }) => [text, is_error === true])).toEqual([
      ['"mine"', false],
      [expect.stringMatching(/Read-only file system[\s\S]*It ran in a sandbox/), true],
      [expect.stringContaining('.claude'), true],
    ]);
    expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
    expect(readFileSync(join(stage.cwd, 'mine.txt'), 'utf8')).toBe('mine\n');
    expect(existsSync('/var/outside.txt')).toBe(false);
    expect(existsSync(join(stage.cwd, '.claude'))).toBe(false);
  });

  it.skipIf(lacking !== undefined).each([
    ['the option', {}, { sandbox: { enabled: true, mcpServers: true } }],
    ['settings', { settings: { sandbox: { enabled: true, mcpServers: ['shell'] } } }, {}],
  ])('MCP servers run in it where %s asks for that', async (_, settings, options) => {
    const server = join(stage.cwd, 'server.mjs');
    copyFileSync(new URL('../sandbox/shell-server.mjs', import.meta.url), server);
    const command = 'echo mine > mine.txt; echo evil > /var/outside-of-servers.txt; mkdir .claude/skills';
    const { messages } = await stage.run(
      [reply([toolUse('mcp__shell__shell', { command })]), reply('Well.')],
      {
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        mcpServers: { shell: { type: 'stdio', command: process.execPath, args: [server] } },
        ...settings,
        ...options,
      },
    );
    expect(toolResults(messages)[0]?.text).toMatch(/Read-only file system[\s\S]*Read-only file system/);
    expect(existsSync('/var/outside-of-servers.txt')).toBe(false);
    await vi.waitFor(() => expect(readdirSync(stage.cwd).sort()).toEqual(['mine.txt', 'server.mjs']));
  });

  describe('command hooks', () => {
    const SECRET = 'canary-of-the-home';
    const hook = (command: string) => [{ hooks: [{ type: 'command', command }] }];
    /** What the hook could do, in a file of the working directory; then its answer. */
    const script = (outside: string) => `{
      cat > event.json
      echo "own=$OWN"
      if echo evil > ${outside}; then echo wrote outside; fi
      cat ${join(stage.home, 'credentials.txt')}
      cat /proc/${process.pid}/environ && echo read an environment
      echo "processes=$(ls /proc | grep -c '^[0-9]')"
    } > report.txt 2>/dev/null
    echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"said the hook"}}'`;
    const start = async (settings: object, sandbox: object, outside: string) => {
      writeFileSync(join(stage.home, 'credentials.txt'), SECRET);
      const hooks = { PreToolUse: hook(script(outside)), SessionEnd: hook('echo ended > ended.txt') };
      const { messages, result } = await run(
        { settings: { env: { OWN: 'mine' }, hooks, ...settings }, ...sandbox },
        bash('echo ran > ran.txt'),
      );
      expect(result).toMatchObject({ subtype: 'success' });
      expect(toolResults(messages)).toMatchObject([
        { text: expect.stringContaining('said the hook'), is_error: true },
      ]);
      expect(existsSync(join(stage.cwd, 'ran.txt'))).toBe(false);
      expect(JSON.parse(readFileSync(join(stage.cwd, 'event.json'), 'utf8'))).toMatchObject({
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
      });
      await vi.waitFor(() => expect(readFileSync(join(stage.cwd, 'ended.txt'), 'utf8')).toBe('ended\n'));
      return { report: readFileSync(join(stage.cwd, 'report.txt'), 'utf8'), outside: existsSync(outside) };
    };

    it.skipIf(lacking !== undefined).each([
      ['the option', {}, { sandbox: { enabled: true, hooks: true } }],
      ['settings', { sandbox: { enabled: true, hooks: true } }, {}],
    ])('run in it where %s asks for that, and answer as ever', async (_, settings, options) => {
      const { report, outside } = await start(settings, options, '/var/outside-of-hooks.txt');
      expect(outside).toBe(false);
      expect(report).toMatch(/^own=mine\nprocesses=\d\n$/);
      expect(existsSync(join(stage.cwd, '.claude'))).toBe(false);
    });

    it.skipIf(lacking !== undefined)('run outside without configuration', async () => {
      const { report, outside } = await start(
        {},
        { sandbox: { enabled: true } },
        join(stage.cwd, '..', 'outside.txt'),
      );
      expect(outside).toBe(true);
      expect(report).toContain(SECRET);
    });

    it.skipIf(lacking !== undefined)('end with their time, and with all that they started', async () => {
      const alive = join(stage.cwd, 'alive.txt');
      const slow = {
        type: 'command',
        command: '(while :; do date +%N > alive.txt; sleep 0.05; done) & wait',
        timeout: 1,
      };
      const { result } = await run(
        { settings: { hooks: { PreToolUse: [{ hooks: [slow] }] } }, sandbox: { enabled: true, hooks: true } },
        bash('true'),
      );
      expect(result).toMatchObject({ subtype: 'success' });
      const last = readFileSync(alive, 'utf8');
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(readFileSync(alive, 'utf8')).toBe(last);
    });
  });
});
