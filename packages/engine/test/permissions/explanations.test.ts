/** What a person is told of a question: which saved rules come close, and how far a rule would reach. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import {
  question,
  TOOLS as SIMPLE,
  tempFolder,
  toolNamed,
} from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { AskedQuestion, PermissionQuestion } from '../../src/protocol/tools/gate-ports.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const folder = await tempFolder();
const at = (path: string) => join(folder.path, path);
const cwd = at('proj');
const TOOLS = {
  ...SIMPLE,
  Skill: toolNamed('Skill', { permissionTarget: ({ skill }) => ({ kind: 'name', name: `${skill}` }) }),
  Copy: toolNamed('Write', {
    permissionTarget: ({ from, to }) => ({ kind: 'write', paths: [`${from}`, `${to}`] }),
  }),
};
type Call = readonly [tool: keyof typeof TOOLS, input: Record<string, unknown>];
const bash = (command: string): Call => ['Bash', { command }];

beforeAll(async () => {
  for (const path of ['proj/src', 'proj/.git', 'elsewhere/.git']) await mkdir(at(path), { recursive: true });
  for (const path of ['proj/.git/HEAD', 'elsewhere/.git/HEAD']) await writeFile(at(path), 'ref: x');
  await symlink(at('elsewhere'), at('proj/way-out'));
  await symlink(at('nowhere'), at('proj/dangling'));
});
afterAll(() => folder.remove());

const make = (options: Partial<PermissionOptions>) =>
  createPermissions({ files: nodeFiles, home: at('home'), ...options });

/** Rules of the user settings stand in a file, all others in none. */
const FILES = {
  fileOf: async ({ source }: { source: string }) =>
    source === 'userSettings' ? at('settings.json') : undefined,
  scopes: async () => [{ destination: 'session' } as const],
};

async function explain(
  [tool, input]: Call,
  options: Partial<PermissionOptions> = {},
  more: Partial<PermissionQuestion> = {},
) {
  const permissions = make(options);
  const asked = question(TOOLS[tool] as AnyTool, input, cwd, more);
  const verdict = await permissions.decide(asked);
  if (verdict.kind !== 'ask') throw new Error(`The call is not asked about: ${verdict.kind}`);
  return permissions.explain({ ...asked, ...verdict } as AskedQuestion, FILES);
}

const written = (path: string, more: object = {}) => ({
  path: at(path),
  outside: false,
  protected: false,
  ...more,
});

describe('a call in parts', () => {
  it('of a line: its commands, what they write and where, and what they read outside', async () => {
    const found = await explain(
      bash('timeout 5 tee way-out/a src/b > c; cat ../d ../d src/x; curl https://a.example/b > $OUT | sh'),
      { allow: ['Bash(cat:*)'] },
      { asker: [{ agentId: 'a1', agentType: 'reviewer', description: 'look' }] },
    );
    expect(found).toStrictEqual({
      asker: [{ agentId: 'a1', agentType: 'reviewer', description: 'look' }],
      mode: 'default',
      verdict: 'ask',
      reason: { type: 'safetyCheck', text: expect.stringContaining('known to the shell alone') },
      segments: [
        {
          text: 'timeout 5 tee way-out/a src/b > c',
          depth: 0,
          verdict: 'open',
          rules: [],
          writes: [written('proj/c')],
          writesUnknown: false,
        },
        {
          text: 'tee way-out/a src/b',
          depth: 1,
          startedBy: 'timeout',
          verdict: 'open',
          rules: [],
          writes: [
            written('proj/way-out/a', { real: at('elsewhere/a'), outside: true }),
            written('proj/src/b'),
          ],
          writesUnknown: false,
        },
        {
          text: 'cat ../d ../d src/x',
          depth: 0,
          verdict: 'allowed',
          rules: [{ rule: 'Bash(cat:*)', behavior: 'allow', source: 'cliArg' }],
          writes: [],
          writesUnknown: false,
        },
        {
          text: 'curl https://a.example/b > $OUT',
          depth: 0,
          verdict: 'open',
          rules: [],
          writes: [],
          writesUnknown: true,
          network: ['a.example'],
        },
        { text: 'sh', depth: 0, verdict: 'open', rules: [], writes: [], writesUnknown: false },
      ],
      unseen: 'sh reads its commands from elsewhere',
      writes: [
        written('proj/c'),
        written('proj/way-out/a', { real: at('elsewhere/a'), outside: true }),
        written('proj/src/b'),
      ],
      readsOutside: [written('d', { outside: true })],
      missed: [],
      offers: [],
      scopes: [{ destination: 'session' }],
    });
  });

  it.each([
    ['default', 'pwd; >x; mkdir d; make', ['reads', 'open', 'open', 'open']],
    ['acceptEdits', 'pwd; >x; mkdir d; make', ['reads', 'reads', 'edits', 'open']],
    ['default', 'npm test; npm run x; $X', ['allowed', 'asked', 'feared']],
    ['default', 'rm $X; timeout 5 npm run x; make', ['feared', 'asked', 'asked', 'open']],
  ] as const)('in mode %s, the commands of %j are %j', async (mode, command, verdicts) => {
    const rules = { allow: ['Bash(npm test:*)'], ask: ['Bash(npm run:*)'], deny: ['Bash(rm -rf:*)'] };
    const { segments } = await explain(bash(command), { mode, ...rules });
    expect(segments.map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  it('the rule that asks, or may deny, is named with its file; of two the one of the same source', async () => {
    const rules = { userSettings: { ask: ['Write'], deny: ['Bash(rm:*)'] }, session: { ask: ['Write'] } };
    expect((await explain(['Write', { path: 'x' }], { rules })).reason).toMatchObject({
      type: 'rule',
      rule: { rule: 'Write', behavior: 'ask', source: 'userSettings', file: at('settings.json') },
    });
    expect((await explain(bash('$X y'), { rules })).reason.rule).toMatchObject({
      rule: 'Bash(rm:*)',
      behavior: 'deny',
    });
    expect((await explain(['Write', { path: 'x' }], { ask: ['Edit', 'Write'] })).reason.rule).toEqual({
      rule: 'Write',
      behavior: 'ask',
      source: 'cliArg',
    });
  });

  it('the verdict is that of this moment, and what a hook asks stays asked', async () => {
    const permissions = make({});
    const asked = question(TOOLS.Skill, { skill: 'a' }, cwd);
    permissions.apply([
      { type: 'addRules', rules: [{ toolName: 'Skill' }], behavior: 'allow', destination: 'session' },
    ]);
    const told = { ...asked, message: 'Why.' };
    expect(await permissions.explain(told, FILES)).toMatchObject({
      verdict: 'allow',
      reason: { type: 'other', text: 'Why.' },
      asker: [],
      offers: [],
    });
    expect(
      await permissions.explain({ ...told, reasonType: 'hook', hook: 'PreToolUse:Skill' }, FILES),
    ).toMatchObject({ verdict: 'ask', reason: { type: 'hook', hook: 'PreToolUse:Skill' } });
  });

  it('of a tool that names its files: those it writes, and those it reads outside', async () => {
    const edited = await explain(['Edit', { path: '.mcp.json' }]);
    expect(edited.writes).toEqual([written('proj/.mcp.json', { protected: true })]);
    expect([edited.readsOutside, edited.segments]).toEqual([[], []]);
    const read = await explain(['Read', { path: at('.mcp.json') }]);
    expect(read.readsOutside).toEqual([written('.mcp.json', { outside: true })]);
    expect(read.writes).toEqual([]);
  });
});

describe('a saved rule that comes close', () => {
  const missed = async (call: Call, allow: readonly string[], options: Partial<PermissionOptions> = {}) =>
    (await explain(call, { rules: { userSettings: { allow } }, ...options })).missed.map(
      ({ rule, segment, difference }) => [rule, segment, difference],
    );

  it.each([
    ['/bin/make all', 'make all', 'the program differs: the rule has "/bin/make", the command "make"'],
    ['make a b', 'make $X b', 'argument 1 of the command, "$X", is known to the shell alone'],
    ['make a b', 'make a c', 'argument 2 differs: the rule has "b", the command "c"'],
    ['make a b', 'make a', 'the rule has a further argument, "b"'],
    ['make:*', 'make a $X', 'argument 2 of the command, "$X", is known to the shell alone'],
    ['make', 'A=1 make', '"A=1" sets a variable in front of the program'],
    ['make x', 'make x y z', 'the command has a further argument, "y", and the rule ends before it'],
    ['sort:*', 'sort < /etc/x', 'it does not cover the redirect from "/etc/x"'],
    ['make', 'make > q', 'it does not cover the redirect to "q"'],
    ['make:*', 'make > $X', 'it does not cover the redirect to a file'],
    ['sed -i:*', 'sed -i p f > q', 'it does not cover the redirect to "q"'],
    ['rg a:*', 'rg a --pre b', '"--pre" writes a file or runs a program, so the rule would have to name it'],
    ['git status:*', 'cd ../elsewhere; git status', 'it covers the repository of the working directory only'],
    ['xargs rm x:*', 'xargs rm x', 'it covers the program, not what the program starts or writes here'],
  ])('%s, for %s: %s', async (rule, command, difference) => {
    const segment = command.split('; ').length - 1;
    expect(await missed(bash(command), ['Bash(other)', `Bash(${rule})`])).toEqual([
      [`Bash(${rule})`, segment, difference],
    ]);
  });

  it.each<[string, readonly string[], Call, string | undefined, string?]>([
    [
      'another domain',
      ['WebFetch(domain:b.example)'],
      ['WebFetch', { url: 'https://a.example/x' }],
      'its domain is not that of https://a.example/x',
    ],
    [
      'another name',
      ['Other(x)', 'Skill(deploy)'],
      ['Skill', { skill: 'build' }],
      'it does not name build',
      'Skill(deploy)',
    ],
    [
      'a tool without specifiers',
      ['mcp__github__create_issue(x)'],
      ['Mcp', {}],
      'calls of mcp__github__create_issue have no specifier',
    ],
    [
      'another tool of the server',
      ['mcp__gitlab__x', 'mcp__github__list'],
      ['Mcp', {}],
      'it names another tool of the server, not mcp__github__create_issue',
      'mcp__github__list',
    ],
    ['another server', ['mcp__gitlab__create_issue'], ['Mcp', {}], undefined],
    [
      'another file',
      ['Edit(docs/**)', 'Edit(src/a/**)', 'Edit(src/b/c/**)'],
      ['Write', { path: 'src/c/x.ts' }],
      `it does not cover ${at('proj/src/c/x.ts')}`,
      'Edit(src/a/**)',
    ],
    [
      'behind a link',
      ['Edit(way-out/**)', 'Edit(src/**)'],
      ['Write', { path: 'way-out/.mcp.json' }],
      `it does not cover ${at('elsewhere/.mcp.json')}`,
    ],
    [
      'one of two files',
      ['Edit(src/**)'],
      ['Copy', { from: 'src/a', to: 'lib/b' }],
      `it does not cover ${at('proj/lib/b')}`,
    ],
    [
      'a search, of which rules for Read speak',
      ['Read(src/**)'],
      ['Grep', { path: '/etc' }],
      'it does not cover /etc',
    ],
    ['reading, for a write', ['Read(src/**)'], ['Write', { path: 'lib/x' }], undefined],
    ['writing, for a read', ['Edit(src/**)'], ['Read', { path: '/etc/x' }], undefined],
    ['another tool of the family', ['Write(src/**)'], ['Edit', { path: 'lib/x' }], undefined],
    ['a home that is not known', ['Edit(~/x/**)'], ['Write', { path: 'lib/x' }], undefined],
    ['a file that it covers', ['Edit(**)'], ['Write', { path: '.mcp.json' }], undefined],
    [
      'a link to nowhere',
      ['Edit(src/**)'],
      ['Write', { path: 'dangling' }],
      `it does not cover ${at('proj/dangling')}`,
    ],
    ['several commands', ['Bash(a && b)'], bash('a'), undefined],
    ['another program of the same start', ['Bash(node x)'], bash('nodejs x'), undefined],
  ])('%s', async (_, rules, call, difference, rule = rules[0]) => {
    expect(await missed(call, rules, { home: undefined })).toEqual(
      difference === undefined ? [] : [[rule, call[0] === 'Bash' ? 0 : undefined, difference]],
    );
  });

  it('one for each command that is not covered, the closest; the first of two that are as close', async () => {
    const rules = ['Bash(npm run a)', 'Bash(npm test x)', 'Bash(npm test y)', 'Bash(ls:*)'];
    expect(await missed(bash('cd src; timeout 5 npm test z; ls; npm $X'), rules)).toEqual([
      ['Bash(npm test x)', 2, 'argument 2 differs: the rule has "x", the command "z"'],
      ['Bash(npm run a)', 4, 'argument 1 of the command, "$X", is known to the shell alone'],
    ]);
  });

  it('one that agrees whole is closer than one for the same program elsewhere', async () => {
    const found = await missed(bash('make $X'), ['Bash(/bin/make all)', 'Bash(make:*)']);
    expect(found.map(([rule]) => rule)).toEqual(['Bash(make:*)']);
  });

  it('a rule that managed settings have put out of force says so', async () => {
    const locks = { managedRulesOnly: true };
    const difference = 'it is not in force: managed settings let no other rule allow';
    expect(await missed(bash('make'), ['Bash(make)'], { locks })).toEqual([['Bash(make)', 0, difference]]);
    expect(await missed(['Write', { path: 'x' }], ['Write'], { locks })).toEqual([
      ['Write', undefined, difference],
    ]);
    expect(await missed(['Write', { path: 'x' }], ['Write'], { ask: ['Write'] })).toEqual([]);
  });
});

describe('how far a rule reaches', () => {
  const url: Call = ['WebFetch', { url: 'https://a.example/x' }];
  const write: Call = ['Write', { path: 'src/a' }];
  it.each<[string, Call, object]>([
    ['Bash', bash('make'), { applies: true, caution: 'Bash allows every command' }],
    ['Write', write, { applies: true, caution: 'Write allows every file' }],
    ['WebFetch', url, { applies: true, caution: 'WebFetch allows every address' }],
    ['Skill', ['Skill', { skill: 'a' }], { applies: true }],
    ['Bash', write, { applies: false }],
    ['Write', bash('make'), { applies: false }],
    ['Edit(src/**)', write, { applies: true, matches: at('proj/src/a'), misses: at('proj/other') }],
    ['Edit(lib/**)', write, { applies: false, matches: at('proj/lib/other'), misses: at('proj/other') }],
    ['Edit(src)', write, { applies: true, matches: at('proj/src/a'), misses: at('other') }],
    [
      'Edit(src/b.ts)',
      write,
      { applies: false, matches: at('proj/src/b.ts/other'), misses: at('proj/src/other') },
    ],
    ['Edit(~/x)', write, { applies: false, matches: at('home/x/other'), misses: at('home/other') }],
    ['Read(//**)', ['Read', { path: '/etc/x' }], { applies: true, matches: '/etc/x' }],
    ['Edit(way-out/*)', ['Write', { path: 'way-out/a' }], { applies: false, misses: at('proj/other') }],
    [
      'Edit(src/**)',
      bash('make > src/x'),
      { applies: false, matches: at('proj/src/other'), misses: at('proj/other') },
    ],
    [
      'WebFetch(domain:a.example)',
      url,
      { applies: true, matches: 'https://a.example/x', misses: 'https://other.a.example/' },
    ],
    ['WebFetch(domain:*.example)', url, { applies: true, matches: 'https://a.example/x' }],
    ['WebFetch(domain:b.example)', url, { applies: false, misses: 'https://other.a.example/' }],
    [
      'WebFetch(domain:a.example)',
      ['WebFetch', { url: 'no address' }],
      { applies: false, misses: 'no address' },
    ],
    ['WebFetch(domain:a.example)', bash('make'), { applies: false }],
    ['Skill(a)', ['Skill', { skill: 'a' }], { applies: true, matches: 'a', misses: 'a-other' }],
    ['Skill(b)', ['Skill', { skill: 'a' }], { applies: false }],
    ['mcp__github__create_issue(x)', ['Mcp', {}], { applies: false }],
    ['Bash(make)', bash('make'), { applies: true, matches: 'make', misses: 'make other' }],
    ['Bash(make)', bash('make > x'), { applies: false, matches: 'make', misses: 'make other' }],
    ['Bash(make:*)', bash('make'), { applies: true, matches: 'make other', misses: 'make > other' }],
    [
      'Bash(make all:*)',
      bash('ls && make all x'),
      { applies: true, matches: 'make all x', misses: 'make other' },
    ],
    [
      'Bash(npm test)',
      bash('timeout 5 npm test'),
      { applies: true, matches: 'npm test', misses: 'npm test other' },
    ],
    [
      "Bash(a 'b c' d:*)",
      bash("a 'b c' d"),
      { applies: true, matches: "a 'b c' d other", misses: "a 'b c' other" },
    ],
    [
      'Bash(timeout 5 rm:*)',
      bash('timeout 5 rm x'),
      {
        applies: true,
        matches: 'timeout 5 rm x',
        misses: 'timeout 5 other',
        caution: 'rm deletes or overwrites files',
      },
    ],
    [
      'Bash(find:*)',
      bash('find . -delete'),
      { applies: false, matches: 'find other', misses: 'find > other' },
    ],
    ['Bash(ls src)', bash('ls src'), { applies: true, matches: 'ls src', misses: 'ls src other' }],
    ['Skill(make)', bash('make'), { applies: false }],
    [
      'Edit(src/**)',
      ['Write', { path: 'dangling' }],
      { applies: false, matches: at('proj/src/other'), misses: at('proj/other') },
    ],
    ['Bash(a && b)', bash('a && b'), { applies: false }],
  ])('%s, for %j: %j', async (rule, [tool, input], reach) => {
    expect(await make({}).checkRule(rule, question(TOOLS[tool] as AnyTool, input, cwd))).toStrictEqual({
      ok: true,
      rule,
      ...reach,
    });
  });

  it('with a home that is not known, a rule for it reaches nowhere', async () => {
    expect(
      await make({ home: undefined }).checkRule('Edit(~/x)', question(TOOLS.Write, { path: 'a' }, cwd)),
    ).toEqual({ ok: true, rule: 'Edit(~/x)', applies: false });
  });

  it('what is no rule is refused with a sentence', async () => {
    expect(await make({}).checkRule('two words', question(TOOLS.Write, { path: 'a' }, cwd))).toEqual({
      ok: false,
      problem: expect.stringContaining('"two words" is not a permission rule'),
    });
  });

  it('"always" offers each rule, folder and mode by itself', async () => {
    const suggestions = [
      {
        type: 'addRules',
        rules: [{ toolName: 'Bash', ruleContent: 'make' }, { toolName: 'Bash' }],
        behavior: 'allow',
        destination: 'session',
      },
      { type: 'addDirectories', directories: ['/a', '/b'], destination: 'session' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ] as const;
    const asked = { ...question(TOOLS.Bash, { command: 'make' }, cwd), message: 'Why.', suggestions };
    const [rules, folders, mode] = suggestions;
    expect((await make({}).explain(asked, FILES)).offers).toEqual([
      {
        update: { ...rules, rules: [rules.rules[0]] },
        rule: 'Bash(make)',
        matches: 'make',
        misses: 'make other',
      },
      { update: { ...rules, rules: [rules.rules[1]] }, rule: 'Bash', caution: 'Bash allows every command' },
      { update: { ...folders, directories: ['/a'] } },
      { update: { ...folders, directories: ['/b'] } },
      { update: mode },
    ]);
  });
});
