/** Settings through the public door: reports, changes while a session runs, and trust by content. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Options,
  projectTrust,
  type Query,
  query,
  resolveSettings,
  revokeTrust,
  settingsKeys,
  trustedFolders,
  trustProject,
} from '../../src/index.ts';

let server: RehearsalServer;
let root: string;
let cwd: string;
let home: string;
let env: Record<string, string>;
beforeEach(async () => {
  server = await startRehearsal();
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-settings-')));
  [cwd, home] = [join(root, 'proj'), join(root, 'home')];
  await mkdir(cwd);
  env = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    PATH: process.env['PATH'] ?? '',
    TURNWRIGHT_HOME: home,
  };
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

const ALL = ['user', 'project', 'local'] as const;
async function put(file: string, value: unknown) {
  const path = join(root, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(value));
}
const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });
const isMade = (name: string) => existsSync(join(cwd, name));
const play = (...calls: ReturnType<typeof toolUse>[]) =>
  server.setScenario({ name: 'test', replies: [...calls.map((call) => reply(call)), reply('Done.')] });
const start = (options: Options = {}): Query =>
  query({ prompt: 'Go.', options: { cwd, env, persistSession: false, ...options } });

describe('resolveSettings', () => {
  it('tells what holds, who says it, and what each source says', async () => {
    await put('home/settings.json', { model: 'a', permissions: { allow: ['Read'] } });
    await put('proj/.claude/settings.json', { model: 'b', permissions: { deny: ['Bash(rm:*)'] } });
    const { effective, provenance, sources } = await resolveSettings({
      cwd,
      env,
      settings: { effortLevel: 'low' },
      managedSettings: { permissions: { deny: ['WebFetch'] } },
    });
    expect(effective).toEqual({
      model: 'b',
      effortLevel: 'low',
      env: {},
      permissions: { allow: ['Read'], deny: ['Bash(rm:*)', 'WebFetch'] },
    });
    expect(provenance).toMatchObject({
      model: { source: 'project', path: join(cwd, '.claude/settings.json') },
      effortLevel: { source: 'flag' },
      permissions: { source: 'managed' },
    });
    expect(sources.map(({ source }) => source)).toEqual(['user', 'project', 'flag', 'managed']);
  });
});

describe('a running session', () => {
  it('an answer with localSettings is written, and the next session goes by it', async () => {
    play(touch('a'), touch('b'));
    let asked = 0;
    await gather(
      start({
        canUseTool: async () => {
          asked += 1;
          const rules = [{ toolName: 'Bash', ruleContent: 'touch:*' }];
          const update = {
            type: 'addRules',
            rules,
            behavior: 'allow',
            destination: 'localSettings',
          } as const;
          return { behavior: 'allow', updatedPermissions: [update] };
        },
      }),
    );
    expect(asked).toBe(1);
    play(touch('c'));
    await gather(start({ settingSources: ALL }));
    expect(['a', 'b', 'c'].map(isMade)).toEqual([true, true, true]);
  });

  it('a folder that an answer opened for local settings is open in the next run; one the file brings along is not', async () => {
    const folders = async (options: Options = {}) => {
      play();
      const running = start({ settingSources: ALL, ...options });
      const { workspaceDirectories } = await running.listPermissionRules();
      await running.close();
      return workspaceDirectories;
    };
    const local = 'proj/.claude/settings.local.json';
    await put(local, { permissions: { additionalDirectories: ['/etc', '../up'] } });
    play(touch('a'));
    const answer = (type: 'addDirectories' | 'removeDirectories') =>
      gather(
        start({
          settingSources: ALL,
          canUseTool: async () => ({
            behavior: 'allow',
            updatedPermissions: [{ type, directories: [root], destination: 'localSettings' }],
          }),
        }),
      );
    await answer('addDirectories');
    expect(await folders()).toEqual([{ path: root, source: 'localSettings' }]);
    expect(await folders({ projectTrusted: false })).toEqual([]);
    play(touch('b'));
    await answer('removeDirectories');
    await put(local, { permissions: { additionalDirectories: [root] } });
    expect(await folders()).toEqual([]);
    // Agreed to as it stands, by content.
    await trustProject(await projectTrust({ cwd, env }), { cwd, env });
    const byRecord = { projectTrusted: false, trustRecorded: true };
    expect(await folders(byRecord)).toEqual([{ path: root, source: 'localSettings' }]);
    await put(local, { permissions: { additionalDirectories: ['/'] } });
    expect(await folders(byRecord)).toEqual([]);
  });

  it('an answer that cannot be written denies the call and says why', async () => {
    await put('proj/.claude/x', '');
    await writeFile(join(cwd, '.claude/settings.local.json'), '{ broken');
    play(touch('a'));
    const { messages } = await gather(
      start({
        canUseTool: async () => ({
          behavior: 'allow',
          updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'localSettings' }],
        }),
      }),
    );
    expect(isMade('a')).toBe(false);
    expect(JSON.stringify(messages)).toContain('it is not JSON');
    expect(await readFile(join(cwd, '.claude/settings.local.json'), 'utf8')).toBe('{ broken');
  });

  it('applyFlagSettings: rules hold at once and go with null', async () => {
    play(touch('a'), touch('b'));
    let asked = 0;
    const running: Query = start({
      settings: { permissions: { deny: ['Bash(touch b)'] } },
      canUseTool: async () => {
        asked += 1;
        await running.applyFlagSettings({ permissions: { allow: ['Bash(touch:*)'] }, model: null });
        return { behavior: 'allow' };
      },
    });
    await gather(running);
    expect(asked).toBe(1);
    expect(['a', 'b'].map(isMade)).toEqual([true, true]);
  });

  it('applyFlagSettings: what was written to settings files meanwhile is not taken up', async () => {
    await put('proj/.claude/settings.json', { permissions: { blockWritesOutsideWorkingDirectories: true } });
    const outside = join(root, 'outside.txt');
    play(
      touch('a'),
      toolUse('Write', { file_path: outside, content: 'x' }),
      toolUse('Write', { file_path: join(cwd, 'b'), content: 'x' }),
    );
    const asked: string[] = [];
    const running: Query = start({
      settingSources: ['project'],
      projectTrusted: true,
      canUseTool: async (tool) => {
        asked.push(tool);
        if (tool === 'Bash') {
          await put('proj/.claude/settings.json', { permissions: { defaultMode: 'acceptEdits' } });
          await put('proj/.claude/settings.local.json', { permissions: { allow: ['Write'] } });
          await running.applyFlagSettings({ permissions: { allow: ['Bash(touch:*)'] } });
        }
        return { behavior: 'allow' };
      },
    });
    await gather(running);
    expect(asked).toEqual(['Bash', 'Write']);
    expect(existsSync(outside)).toBe(false);
  });

  it('applyFlagSettings: denyInsteadOfPrompting holds for the next question, and goes with null', async () => {
    play(touch('a'), touch('b'), touch('c'));
    const asked: unknown[] = [];
    const running: Query = start({
      canUseTool: async (_tool, { command }) => {
        asked.push(command);
        await running.applyFlagSettings({ permissions: { denyInsteadOfPrompting: true } });
        return { behavior: 'allow' };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async ({ tool_input }) => {
                if (JSON.stringify(tool_input).includes('touch c'))
                  await running.applyFlagSettings({ permissions: null });
                return {};
              },
            ],
          },
        ],
      },
    });
    await gather(running);
    expect(asked).toEqual(['touch a', 'touch c']);
    expect(['a', 'b', 'c'].map(isMade)).toEqual([true, false, true]);
  });

  it('applyFlagSettings refuses what is wrong and changes nothing', async () => {
    play();
    const running = start({ settings: { model: 'm' } });
    await expect(running.applyFlagSettings({ permissions: { allow: 'x' } })).rejects.toMatchObject({
      code: 'invalid_settings',
    });
    expect((await running.getSettings()).effective).toMatchObject({ model: 'm' });
    await running.close();
  });

  it('updateSettings writes its keys alone, to files the session reads', async () => {
    play();
    const running = start({ settingSources: ['user'] });
    await running.updateSettings('userSettings', { effortLevel: 'high' });
    expect(JSON.parse(await readFile(join(home, 'settings.json'), 'utf8'))).toEqual({ effortLevel: 'high' });
    const refused = (source: string, settings: object) =>
      expect(running.updateSettings(source as never, settings as never)).rejects.toMatchObject({
        code: 'invalid_option',
      });
    await refused('userSettings', { apiKeyHelper: 'echo' });
    await refused('userSettings', { model: 1 });
    await refused('localSettings', { model: 'x' });
    await refused('policySettings', { model: 'x' });
    await running.close();
  });

  it('setSetting writes any one key, or takes it out, and refuses what is none', async () => {
    play();
    const running = start({ settingSources: ['user', 'local'] });
    await running.setSetting('userSettings', 'sandbox.enabled', false);
    await running.setSetting('userSettings', 'autoCompactWindow', 100_000);
    const file = () => readFile(join(home, 'settings.json'), 'utf8').then((text) => JSON.parse(text));
    expect(await file()).toEqual({ sandbox: { enabled: false }, autoCompactWindow: 100_000 });
    await running.setSetting('userSettings', 'autoCompactWindow', undefined);
    expect(await file()).toEqual({ sandbox: { enabled: false } });
    // Nothing to take out: no file is made.
    await running.setSetting('localSettings', 'model', undefined);
    expect(isMade('.turnwright')).toBe(false);
    const refused = (destination: string, key: string, value: unknown, code: string) =>
      expect(running.setSetting(destination as never, key, value)).rejects.toMatchObject({ code });
    await refused('userSettings', 'nosuch', 1, 'invalid_option');
    await refused('localSettings', 'theme', 'dark', 'invalid_option');
    await refused('projectSettings', 'model', 'x', 'invalid_option');
    await refused('userSettings', 'effortLevel', 'enormous', 'invalid_settings');
    expect((await settingsKeys()).find(({ key }) => key === 'effortLevel')).toMatchObject({ kind: 'choice' });
    await running.close();
  });

  it('listPermissionRules names each rule’s source', async () => {
    play();
    await put('home/settings.json', { permissions: { allow: ['Read'], additionalDirectories: ['/data'] } });
    const running = start({
      settingSources: ['user'],
      allowedTools: ['Bash(ls)'],
      managedSettings: { allowManagedPermissionRulesOnly: true, permissions: { deny: ['WebFetch'] } },
    });
    expect(await running.listPermissionRules()).toEqual({
      rules: [
        { behavior: 'deny', source: 'policySettings', rule: 'WebFetch', editability: 'readonly' },
        {
          behavior: 'allow',
          source: 'userSettings',
          rule: 'Read',
          editability: 'readonly',
          notInEffect: true,
        },
        { behavior: 'allow', source: 'cliArg', rule: 'Bash(ls)', editability: 'readonly', notInEffect: true },
      ],
      workspaceDirectories: [{ path: '/data', source: 'userSettings' }],
      originalCwd: cwd,
      managedOnly: true,
    });
    await running.close();
  });
});

describe('trust by content', () => {
  const untrusting = { settingSources: ALL, projectTrusted: false, trustRecorded: true } as const;
  const trust = async () => trustProject(await projectTrust({ cwd, env }), { cwd, env });
  const runs = async (options: Options = untrusting) => {
    await rm(join(cwd, 'a'), { force: true });
    play(touch('a'));
    await gather(start(options));
    return isMade('a');
  };
  const allowing = { permissions: { allow: ['Bash(touch:*)'] } };

  it('F98 T101 T103 before trust a repository’s files only restrict, and nothing of it is started', async () => {
    await put('proj/.claude/settings.json', { ...allowing, apiKeyHelper: `touch ${join(root, 'helper')}` });
    await put('proj/.mcp.json', { mcpServers: { evil: { command: 'touch', args: [join(root, 'mcp')] } } });
    expect(await runs()).toBe(false);
    expect([existsSync(join(root, 'helper')), existsSync(join(root, 'mcp'))]).toEqual([false, false]);
  });

  it('shows what would take effect', async () => {
    await put('proj/.claude/settings.json', {
      $schema: 'x',
      permissions: { allow: ['Bash'], deny: ['Read(.env)'] },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: '.claude/hooks/stop.sh' }] }] },
      statusLine: { command: 'date' },
    });
    await put('proj/.mcp.json', { mcpServers: { a: { command: 'npx' } } });
    await put('proj/.claude/skills/s/SKILL.md', 'x');
    const { state, items } = await projectTrust({ cwd, env });
    expect(state).toBe('untrusted');
    expect(items.map(({ key, value }) => `${key}: ${value}`)).toEqual([
      'hooks.Stop.0.hooks.0.command: .claude/hooks/stop.sh',
      'hooks.Stop.0.hooks.0.type: command',
      'permissions.allow.0: Bash',
      'mcpServers.a.command: npx',
      expect.stringMatching(/^content: sha256 [0-9a-f]{64}$/),
    ]);
  });

  it('a folder that only restricts asks for nothing', async () => {
    await put('proj/.claude/settings.json', { permissions: { deny: ['Bash(rm:*)'] } });
    expect((await projectTrust({ cwd, env })).state).toBe('nothing');
  });

  it('F98 T107 what was trusted holds until its content changes', async () => {
    await put('proj/.claude/settings.json', allowing);
    await trust();
    expect(await runs()).toBe(true);
    await put('proj/.claude/settings.json', { permissions: { allow: ['Bash(touch:*)', 'Bash(curl:*)'] } });
    expect((await projectTrust({ cwd, env })).state).toBe('changed');
    expect(await runs()).toBe(false);
    // A restriction more is no reason to ask again.
    await put('proj/.claude/settings.json', { permissions: { ...allowing.permissions, deny: ['Write'] } });
    expect(await runs()).toBe(true);
  });

  it('T107 a hook’s script and an MCP command are part of the content', async () => {
    await put('proj/.claude/settings.json', { hooks: { Stop: [] }, statusLine: { command: 'x' } });
    await put('proj/.mcp.json', { mcpServers: { a: { command: 'npx' } } });
    await trust();
    expect((await projectTrust({ cwd, env })).state).toBe('trusted');
    await put('proj/.mcp.json', { mcpServers: { a: { command: 'sh' } } });
    expect((await projectTrust({ cwd, env })).state).toBe('changed');
    await put('proj/.claude/settings.json', { hooks: { Stop: [{ hooks: [{ command: 'x' }] }] } });
    await trust();
    await put('proj/.claude/hooks/stop.sh', 'rm');
    expect((await projectTrust({ cwd, env })).state).toBe('changed');
  });

  it('the record is readable by the user only, is listed, and can be revoked', async () => {
    await put('proj/.claude/settings.json', allowing);
    await trust();
    expect((await stat(join(home, 'trusted-folders.json'))).mode & 0o777).toBe(0o600);
    expect(await trustedFolders({ cwd, env })).toMatchObject([{ root: cwd }]);
    expect(await revokeTrust(cwd, { cwd, env })).toBe(true);
    expect(await revokeTrust(cwd, { cwd, env })).toBe(false);
    expect(await runs()).toBe(false);
  });

  it('what the user adds to a trusted folder keeps it trusted', async () => {
    await put('proj/.claude/settings.json', { permissions: { allow: ['Bash(ls:*)'] } });
    const always: Options['canUseTool'] = async (_name, _input, { suggestions = [] }) => ({
      behavior: 'allow',
      updatedPermissions: suggestions.map((update) => ({ ...update, destination: 'localSettings' })),
    });
    await trust();
    expect(await runs({ ...untrusting, canUseTool: always })).toBe(true);
    expect(await runs()).toBe(true);
    // What the repository adds does not come in with it.
    await put('proj/.claude/settings.json', { permissions: { allow: ['Bash'] } });
    expect(await runs({ ...untrusting, canUseTool: always })).toBe(true);
    expect(await runs()).toBe(false);
  });

  it('a record that cannot be read stops the run rather than being passed over', async () => {
    await put('proj/.claude/settings.json', allowing);
    await mkdir(home);
    await writeFile(join(home, 'trusted-folders.json'), '{');
    await expect(projectTrust({ cwd, env })).rejects.toMatchObject({ code: 'invalid_settings' });
    await chmod(home, 0o700);
  });
});
