import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PermissionUpdate } from '../../src/protocol/tools/permission.ts';
import { persistPermissions } from '../../src/settings/write/persist-permissions.ts';
import { createSettingsWriter } from '../../src/settings/write/write-settings.ts';

let root: string;
let home: string;
let project: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-write-')));
  [home, project] = [join(root, 'home'), join(root, 'proj')];
  await mkdir(project);
});
afterEach(() => rm(root, { recursive: true }));

const writer = () => createSettingsWriter({ configHome: home, projectRoot: project, files: nodeFiles });
const persist = (...updates: PermissionUpdate[]) => persistPermissions(updates, writer());
const read = async (file: string) => JSON.parse(await readFile(file, 'utf8'));
const allow = (ruleContent: string, destination: 'userSettings' | 'projectSettings' | 'localSettings') =>
  ({ type: 'addRules', rules: [{ toolName: 'Bash', ruleContent }], behavior: 'allow', destination }) as const;

describe('updates with a settings file as their destination', () => {
  it('make the file where there is none: the user’s own closed, the shared one open', async () => {
    await persist(allow('ls', 'userSettings'), allow('ls', 'projectSettings'), allow('ls', 'localSettings'));
    const files = [
      [join(home, 'settings.json'), 0o600],
      [join(project, '.turnwright/settings.json'), 0o644],
      [join(project, '.turnwright/settings.local.json'), 0o600],
    ] as const;
    for (const [file, mode] of files) {
      expect(await read(file)).toEqual({ permissions: { allow: ['Bash(ls)'] } });
      expect((await stat(file)).mode & 0o777).toBe(mode);
    }
    expect((await stat(home)).mode & 0o777).toBe(0o700);
  });

  it('keep local settings out of the repository, and a list of ignored files as it is', async () => {
    const ignored = join(project, '.turnwright/.gitignore');
    await persist(allow('ls', 'projectSettings'));
    await expect(stat(ignored)).rejects.toMatchObject({ code: 'ENOENT' });
    await persist(allow('ls', 'localSettings'));
    expect(await readFile(ignored, 'utf8')).toBe('settings.local.json\n.gitignore\n');
    await writeFile(ignored, '# mine\n');
    await persist(allow('cat', 'localSettings'));
    expect(await readFile(ignored, 'utf8')).toBe('# mine\n');
  });

  it('every kind, each once', async () => {
    const destination = 'localSettings';
    const file = join(project, '.claude/settings.local.json');
    await mkdir(join(project, '.claude'));
    const rules = [{ toolName: 'Bash', ruleContent: 'ls' }];
    await persist(
      allow('ls', destination),
      allow('ls', destination),
      { type: 'addRules', rules: [{ toolName: 'Read' }], behavior: 'deny', destination },
      { type: 'setMode', mode: 'acceptEdits', destination },
      { type: 'addDirectories', directories: ['/a', '/b'], destination },
      { type: 'removeDirectories', directories: ['/a'], destination },
      { type: 'replaceRules', rules: [{ toolName: 'Edit' }], behavior: 'ask', destination },
    );
    expect(await read(file)).toEqual({
      permissions: {
        allow: ['Bash(ls)'],
        deny: ['Read'],
        ask: ['Edit'],
        defaultMode: 'acceptEdits',
        additionalDirectories: ['/b'],
      },
    });
    await persist({ type: 'removeRules', rules, behavior: 'allow', destination });
    expect((await read(file)).permissions.allow).toEqual([]);
  });

  it('keep the other bytes of the file, and other keys of permissions', async () => {
    const file = join(project, '.claude/settings.json');
    await mkdir(join(project, '.claude'));
    await writeFile(
      file,
      '{\n    "other": {"x" : 1.50},\n    "permissions": {"deny": ["Read(.env)"], "mine": true}\n}\n',
    );
    await persist(allow('ls', 'projectSettings'));
    const text = await readFile(file, 'utf8');
    expect(text).toContain('    "other": {"x" : 1.50},\n');
    expect(JSON.parse(text).permissions).toEqual({ deny: ['Read(.env)'], mine: true, allow: ['Bash(ls)'] });
    expect(await readdir(join(project, '.claude'))).toEqual(['settings.json']);
  });

  it('session and cliArg touch no file', async () => {
    const rules = [{ toolName: 'Read' }];
    await persist(
      { type: 'addRules', rules, behavior: 'allow', destination: 'session' },
      { type: 'setMode', mode: 'plan', destination: 'cliArg' },
    );
    expect(await readdir(project)).toEqual([]);
  });

  it.each(['{ "permissions": ', '[]', '{"permissions":{"allow":"Bash"}}'])(
    'a file that is %s is refused and left as it is',
    async (text) => {
      const file = join(project, '.claude/settings.local.json');
      await mkdir(join(project, '.claude'));
      await writeFile(file, text);
      await expect(persist(allow('ls', 'localSettings'))).rejects.toMatchObject({
        code: 'invalid_settings',
        message: expect.stringContaining(file),
      });
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it('nothing is written through a link that a repository brought along', async () => {
    await mkdir(home);
    await writeFile(join(home, 'settings.json'), '{}');
    await mkdir(join(project, '.claude'));
    await symlink(join(home, 'settings.json'), join(project, '.claude/settings.local.json'));
    await expect(persist(allow('ls', 'localSettings'))).rejects.toThrow(/is a link/);
    await rm(join(project, '.claude'), { recursive: true });
    await symlink(home, join(project, '.claude'));
    await expect(persist(allow('ls', 'localSettings'))).rejects.toThrow(/is a link/);
    expect(await readFile(join(home, 'settings.json'), 'utf8')).toBe('{}');
  });

  it('bypassPermissions is never kept', async () => {
    await expect(
      persist({ type: 'setMode', mode: 'bypassPermissions', destination: 'userSettings' }),
    ).rejects.toMatchObject({ code: 'invalid_option' });
  });

  it('many at once lose nothing', async () => {
    const one = writer();
    const names = Array.from({ length: 20 }, (_, at) => `cmd${at}`);
    await Promise.all(names.map((name) => persistPermissions([allow(name, 'userSettings')], one)));
    expect((await read(join(home, 'settings.json'))).permissions.allow).toEqual(
      names.map((name) => `Bash(${name})`),
    );
  });
});
