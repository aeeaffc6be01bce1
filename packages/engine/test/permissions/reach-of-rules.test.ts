/** Which calls a rule speaks of, and which rules there are at a moment. */

import { question, TOOLS as SIMPLE, toolNamed } from '@turnwright/test/permissions/ask-doubles.ts';
import { describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import { ruleTest } from '../../src/permissions/rules/rule-test.ts';
import { matchesUrl } from '../../src/permissions/rules/url-rule.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const TOOLS = {
  ...SIMPLE,
  Skill: toolNamed('Skill', { permissionTarget: ({ skill }) => ({ kind: 'name', name: `${skill}` }) }),
  Copy: toolNamed('Write', {
    permissionTarget: ({ from, to }) => ({ kind: 'write', paths: [`${from}`, `${to}`] }),
  }),
  NoPath: toolNamed('Write', { permissionTarget: () => ({ kind: 'write', paths: [] }) }),
  Desk: toolNamed('mcp__desk__read', {
    permissionTarget: ({ path }) => ({ kind: 'read', paths: [`${path}`] }),
  }),
};
type Call = readonly [tool: keyof typeof TOOLS, input: Record<string, unknown>];

/** A disk on which these files are, and no links. */
const THERE: readonly string[] = ['/proj/there'];
const files = {
  realpath: async (path: string) => path,
  lstat: async (path: string) =>
    THERE.includes(path) ? { kind: 'file' as const, size: 1, mtimeMs: 0, mode: 0o600, ino: 1 } : undefined,
  readDir: async () => [],
};
const make = (options: Partial<PermissionOptions> = {}) =>
  createPermissions({ files: files as never, home: '/home/me', ...options });
const kindOf = async ([tool, input]: Call, options: Partial<PermissionOptions>) =>
  (await make(options).decide(question(TOOLS[tool] as AnyTool, input, '/proj'))).kind;

it.each<[string, Call, string]>([
  ['Skill(a:*)', ['Skill', { skill: 'ab' }], 'allow'],
  ['Skill(a:*)', ['Skill', { skill: 'ba' }], 'ask'],
  ['Skill( a )', ['Skill', { skill: 'a' }], 'allow'],
  ['Read(//etc/**)', ['Grep', { path: '/etc/x' }], 'allow'],
  ['Edit(//etc/**)', ['Grep', { path: '/etc/x' }], 'ask'],
  ['Grep(//etc/**)', ['Read', { path: '/etc/x' }], 'ask'],
  ['Read(//etc/**)', ['Desk', { path: '/etc/x' }], 'ask'],
  ['Edit(src/**)', ['Write', { path: 'src/x' }], 'allow'],
  ['Read(src/**)', ['Write', { path: 'src/x' }], 'ask'],
  ['Write(src/**)', ['Edit', { path: 'src/x' }], 'ask'],
  ['Edit(src/**)', ['Copy', { from: 'src/a', to: 'src/b' }], 'allow'],
  ['Edit(src/**)', ['Copy', { from: 'src/a', to: 'lib/b' }], 'ask'],
  ['Edit(src/**)', ['NoPath', {}], 'ask'],
  ['Edit(~/x)', ['Write', { path: '/home/me/x/y' }], 'allow'],
  ['Edit(~)', ['Write', { path: '/home/me/y' }], 'allow'],
  ['Edit(~x)', ['Write', { path: '/home/me/x' }], 'ask'],
  ['Edit(./a)', ['Write', { path: 'a' }], 'allow'],
  ['Edit(./a)', ['Write', { path: 'b/a' }], 'ask'],
  ['Edit(a)', ['Write', { path: 'b/a' }], 'allow'],
  ['Edit(a/)', ['Write', { path: 'b/a/c' }], 'allow'],
  ['Edit(/a)', ['Write', { path: 'b/a' }], 'ask'],
  ['Edit(/)', ['Write', { path: 'b/a' }], 'allow'],
  ['Edit(//)', ['Write', { path: '/b/a' }], 'allow'],
  ['Edit(a?c)', ['Write', { path: 'abc' }], 'allow'],
  ['Edit(a?c)', ['Write', { path: 'abbc' }], 'ask'],
  ['Edit(SRC/**)', ['Write', { path: 'src/x' }], 'ask'],
])('allowed by %s: %j → %s', async (rule, call, kind) => {
  expect(await kindOf(call, { allow: [rule], ignoreCase: false })).toBe(kind);
});

it('where file systems fold case, rules that allow do so too', async () => {
  const options = { allow: ['Edit(SRC/**)'], ignoreCase: true };
  expect(await kindOf(['Write', { path: 'src/x' }], options)).toBe('allow');
});

it.each<[string, Call, string]>([
  ['Edit(src/**)', ['Copy', { from: 'lib/a', to: 'src/b' }], 'deny'],
  ['Edit(src/**)', ['NoPath', {}], 'deny'],
  ['Write(src/**)', ['Edit', { path: 'src/x' }], 'deny'],
  ['Grep(//etc/**)', ['Read', { path: '/etc/x' }], 'deny'],
  ['Read(there)', ['Write', { path: 'there' }], 'deny'],
  ['Read(other)', ['Write', { path: 'other' }], 'ask'],
  ['Bash(x)', ['Write', { path: 'x' }], 'ask'],
  ['Edit(~/x)', ['Write', { path: 'y' }], 'ask'],
  ['Skill(a:*)', ['Skill', { skill: 'ab' }], 'deny'],
])('denied by %s: %j → %s', async (rule, call, kind) => {
  expect(await kindOf(call, { deny: [rule] })).toBe(kind);
});

it('a rule for a home that is not known denies all that it could mean, and allows nothing', async () => {
  const call: Call = ['Write', { path: 'y' }];
  expect(await kindOf(call, { deny: ['Edit(~/x)'], home: undefined })).toBe('deny');
  expect(await kindOf(call, { allow: ['Edit(~/**)'], home: undefined })).toBe('ask');
  const options = { deny: ['Read(~/x)', 'Read(a)'] };
  const place = { cwd: '/proj' };
  expect(make(options).pathPatterns('denyRead', place)).toHaveLength(2);
  expect(make({ ...options, home: undefined }).pathPatterns('denyRead', place)).toEqual([
    { root: '/proj', segments: ['**', 'a'] },
  ]);
});

it.each<[string, Call, boolean]>([
  ['Read(src/**)', ['Grep', { path: 'src/a' }], true],
  ['Read(src/**)', ['Grep', { path: 'lib/a' }], false],
  ['Read(there)', ['Edit', { path: 'there' }], false],
  ['Edit(src/**)', ['Write', { path: 'src/a' }], true],
  ['Edit(src/**)', ['Read', { path: 'src/a' }], false],
  ['Write(src/**)', ['Edit', { path: 'src/a' }], false],
  ['Write(src/**)', ['Write', { path: 'src/a' }], true],
  ['Read(src/**)', ['Bash', { command: 'cat src/a' }], true],
  ['Bash(git:*)', ['Bash', { command: 'ls; git x' }], true],
  ['Bash(git:*)', ['Bash', { command: '$X y' }], true],
  ['Bash(git:*)', ['Bash', { command: 'ls' }], false],
  ['Bash(git:*)', ['Write', { path: 'git' }], false],
  ['Read', ['TodoWrite', {}], false],
  ['Grep(SRC/**)', ['Grep', { path: 'src/a' }], true],
])('the rule %s selects %j: %s', async (rule, [tool, input], selects) => {
  const isSelected = ruleTest(rule, { files: files as never, home: undefined });
  expect(await isSelected(question(TOOLS[tool] as AnyTool, input, '/proj'))).toBe(selects);
});

it('a rule that selects counts from the folder of the session', async () => {
  const isSelected = ruleTest('Read(/src/**)', { files: files as never, home: undefined });
  const asked = question(TOOLS.Read, { path: 'src/a' }, '/proj/deep');
  expect(await isSelected(asked)).toBe(true);
  expect(await isSelected({ ...asked, root: '/proj' })).toBe(false);
});

it.each<[string, string, boolean, boolean]>([
  ['domain:a.example', 'https://user@a.example/', false, true],
  ['domain:a.example', 'https://:secret@a.example/', false, true],
  ['domain:a.example', 'ftp://a.example/', false, true],
  ['domain:a.example', 'http://a.example/', true, true],
  ['domain:a.example:80', 'http://a.example/', true, true],
  ['domain:a.example:80', 'https://a.example/', false, false],
  ['domain:', 'https://a.example/', false, true],
  ['a.example', 'https://a.example/', false, true],
  ['domain:b.example', 'https://a.example/', false, false],
  ['domain:a b', 'https://a.example/', false, false],
])('%s speaks of %s: allowing %s, denying %s', (specifier, url, allows, denies) => {
  expect([matchesUrl(specifier, url, true), matchesUrl(specifier, url, false)]).toEqual([allows, denies]);
});

describe('the rules of a moment', () => {
  const rulesOf = (permissions: ReturnType<typeof make>) =>
    permissions.rules().map(({ source, behavior, rule }) => `${source} ${behavior} ${rule}`);

  it('a source is replaced whole, with its directories, or not at all', () => {
    const permissions = make({
      rules: { userSettings: { allow: ['A'], deny: ['B'] }, session: { allow: ['C'] } },
      additionalDirectories: ['/a', '/b'],
      directorySources: { '/a': 'userSettings' },
    });
    expect(() => permissions.replaceSource('userSettings', { allow: ['D', 'no rule ('] }, [])).toThrow();
    expect(rulesOf(permissions)).toEqual(['userSettings deny B', 'userSettings allow A', 'session allow C']);
    expect(permissions.directories()).toEqual([
      { path: '/a', source: 'userSettings' },
      { path: '/b', source: 'cliArg' },
    ]);
    permissions.replaceSource('userSettings', { ask: ['D'] }, ['/c']);
    expect(rulesOf(permissions)).toEqual(['userSettings ask D', 'session allow C']);
    expect(permissions.directories()).toEqual([
      { path: '/b', source: 'cliArg' },
      { path: '/c', source: 'userSettings' },
    ]);
  });

  it('rules of a command are removed with it, and no others', () => {
    const permissions = make({ allow: ['A'] });
    const giveBack = permissions.lend(['A', 'B']);
    const other = permissions.lend(['B']);
    expect(rulesOf(permissions)).toEqual([
      'cliArg allow A',
      'command allow A',
      'command allow B',
      'command allow B',
    ]);
    giveBack();
    expect(rulesOf(permissions)).toEqual(['cliArg allow A', 'command allow B']);
    other();
    expect(rulesOf(permissions)).toEqual(['cliArg allow A']);
  });

  it('plan mode remembers the mode before it', () => {
    const permissions = make({ mode: 'acceptEdits' });
    expect(permissions.modeBeforePlan).toBe('default');
    permissions.setMode('default');
    expect(permissions.modeBeforePlan).toBe('default');
    permissions.setMode('acceptEdits');
    permissions.setMode('plan');
    permissions.setMode('plan');
    expect([permissions.mode, permissions.modeBeforePlan]).toEqual(['plan', 'acceptEdits']);
    permissions.setMode('dontAsk');
    expect(permissions.modeBeforePlan).toBe('acceptEdits');
  });

  it('a tool that asks always is allowed by a rule alone; locks and memory count as of now', async () => {
    const skill: Call = ['Skill', { skill: 'a' }];
    const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
    const asksAlways = (tool: string) => tool === 'Skill';
    expect(await kindOf(skill, { ...bypass, asksAlways })).toBe('ask');
    expect(await kindOf(skill, { ...bypass, asksAlways, allow: ['Skill'] })).toBe('allow');
    expect(await kindOf(['Mcp', {}], { ...bypass, asksAlways })).toBe('allow');
    const memory: Call = ['Write', { path: 'CLAUDE.md' }];
    expect(await kindOf(memory, { allow: ['Write'], memoryImportsAnywhere: true })).toBe('ask');
    expect(await kindOf(memory, { allow: ['Write'] })).toBe('allow');
    const permissions = make(bypass);
    const asked = question(TOOLS.Skill, { skill: 'a' }, '/proj');
    expect((await permissions.decide(asked)).kind).toBe('allow');
    permissions.setLocks({ allowedToolsOnly: true });
    expect((await permissions.decide(asked)).kind).toBe('deny');
  });
});
