/** Trust on the command line: asked for once on a terminal, given by a command elsewhere, bound to the content. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { against, BIN, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

async function stage(start: typeof commandLine = commandLine) {
  const touch = reply(toolUse('Bash', { command: 'touch made' }));
  const server = await rehearse(touch, reply('Done.'));
  const cwd = realpathSync(temporaryFolder());
  const env = bareEnv(against(server));
  const put = (file: string, value: unknown) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), JSON.stringify(value));
  };
  put('.claude/settings.json', { permissions: { allow: ['Bash(touch:*)'] } });
  const run = (...args: string[]) => start(args, { cwd, env });
  return { cwd, env, put, run, isMade: () => existsSync(join(cwd, 'made')) };
}

describe('without a terminal', () => {
  test('CVE-2026-12537 F98 T108 nothing takes effect, and stderr says what would', async () => {
    const { run, isMade } = await stage(turnwright);
    const ran = await run('-p', 'go');
    expect(isMade()).toBe(false);
    expect(ran.stderr).toContain(
      'passed over: the folder is not trusted. See it with turnwright trust --show',
    );
    expect(ran.code).toBe(0);
  });

  test('turnwright trust agrees to what it shows; --list and --revoke', async () => {
    const { run, isMade, cwd } = await stage();
    expect((await run('trust', '--list')).stdout).toBe('No folder is trusted.\n');
    expect((await run('trust', '--show')).stdout).toContain('permissions.allow.0: Bash(touch:*)');
    expect((await run('trust', '--list')).stdout).toBe('No folder is trusted.\n');
    expect((await run('trust')).stdout).toContain(`${cwd} is trusted until something of this changes.`);
    expect((await run('trust', '--list')).stdout).toContain(`${cwd}  since `);
    const ran = await run('-p', 'go');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(isMade()).toBe(true);
    expect(await run('trust', '--revoke')).toMatchObject({ code: 0 });
    expect(await run('trust', '--revoke', cwd)).toMatchObject({ code: 1 });
  });

  test('skills, commands and agents are named, which a hash of their content would not do', async () => {
    const { run, put, cwd } = await stage();
    put('.claude/skills/deploy/SKILL.md', 'Deploy.');
    put('.claude/skills/deploy/scripts/go.sh', 'echo');
    put('.claude/agents/reviewer.md', 'Review.');
    put('.turnwright/commands/db/reset.md', 'Reset.');
    const { stdout } = await run('trust', '--show');
    const lines = stdout.split('\n');
    const named = (file: string) => lines[lines.indexOf(`  ${join(cwd, file)}`) + 1];
    expect(named('.claude/skills/deploy/SKILL.md')).toBe('    of the skill deploy');
    expect(named('.claude/skills/deploy/scripts/go.sh')).toBe('    of the skill deploy');
    expect(named('.claude/agents/reviewer.md')).toBe('    the agent reviewer');
    expect(named('.turnwright/commands/db/reset.md')).toBe('    the command /db:reset');
    expect(stdout).not.toContain('sha256');
  });

  test('CVE-2025-54136 F98 T107 what changed is passed over again', async () => {
    const { run, isMade, put } = await stage();
    await run('trust');
    put('.mcp.json', { mcpServers: { a: { command: 'touch', args: ['made'] } } });
    expect((await run('-p', 'go')).stderr).toContain('it has changed since the folder was trusted');
    expect(isMade()).toBe(false);
  });

  test('CVE-2026-33068 a project does not choose the mode, nor what counts as trusted', async () => {
    const { run, put, isMade } = await stage();
    put('.claude/settings.json', {
      permissions: { defaultMode: 'bypassPermissions', allow: ['*'] },
      env: { TURNWRIGHT_TRUST_PROJECT: '1' },
    });
    const ran = await run('-p', 'go', '--output-format', 'stream-json', '--verbose');
    expect(JSON.parse(ran.stdout.split('\n')[0] ?? '')).toMatchObject({
      subtype: 'init',
      permissionMode: 'default',
    });
    expect(isMade()).toBe(false);
  });

  test('CVE-2025-61260 a .env file of a project moves neither the configuration home nor the model', async () => {
    const { run, cwd, put, isMade } = await stage();
    put('home/settings.json', { permissions: { defaultMode: 'bypassPermissions' } });
    const lines = ['TURNWRIGHT_HOME', 'CLAUDE_CONFIG_DIR', 'HOME'].map((name) => `${name}=${cwd}/home`);
    writeFileSync(join(cwd, '.env'), [...lines, 'ANTHROPIC_BASE_URL=http://127.0.0.1:9', ''].join('\n'));
    expect(await run('-p', 'go')).toMatchObject({ code: 0 });
    expect(isMade()).toBe(false);
  });

  test.each([
    ['--trust-project', {}],
    ['--verbose', { TURNWRIGHT_TRUST_PROJECT: '1' }],
  ])('CI says so itself: %s %j', async (flag, more) => {
    const { env, cwd, isMade } = await stage();
    await commandLine(['-p', 'go', flag], { cwd, env: { ...env, ...more } });
    expect(isMade()).toBe(true);
  });
});

describe('a mistake in flags', () => {
  test.each([
    [['--tools', 'Foo'], 'there is no built-in tool Foo. There are Bash, Edit'],
    [['--add-dir', 'nowhere'], 'nowhere does not exist'],
    [['--add-dir', '.claude/settings.json'], 'is not a folder'],
  ])('%j', async (flags, expected) => {
    const { run } = await stage();
    const ran = await run('-p', 'go', ...flags);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(expected);
  });

  test('warnings of settings stand on stderr', async () => {
    const { run } = await stage();
    const ran = await run('-p', 'go', '--settings', '{"permissions":{"defaultMode":"auto"}}');
    expect(ran.stderr).toContain('The permission mode "auto" means "default" here');
  });
});

describe('credentials of settings', () => {
  test('doctor and auth status know an apiKeyHelper', async () => {
    const { env, cwd } = await stage();
    const { ANTHROPIC_API_KEY: _key, ...bare } = env;
    mkdirSync(bare['TURNWRIGHT_HOME'] ?? '', { recursive: true });
    writeFileSync(join(bare['TURNWRIGHT_HOME'] ?? '', 'settings.json'), '{"apiKeyHelper":"echo sk-secret"}');
    const run = (...args: string[]) => commandLine(args, { cwd, env: { ...bare, ANTHROPIC_API_KEY: '' } });
    expect(JSON.parse((await run('auth', 'status', '--json')).stdout)).toMatchObject({
      loggedIn: true,
      apiKeySource: 'apiKeyHelper',
    });
    const doctor = await run('doctor');
    expect(doctor.stdout).toContain('from apiKeyHelper');
    expect(doctor.stdout).not.toContain('sk-secret');
  });
});

const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

describe.runIf(hasTerminal)('on a terminal', () => {
  /** Longer than the time in which a yes is taken for one that was typed before the question. */
  const READING_MS = 600;

  /** Each answer is typed once its question was read; behind the last one the window is closed. */
  async function onTerminal(cwd: string, env: Record<string, string>, answers: readonly [RegExp, string][]) {
    const command = `stty cols 120 rows 40; exec '${process.execPath}' '${BIN}' go`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: { ...env, TERM: 'xterm', SHELL: '/bin/sh' },
    });
    let written = '';
    const left = [...answers];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      const [next] = left;
      if (next === undefined || !next[0].test(written)) return;
      left.shift();
      written = '';
      if (left.length === 0) child.kill();
      else setTimeout(() => child.stdin.write(next[1]), READING_MS);
    });
    await new Promise((resolve) => child.once('close', resolve));
    return left.length;
  }

  test('F98 the question shows what would run; yes is remembered, and not asked again', async () => {
    const { cwd, env, isMade, run } = await stage();
    const answers: [RegExp, string][] = [
      [/allow +Bash\(touch:\*\)[\s\S]*trust this\?/, 'y'],
      [/done · /, ''],
    ];
    expect(await onTerminal(cwd, env, answers)).toBe(0);
    expect(isMade()).toBe(true);
    expect((await run('trust', '--list')).stdout).toContain(cwd);
  });

  test.each(
    everyNth(2, [
      ['no', 'n'],
      ['Esc', '\x1b'],
    ] as const),
  )('%s: the call is asked about, and the folder is not trusted', async (_, no) => {
    const { cwd, env, isMade, run } = await stage();
    const answers: [RegExp, string][] = [
      [/trust this\?/, no],
      [/touch/, ''],
    ];
    expect(await onTerminal(cwd, env, answers)).toBe(0);
    expect(isMade()).toBe(false);
    expect((await run('trust', '--list')).stdout).not.toContain(cwd);
  });
});
