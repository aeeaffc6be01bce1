/** Guards that are on in the second and the hundredth run, that close when they are not, and are named. */
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Options, query } from '@turnwright/engine';
import { against, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';
import { settleTrust } from '../src/run/trust-question.ts';
import type { World } from '../src/world.ts';

const calls = (...names: string[]) =>
  names.flatMap((name) => [reply(toolUse('Bash', { command: `touch ${name}` })), reply('Done.')]);

async function stage(...names: string[]) {
  const server = await rehearse(...calls(...names));
  const cwd = realpathSync(temporaryFolder());
  const env = bareEnv(against(server));
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  };
  const guard = (matcher: string, command: string) =>
    JSON.stringify({ hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command }] }] } });
  const run = (...args: string[]) => commandLine(args, { cwd, env });
  const go = (...args: string[]) => run('-p', '--allowedTools', 'Bash', ...args, '--', 'go');
  return { cwd, env, put, guard, run, go, made: (name: string) => existsSync(join(cwd, name)) };
}

/** Logs beside itself, and denies. */
const LOGGING = 'cd .claude/hooks && date >> guard.log && cat - >> last.txt && sh ./deny.sh';

async function guarded(...names: string[]) {
  const all = await stage(...names);
  all.put('.claude/settings.json', all.guard('Bash', LOGGING));
  all.put('.claude/hooks/deny.sh', 'echo no >&2; exit 2\n');
  expect((await all.run('trust')).code).toBe(0);
  return all;
}

test('a status line of a project that is not trusted is named as not used: by doctor, and by trust', async () => {
  const { put, run } = await stage();
  const statusLine = { type: 'command', command: 'date' };
  put('.claude/settings.json', JSON.stringify({ statusLine, permissions: { allow: ['Bash'] } }));
  const sentence = 'Not used: statusLine. The screen is yours: such keys count in your own settings alone.';
  expect((await run('doctor')).stdout).toContain(sentence);
  expect((await run('trust', '--show')).stdout).toContain(sentence);
});

describe('a project whose guard logs beside itself', () => {
  test('is guarded in its second, third and later runs', async () => {
    const { go, made, run } = await guarded('a', 'b', 'c');
    for (const name of ['a', 'b', 'c']) {
      expect(await go()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('trust') });
      expect(made(name)).toBe(false);
    }
    expect((await run('doctor')).stdout).not.toContain('do not run');
  });

  test('closes when the guard changes: exit 2, what changed, and the command that mends it', async () => {
    const { go, made, put, run } = await guarded('a', 'b');
    put('.claude/hooks/deny.sh', 'exit 0\n');
    const ran = await go();
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('as this has changed: .claude/hooks/deny.sh. turnwright trust agrees');
    expect(made('a')).toBe(false);
    const doctor = await run('doctor');
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toContain('do not run any more');
    expect((await run('mcp', 'list')).code).toBe(0);
    expect((await run('trust', '--show')).stdout).toContain('agreed to them: .claude/hooks/deny.sh.');
    expect((await run('trust')).code).toBe(0);
    expect((await go()).code).toBe(0);
    expect(made('a')).toBe(true);
  });

  test('closes when its settings are gone; --trust-project and --revoke open it', async () => {
    const { cwd, go, run, made } = await guarded('a', 'b');
    rmSync(join(cwd, '.claude/settings.json'));
    expect((await go()).code).toBe(2);
    expect((await run('trust', '--show')).stdout).toContain('has changed: its settings');
    expect((await go('--trust-project')).code).toBe(0);
    expect(made('a')).toBe(true);
    await run('trust', '--revoke');
    expect((await go()).code).toBe(0);
  });

  test('closes for a host that goes by the record, and for one that drives the command line', async () => {
    const { cwd, env, made, put, run } = await guarded('a');
    put('.claude/hooks/extra.py', 'x');
    const options: Options = {
      cwd,
      env,
      settingSources: ['project'],
      projectTrusted: false,
      trustRecorded: true,
    };
    const seen: unknown[] = [];
    const drained = (async () => {
      for await (const message of query({ prompt: 'go', options })) seen.push(message);
    })();
    await expect(drained).rejects.toThrow(/extra\.py \(new\)\. turnwright trust agrees/);
    expect(seen).toEqual([expect.objectContaining({ type: 'result', is_error: true })]);
    const prompt = { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null };
    const words = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
    const driven = await commandLine(words, { cwd, env, input: `${JSON.stringify(prompt)}\n` });
    expect(driven.code).not.toBe(0);
    expect(driven.stdout + driven.stderr).toContain('extra.py (new)');
    expect(made('a')).toBe(false);
    expect((await run('trust')).code).toBe(0);
  });

  test('a person at a terminal is asked before the first turn, and may go on without', async () => {
    const { cwd, env, put } = await guarded();
    put('.claude/hooks/deny.sh', 'exit 0\n');
    const shown: string[] = [];
    const world = {
      cwd,
      env,
      out: { write: async (text: string) => void shown.push(text) },
      stdout: { isTTY: false },
    } as unknown as World;
    const keyboard = {} as NodeJS.ReadStream;
    const asking = (answer: boolean) =>
      settleTrust(world, { options: {} }, { keyboard, ask: async () => answer });
    expect(await asking(false)).toBe('declined');
    expect(shown.join('')).toMatch(/have changed since you agreed to them:\n {2}~ \.claude\/hooks\/deny\.sh/);
    expect(await asking(true)).toBeUndefined();
    shown.length = 0;
    expect(await asking(false)).toBeUndefined();
    expect(shown).toEqual([]);
  });
});

describe('a guard that is not in force is named once, at the start', () => {
  test.each([
    ['a matcher that matches nothing', 'Edit;Write', 'true', 'its matcher "Edit;Write" matches nothing'],
    ['a rule as a matcher', 'Bash(rm *)', 'true', 'its matcher "Bash(rm *)" matches nothing'],
    ['a matcher in small letters', 'bash', 'true', 'its matcher "bash" matches nothing'],
    ['a matcher of separators alone', ',', 'true', 'its matcher "," matches nothing'],
    ['a matcher that cannot be read', '[', 'true', 'A hook does not run'],
  ])('%s', async (_, matcher, command, expected) => {
    const { cwd, env, guard, put, go } = await stage('a', 'b');
    put('.claude/settings.json', guard(matcher, command));
    const ran = await go('--trust-project');
    expect(ran.code).toBe(0);
    expect(ran.stderr.split(expected)).toHaveLength(2);
    const told: string[] = [];
    for await (const message of query({
      prompt: 'go',
      options: { cwd, env, settingSources: ['project'], persistSession: false },
    }))
      if (message.type === 'system' && message.subtype === 'informational')
        told.push(`${message.tag}: ${message.content}`);
    expect(told).toEqual([expect.stringMatching(/^settings_not_in_effect: /)]);
    expect(told[0]).toContain(expected);
  });

  test('hooks of a project that is not trusted, and hooks that are switched off', async () => {
    const { env, guard, put, go } = await stage('a', 'b');
    put('.claude/settings.json', guard('Bash', 'exit 2'));
    expect((await go()).stderr).toContain('its hooks (1) do not run: this folder is not trusted.');
    const off = JSON.stringify({ ...JSON.parse(guard('Bash', 'exit 2')), disableAllHooks: true });
    const home = env['TURNWRIGHT_HOME'] ?? '';
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'settings.json'), off);
    expect((await go()).stderr).toContain('Hooks are switched off by settings');
  });

  test('an entry that cannot be read costs itself, in -p and in doctor; a guard beside it holds', async () => {
    const { guard, put, go, made, run } = await stage('a');
    const settings = { ...JSON.parse(guard('Bash', 'exit 2')), permissions: { allow: ['Bash:*'] }, model: 5 };
    put('.claude/settings.json', JSON.stringify(settings));
    const ran = await go('--trust-project');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('permissions.allow.0 "Bash:*"');
    expect(made('a')).toBe(false);
    expect((await run('doctor')).stdout).toContain('permissions.allow.0 "Bash:*"');
  });
});

describe('JSON that people write has comments and commas behind a last element', () => {
  const COMMENTED = (json: string) => `// ours\n${json.replace(/\}$/, ', /* more */ }')}\n`;

  test('--mcp-config and --settings as files, and the parts of a plugin', async () => {
    const { cwd, env, put, go } = await stage('a');
    put('servers.json', COMMENTED('{"mcpServers":{}}'));
    put('settings.json', COMMENTED('{"model":"opus"}'));
    const place = ['--mcp-config', join(cwd, 'servers.json'), '--settings', 'settings.json'];
    expect(await go(...place)).toMatchObject({ code: 0, stderr: '' });
    put('p/.claude-plugin/plugin.json', COMMENTED('{"name":"p"}'));
    put('p/.mcp.json', COMMENTED('{"mcpServers":{"a":{"command":"false"}}}'));
    put(
      'p/hooks/hooks.json',
      COMMENTED('{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}'),
    );
    const plugins = [{ type: 'local' as const, path: join(cwd, 'p') }];
    const session = query({ prompt: 'go', options: { cwd, env, plugins, persistSession: false } });
    expect((await session.hooksListing()).hooks).toMatchObject([{ pluginName: 'p' }]);
    expect((await session.mcpServerStatus()).map(({ name }) => name)).toEqual(['plugin:p:a']);
    await session.close();
  });
});
