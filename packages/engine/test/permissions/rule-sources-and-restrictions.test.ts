import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { PermissionUpdate } from '../../src/protocol/tools/permission.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');
beforeAll(async () => {
  await mkdir(cwd);
  await writeFile(join(cwd, 'a.ts'), '');
});
afterAll(() => folder.remove());

const make = (options: Partial<PermissionOptions>) =>
  createPermissions({ files: nodeFiles, allowDangerouslySkipPermissions: true, ...options });
const decide = (options: Partial<PermissionOptions>, tool: AnyTool, input: Record<string, unknown>) =>
  make(options).decide(question(tool, input, cwd));

describe('a verdict names the rule and where it is from', () => {
  it.each([
    ['deny', 'policySettings', 'the managed settings'],
    ['ask', 'flagSettings', 'the settings given to this run'],
    ['deny', 'localSettings', 'the local project settings'],
  ] as const)('%s of %s', async (behavior, source, words) => {
    const verdict = await decide({ rules: { [source]: { [behavior]: ['Bash(npm:*)'] } } }, TOOLS.Bash, {
      command: 'npm test',
    });
    expect(verdict).toMatchObject({
      kind: behavior,
      reasonType: 'rule',
      message: expect.stringContaining(words),
      matched: { source, value: { toolName: 'Bash', ruleContent: 'npm:*' } },
    });
  });

  it('an allow as well', async () => {
    const rules = { userSettings: { allow: ['Bash(npm:*)'] } };
    expect(await decide({ rules }, TOOLS.Bash, { command: 'npm test' })).toMatchObject({
      kind: 'allow',
      matched: { source: 'userSettings' },
    });
  });
});

describe('locks', () => {
  it('managedRulesOnly: no rule of another source allows, those that deny or ask hold', async () => {
    const rules = {
      policySettings: { allow: ['Bash(ls:*)'] },
      userSettings: { allow: ['Bash(npm:*)'], deny: ['Bash(git push:*)'] },
    };
    const locks = { managedRulesOnly: true };
    const kind = async (command: string, more: Partial<PermissionOptions> = {}) =>
      (await decide({ rules, locks, ...more }, TOOLS.Bash, { command })).kind;
    expect(await kind('npm test')).toBe('ask');
    expect(await kind('npm test', { allow: ['Bash'] })).toBe('ask');
    expect(await kind('ls --hyperlink x')).toBe('allow');
    expect(await kind('git push')).toBe('deny');
    expect(make({ rules, locks }).rules()).toContainEqual({
      source: 'userSettings',
      behavior: 'allow',
      rule: 'Bash(npm:*)',
      inForce: false,
    });
  });

  it('blocked reads and writes outside are denied whatever rules and mode say', async () => {
    const open = { mode: 'bypassPermissions', allow: ['Read', 'Write', 'Bash'] } as const;
    const reads = { ...open, locks: { blockReadsOutside: true } };
    const writes = { ...open, locks: { blockWritesOutside: true } };
    const kind = async (options: Partial<PermissionOptions>, tool: AnyTool, input: Record<string, unknown>) =>
      (await decide(options, tool, input)).kind;
    expect(await decide(reads, TOOLS.Read, { path: '/etc/hosts' })).toMatchObject({
      kind: 'deny',
      reasonType: 'workingDir',
    });
    expect(await kind(reads, TOOLS.Read, { path: join(cwd, 'a.ts') })).toBe('allow');
    expect(await kind(reads, TOOLS.Bash, { command: 'cat /etc/hosts' })).toBe('deny');
    expect(await kind(reads, TOOLS.Write, { path: '/tmp/x' })).toBe('allow');
    expect(await kind(writes, TOOLS.Write, { path: '/tmp/x' })).toBe('deny');
    expect(await kind(writes, TOOLS.Bash, { command: 'echo a > /tmp/x' })).toBe('deny');
    expect(await kind(writes, TOOLS.Write, { path: join(cwd, 'b.ts') })).toBe('allow');
  });

  it('F88 bypassPermissions with an allow list runs what the list names, and nothing else', async () => {
    const options = {
      mode: 'bypassPermissions',
      allow: ['Bash(npm test)', 'Read'],
      deny: ['Read(.env)'],
      locks: { allowedToolsOnly: true },
    } as const;
    const kind = async (tool: AnyTool, input: Record<string, unknown>) =>
      (await decide(options, tool, input)).kind;
    expect(await kind(TOOLS.Bash, { command: 'npm test' })).toBe('allow');
    expect(await kind(TOOLS.Bash, { command: 'npm test && rm -rf x' })).toBe('deny');
    expect(await kind(TOOLS.Bash, { command: 'npm publish' })).toBe('deny');
    expect(await kind(TOOLS.Read, { path: '/etc/hosts' })).toBe('allow');
    expect(await kind(TOOLS.Read, { path: join(cwd, '.env') })).toBe('deny');
    expect(await kind(TOOLS.Write, { path: join(cwd, 'b.ts') })).toBe('deny');
    expect(await kind(TOOLS.TodoWrite, {})).toBe('allow');
  });
});

describe('what searches may show', () => {
  it('is not asked when no deny rule speaks of files', () => {
    expect(make({ deny: ['Bash(rm:*)', 'Read'] }).readFilter({ cwd })).toBeUndefined();
  });

  it('denies what a Read, Grep or Glob rule covers', async () => {
    const isDenied = make({ deny: ['Read(.env)', 'Grep(secrets/**)'] }).readFilter({ cwd });
    expect(await isDenied?.(join(cwd, 'deep/.env'))).toBe(true);
    expect(await isDenied?.(join(cwd, 'secrets/key'))).toBe(true);
    expect(await isDenied?.(join(cwd, 'a.ts'))).toBe(false);
  });
});

describe('an update changes what it names and nothing else', () => {
  const value = { toolName: 'Bash', ruleContent: 'make' };
  const rules = [value];
  const own = { source: 'cliArg', behavior: 'allow', rule: 'Bash(npm test)', inForce: true };
  const added = { source: 'session', behavior: 'allow', rule: 'Bash(make)', inForce: true };
  const destination = 'session';
  const at = { mode: 'acceptEdits', directories: [{ path: '/a', source: 'cliArg' }], rules: [own] };

  it.each<[PermissionUpdate, object]>([
    [{ type: 'addRules', rules, behavior: 'allow', destination }, { rules: [own, added] }],
    [{ type: 'replaceRules', rules, behavior: 'allow', destination }, { rules: [own, added] }],
    [{ type: 'removeRules', rules, behavior: 'allow', destination }, {}],
    [{ type: 'setMode', mode: 'default', destination }, { mode: 'default' }],
    [
      { type: 'addDirectories', directories: ['/b', '/c'], destination },
      {
        directories: [
          { path: '/a', source: 'cliArg' },
          { path: '/b', source: 'session' },
          { path: '/c', source: 'session' },
        ],
      },
    ],
    [{ type: 'removeDirectories', directories: ['/a'], destination }, { directories: [] }],
  ])('%j', (update, changed) => {
    const permissions = make({
      allow: ['Bash(npm test)'],
      mode: 'acceptEdits',
      additionalDirectories: ['/a'],
    });
    permissions.apply([update]);
    const { mode } = permissions;
    expect({ mode, directories: permissions.directories(), rules: permissions.rules() }).toEqual({
      ...at,
      ...changed,
    });
  });
});

describe('what may be read, for a search that shows lines of many files', () => {
  it('is not asked about without a rule that denies reading by path', () => {
    expect(make({ deny: ['Bash(rm:*)', 'Read', 'Edit(x)'] }).readFilter({ cwd })).toBeUndefined();
  });

  it.each([
    ['what the rule names', 'secret', true],
    ['what lies in what it names', 'vault/deep/key', true],
    ['another file', 'a.ts', false],
    ['a file by a link that leads nowhere', 'dangling', true],
  ])('denies %s: %s, %s', async (_, path, denied) => {
    await symlink('/nowhere/at/all', join(cwd, 'dangling')).catch(() => undefined);
    const isDenied = make({ deny: ['Read(secret)', 'Grep(vault/**)'] }).readFilter({ cwd });
    expect(await isDenied?.(path)).toBe(denied);
    expect(await isDenied?.(path)).toBe(denied);
  });
});
