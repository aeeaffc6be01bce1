/** What a person or the model reads of a verdict: one sentence for each reason, with all that it is about. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import {
  question,
  TOOLS as SIMPLE,
  tempFolder,
  toolNamed,
} from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { PermissionQuestion } from '../../src/protocol/tools/gate-ports.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const folder = await tempFolder();
const at = (path: string) => join(folder.path, path);
const cwd = at('proj');
const paths = ['a', 'b', 'c', 'd'];
const TOOLS = {
  ...SIMPLE,
  Skill: toolNamed('Skill', { permissionTarget: ({ skill }) => ({ kind: 'name', name: `${skill}` }) }),
  Many: toolNamed('Write', { permissionTarget: () => ({ kind: 'write', paths }) }),
  NoPath: toolNamed('Write', { permissionTarget: () => ({ kind: 'write', paths: [] }) }),
  Broken: toolNamed('Broken', {
    permissionTarget: () => {
      throw new Error('no target');
    },
    isReadOnly: () => {
      throw new Error('no word');
    },
  }),
  Forbidden: toolNamed('mcp__x__a', { policy: { behavior: 'deny', reason: 'The host forbids it.' } }),
  Asked: toolNamed('mcp__x__b', { policy: { behavior: 'ask', reason: 'The host asks.' } }),
  Granted: toolNamed('mcp__x__c', { policy: { behavior: 'allow', reason: 'The host allows it.' } }),
  Looks: toolNamed('Looks', { isReadOnly: () => true }),
};

beforeAll(async () => {
  for (const path of ['proj/src', 'vault']) await mkdir(at(path), { recursive: true });
  await symlink(at('vault'), at('proj/way-out'));
  await symlink(at('nowhere'), at('proj/dangling'));
});
afterAll(() => folder.remove());

type Row = [
  verdict: string,
  tool: keyof typeof TOOLS,
  input: Record<string, unknown>,
  options: Partial<PermissionOptions>,
  sentence: string,
  more?: Partial<PermissionQuestion>,
];
const BYPASS = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;
const bash = (command: string) => ({ command });

it.each<Row>([
  [
    'deny rule',
    'Bash',
    bash('rm x'),
    { deny: ['Bash(rm:*)'] },
    'Bash with the command "rm x" is denied by the rule Bash(rm:*) in the options of this run.',
  ],
  [
    'deny rule',
    'Skill',
    { skill: 'a' },
    { rules: { policySettings: { deny: ['Skill'] } } },
    'Skill of a is denied by the rule Skill in the managed settings.',
  ],
  [
    'deny rule',
    'WebFetch',
    { url: 'https://a.example/' },
    { rules: { userSettings: { deny: ['WebFetch'] } } },
    'WebFetch of https://a.example/ is denied by the rule WebFetch in the user settings.',
  ],
  [
    'deny rule',
    'Mcp',
    {},
    { rules: { projectSettings: { deny: ['mcp__github'] } } },
    'mcp__github__create_issue is denied by the rule mcp__github in the project settings.',
  ],
  [
    'deny rule',
    'Many',
    {},
    { rules: { localSettings: { deny: ['Write'] } } },
    'Write of a, b, c is denied by the rule Write in the local project settings.',
  ],
  [
    'deny rule',
    'NoPath',
    {},
    { rules: { flagSettings: { deny: ['Edit(x)'] } } },
    'Write is denied by the rule Edit(x) in the settings given to this run.',
  ],
  [
    'ask rule',
    'Skill',
    { skill: 'a' },
    { rules: { session: { ask: ['Skill(a)'] } } },
    'Skill of a needs approval: the rule Skill(a) in this session asks for it.',
  ],
  [
    'ask rule',
    'Bash',
    bash('$X'),
    { rules: { command: { deny: ['Bash(rm:*)'] } } },
    'Bash with the command "$X" needs approval: it may be what the rule Bash(rm:*) in a command denies (what it would run cannot be told, because the name of a program is not written out: "$X").',
  ],
  [
    'ask rule',
    'Bash',
    bash('cat *'),
    { deny: ['Read(x)'] },
    'Bash with the command "cat *" needs approval: it may be what the rule Read(x) in the options of this run denies ("*" is a pattern, which cannot be checked before it runs).',
  ],
  ['deny rule', 'Forbidden', {}, { allow: ['mcp__x'], ...BYPASS }, 'The host forbids it.'],
  ['ask safetyCheck', 'Asked', {}, { allow: ['mcp__x'], ...BYPASS }, 'The host asks.'],
  ['allow tool', 'Granted', {}, {}, 'The host allows it.'],
  ['ask tool', 'AskUser', {}, BYPASS, 'AskUserQuestion needs an answer from a person.'],
  [
    'deny mode',
    'Mcp',
    {},
    { mode: 'plan' },
    'Plan mode is on: only what reads may run, and mcp__github__create_issue does more, or may do more. Present the plan first, or have the permission mode changed.',
  ],
  [
    'ask mode',
    'Write',
    { path: 'src/a' },
    { mode: 'plan', allow: ['Write'] },
    'Write of src/a needs approval: plan mode is on, in which nothing is to be changed.',
  ],
  [
    'deny workingDir',
    'Read',
    { path: '/etc/x' },
    { locks: { blockReadsOutside: true }, allow: ['Read'] },
    'Read of /etc/x is denied: /etc/x is outside the working directories, and the settings block that whatever rules and mode say.',
  ],
  [
    'deny workingDir',
    'Bash',
    bash('echo x > ../x'),
    { locks: { blockWritesOutside: true }, ...BYPASS },
    `Bash with the command "echo x > ../x" is denied: ${at('x')} is outside the working directories, and the settings block that whatever rules and mode say.`,
  ],
  [
    'deny workingDir',
    'Bash',
    bash('cat ../x'),
    { locks: { blockReadsOutside: true }, ...BYPASS },
    `Bash with the command "cat ../x" is denied: ${at('x')} is outside the working directories, and the settings block that whatever rules and mode say.`,
  ],
  [
    'allow mode',
    'Read',
    { path: '/etc/x' },
    { locks: { blockWritesOutside: true }, ...BYPASS },
    'The permission mode is bypassPermissions.',
  ],
  [
    'allow mode',
    'Write',
    { path: '../x' },
    { locks: { blockReadsOutside: true }, ...BYPASS },
    'The permission mode is bypassPermissions.',
  ],
  [
    'deny mode',
    'Skill',
    { skill: 'a' },
    { locks: { allowedToolsOnly: true }, ...BYPASS },
    'Skill of a is denied: only what an allow rule names may run here, and none names it.',
  ],
  [
    'allow tool',
    'TodoWrite',
    {},
    { locks: { allowedToolsOnly: true } },
    'It changes nothing outside the session.',
  ],
  [
    'ask tool',
    'AskUser',
    {},
    { locks: { allowedToolsOnly: true } },
    'AskUserQuestion needs an answer from a person.',
  ],
  [
    'allow mode',
    'Bash',
    bash('make'),
    { locks: { allowedToolsOnly: true }, allow: ['Bash(make)'], ...BYPASS },
    'The permission mode is bypassPermissions.',
  ],
  [
    'deny mode',
    'Bash',
    bash('ls'),
    { locks: { allowedToolsOnly: true }, ...BYPASS },
    'Bash with the command "ls" is denied: only what an allow rule names may run here, and none names it.',
  ],
  [
    'allow mode',
    'Skill',
    { skill: 'a' },
    { locks: { allowedToolsOnly: true }, allow: ['Skill'], ...BYPASS },
    'The permission mode is bypassPermissions.',
  ],
  [
    'deny mode',
    'Skill',
    { skill: 'a' },
    { mode: 'dontAsk' },
    'Skill of a needs approval: no rule allows it and the permission mode is dontAsk. The permission mode is dontAsk, so no question was asked and the call is denied.',
  ],
  [
    'ask safetyCheck',
    'Write',
    { path: '.mcp.json' },
    {},
    `Write of .mcp.json needs approval: ${at('proj/.mcp.json')} decides what may run later, and no rule lifts that.`,
  ],
  [
    'ask safetyCheck',
    'Write',
    { path: 'dangling' },
    {},
    `Write of dangling needs approval: where ${at('proj/dangling')} leads cannot be told (a dangling link, a loop or an unusual spelling).`,
  ],
  [
    'ask safetyCheck',
    'Bash',
    bash('echo x > dangling'),
    {},
    `Bash with the command "echo x > dangling" needs approval: where ${at('proj/dangling')} leads cannot be told (a dangling link, a loop or an unusual spelling).`,
  ],
  [
    'ask safetyCheck',
    'Bash',
    bash('echo x > .mcp.json'),
    {},
    `Bash with the command "echo x > .mcp.json" needs approval: ${at('proj/.mcp.json')} decides what may run later, and no rule lifts that.`,
  ],
  [
    'ask safetyCheck',
    'Bash',
    bash('echo x > $X'),
    {},
    'Bash with the command "echo x > $X" needs approval: which file it writes is known to the shell alone.',
  ],
  [
    'ask other',
    'Bash',
    bash('eval x'),
    {},
    'Bash with the command "eval x" needs approval: what it would run cannot be told, because eval changes what a shell does.',
  ],
  [
    'ask workingDir',
    'Read',
    { path: '../x' },
    {},
    `Read of ../x needs approval: ${at('x')} is outside the working directories.`,
  ],
  [
    'ask workingDir',
    'Write',
    { path: 'way-out/x' },
    {},
    `Write of way-out/x needs approval: ${at('proj/way-out/x')} is outside the working directories.`,
  ],
  [
    'ask rule',
    'Write',
    { path: 'way-out/x' },
    { ask: ['Write'] },
    `Write of way-out/x needs approval: the rule Write in the options of this run asks for it. The path leads to ${at('vault/x')}.`,
  ],
  [
    'ask rule',
    'Write',
    { path: 'src/x' },
    { ask: ['Write'] },
    'Write of src/x needs approval: the rule Write in the options of this run asks for it.',
  ],
  [
    'ask other',
    'Broken',
    {},
    {},
    'Broken needs approval: no rule allows it and the permission mode is default.',
  ],
  ['allow tool', 'Looks', {}, {}, 'It changes nothing outside the session.'],
  [
    'ask other',
    'McpReader',
    {},
    {},
    'mcp__github__list needs approval: no rule allows it and the permission mode is default.',
  ],
  ['allow workingDir', 'Read', { path: 'src/x' }, {}, 'It reads inside the working directories.'],
  ['allow workingDir', 'Bash', bash('ls'), {}, 'It only reads inside the working directories.'],
  [
    'allow workingDir',
    'Bash',
    bash('mkdir d'),
    { mode: 'acceptEdits' },
    'It only reads and edits inside the working directories.',
  ],
  ['allow mode', 'Write', { path: 'src/x' }, { mode: 'acceptEdits' }, 'The permission mode is acceptEdits.'],
  [
    'allow rule',
    'Bash',
    bash('npm x; make; ls'),
    { allow: ['Bash(make)', 'Bash(npm:*)'] },
    'Bash(npm:*), Bash(make)',
  ],
  [
    'ask hook',
    'Read',
    { path: 'src/x' },
    {},
    'The hook wants to know.',
    { hookAsks: 'The hook wants to know.' },
  ],
  [
    'deny mode',
    'Read',
    { path: 'src/x' },
    { mode: 'dontAsk' },
    'Why. The permission mode is dontAsk, so no question was asked and the call is denied.',
    { hookAsks: 'Why.' },
  ],
  [
    'ask workingDir',
    'Read',
    { path: '../x' },
    {},
    `Read of ../x needs approval: ${at('x')} is outside the working directories.`,
    { hookAsks: 'Why.' },
  ],
  [
    'allow workingDir',
    'Write',
    { path: '../notes/x' },
    {},
    'It writes into a folder of its own.',
    { ownDirectories: [at('notes')] },
  ],
  [
    'ask other',
    'NoPath',
    {},
    {},
    'Write needs approval: no rule allows it and the permission mode is default.',
    { ownDirectories: [at('notes')] },
  ],
  [
    'allow mode',
    'Write',
    { path: 'src/x' },
    { locks: { allowedToolsOnly: true }, allow: ['Write(src/**)'], mode: 'acceptEdits' },
    'The permission mode is acceptEdits.',
  ],
  [
    'deny mode',
    'Write',
    { path: 'x' },
    { locks: { allowedToolsOnly: true }, allow: ['Write(src/**)'], mode: 'acceptEdits' },
    'Write of x is denied: only what an allow rule names may run here, and none names it.',
  ],
])('%s: %s %j with %j', async (verdict, tool, input, options, sentence, more = {}) => {
  const permissions = createPermissions({ files: nodeFiles, home: at('home'), ...options });
  const said = await permissions.decide(question(TOOLS[tool] as AnyTool, input, cwd, more));
  if (said.kind === 'pending') throw new Error('No rule parks a question.');
  expect([`${said.kind} ${said.reasonType}`, said.kind === 'allow' ? said.reason : said.message]).toEqual([
    verdict,
    sentence,
  ]);
});

it('a long text is cut, and one that would change how it is read is escaped', async () => {
  const said = async (skill: string) => {
    const permissions = createPermissions({ files: nodeFiles, deny: ['Skill'] });
    const verdict = await permissions.decide(question(TOOLS.Skill, { skill }, cwd));
    return verdict.kind === 'deny' ? verdict.message.split(' is denied')[0] : undefined;
  };
  expect(await said('x'.repeat(300))).toBe(`Skill of ${'x'.repeat(300)}`);
  expect(await said('x'.repeat(301))).toBe(`Skill of ${'x'.repeat(300)}…`);
  expect(await said('a\nb\u2028\u200bc')).toBe('Skill of a\\u{a}b\\u{2028}\\u{200b}c');
});

it('a verdict names the rule, the link and the hook that it comes from, and nothing else', async () => {
  const verdict = (tool: AnyTool, input: object, options = {}, more = {}) =>
    createPermissions({ files: nodeFiles, ...options }).decide(question(tool, { ...input }, cwd, more));
  const Read = (toolName: string) => ({ source: 'cliArg', value: { toolName } });
  expect(await verdict(TOOLS.Skill, { skill: 'a' }, { allow: ['Skill'] })).toStrictEqual({
    kind: 'allow',
    reasonType: 'rule',
    reason: 'Skill',
    matched: Read('Skill'),
  });
  expect(await verdict(TOOLS.Skill, { skill: 'a' }, { deny: ['Skill'] })).toMatchObject({
    matched: Read('Skill'),
  });
  expect(await verdict(TOOLS.Forbidden, {})).not.toHaveProperty('matched');
  expect(
    await verdict(TOOLS.Looks, {}, {}, { hookAsks: 'Why.', hookName: 'PreToolUse:Looks' }),
  ).toStrictEqual({
    kind: 'ask',
    reasonType: 'hook',
    message: 'Why.',
    hook: 'PreToolUse:Looks',
  });
  const hooked = await verdict(TOOLS.Read, { path: 'src/x' }, {}, { hookAsks: 'Why.' });
  expect(hooked).toStrictEqual({
    kind: 'ask',
    reasonType: 'hook',
    message: 'Why.',
    judged: [{ spelled: at('proj/src/x'), real: at('proj/src/x') }],
  });
  expect(await verdict(TOOLS.Write, { path: 'way-out/x' })).toMatchObject({ blockedPath: at('vault/x') });
  expect(await verdict(TOOLS.Write, { path: 'src/x' })).not.toHaveProperty('blockedPath');
  expect(await verdict(TOOLS.Bash, { command: 'echo x > way-out/.mcp.json' })).toMatchObject({
    blockedPath: at('vault/.mcp.json'),
    suggestions: [],
  });
  expect(await verdict(TOOLS.Bash, { command: 'rm $X' }, { deny: ['Bash(rm -r:*)'] })).toMatchObject({
    matched: { source: 'cliArg', value: { toolName: 'Bash', ruleContent: 'rm -r:*' } },
    suggestions: [],
  });
});
