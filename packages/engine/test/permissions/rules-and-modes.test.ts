import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder, toolNamed } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stricterMode } from '../../src/permissions/decide/stricter-mode.ts';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { PermissionMode } from '../../src/protocol/tools/permission.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');
const inside = join(cwd, 'src/a.ts');
const outside = join(folder.path, 'proj-evil/a.ts');

beforeAll(async () => {
  await mkdir(join(cwd, 'src'), { recursive: true });
  await mkdir(join(cwd, '.git/hooks'), { recursive: true });
  await mkdir(join(folder.path, 'proj-evil'));
  await mkdir(join(folder.path, 'vault'));
  await writeFile(inside, '');
  await writeFile(outside, '');
  await symlink(join(folder.path, 'vault'), join(cwd, 'way-out'));
  await symlink(join(folder.path, 'nowhere'), join(cwd, 'dangling'));
  await symlink(join(cwd, 'loop'), join(cwd, 'loop'));
  await symlink(cwd, join(folder.path, 'proj-link'));
});
afterAll(() => folder.remove());

const make = (options: Partial<PermissionOptions> = {}) =>
  createPermissions({
    files: nodeFiles,
    allowDangerouslySkipPermissions: true,
    hasJudge: true,
    home: join(folder.path, 'home'),
    ...options,
  });

const decide = (options: Partial<PermissionOptions>, tool: AnyTool, input: Record<string, unknown>) =>
  make(options).decide(question(tool, input, cwd));

const kindOf = async (options: Partial<PermissionOptions>, tool: AnyTool, input: Record<string, unknown>) =>
  (await decide(options, tool, input)).kind;

describe('without rules', () => {
  const calls: [string, AnyTool, Record<string, unknown>][] = [
    ['read inside', TOOLS.Read, { path: inside }],
    ['read outside', TOOLS.Read, { path: outside }],
    ['write inside', TOOLS.Edit, { path: inside }],
    ['write outside', TOOLS.Write, { path: outside }],
    ['write a protected file', TOOLS.Write, { path: join(cwd, '.git/hooks/pre-commit') }],
    ['command', TOOLS.Bash, { command: 'npm test' }],
    ['todos', TOOLS.TodoWrite, {}],
    ['mcp', TOOLS.Mcp, {}],
    ['mcp that says it only reads', TOOLS.McpReader, {}],
    ['question to the user', TOOLS.AskUser, {}],
  ];
  const table: Record<PermissionMode, string> = {
    default: 'allow ask ask ask ask ask allow ask ask ask',
    acceptEdits: 'allow ask allow ask ask ask allow ask ask ask',
    plan: 'allow ask ask ask ask deny allow deny ask ask',
    dontAsk: 'allow deny deny deny deny deny allow deny deny deny',
    bypassPermissions: 'allow allow allow allow allow allow allow allow allow ask',
    // What is asked about, a judge is asked first.
    auto: 'allow ask ask ask ask ask allow ask ask ask',
  };
  for (const [mode, kinds] of Object.entries(table) as [PermissionMode, string][]) {
    it.each(calls.map(([name, tool, input], i) => ({ name, tool, input, kind: kinds.split(' ')[i] })))(
      `${mode}: $name → $kind`,
      async ({ tool, input, kind }) => {
        expect(await kindOf({ mode }, tool, input)).toBe(kind);
      },
    );
  }
});

describe('rules × modes', () => {
  const rows: [string, Partial<PermissionOptions>, Record<PermissionMode, string>][] = [
    [
      'deny',
      { deny: ['Bash(git push:*)'] },
      {
        default: 'deny',
        acceptEdits: 'deny',
        plan: 'deny',
        dontAsk: 'deny',
        bypassPermissions: 'deny',
        auto: 'deny',
      },
    ],
    [
      'deny and allow',
      { deny: ['Bash'], allow: ['Bash'] },
      {
        default: 'deny',
        acceptEdits: 'deny',
        plan: 'deny',
        dontAsk: 'deny',
        bypassPermissions: 'deny',
        auto: 'deny',
      },
    ],
    [
      'ask and allow',
      { ask: ['Bash'], allow: ['Bash'] },
      {
        default: 'ask',
        acceptEdits: 'ask',
        plan: 'deny',
        dontAsk: 'deny',
        bypassPermissions: 'allow',
        auto: 'ask',
      },
    ],
    [
      'allow',
      { allow: ['Bash(git push:*)'] },
      {
        default: 'allow',
        acceptEdits: 'allow',
        plan: 'deny',
        dontAsk: 'allow',
        bypassPermissions: 'allow',
        auto: 'allow',
      },
    ],
  ];
  for (const [name, options, kinds] of rows) {
    it.each(Object.entries(kinds))(`${name} in %s → %s`, async (mode, kind) => {
      expect(
        await kindOf({ ...options, mode: mode as PermissionMode }, TOOLS.Bash, {
          command: 'git push origin',
        }),
      ).toBe(kind);
    });
  }

  it('a deny rule of any source beats allow rules of every other', async () => {
    const rules = { projectSettings: { deny: ['Edit(src/**)'] }, userSettings: { allow: ['Edit'] } };
    const verdict = await decide({ rules, allow: ['Edit'], mode: 'bypassPermissions' }, TOOLS.Edit, {
      path: inside,
    });
    expect(verdict).toMatchObject({
      kind: 'deny',
      reasonType: 'rule',
      matched: { source: expect.any(String), value: { toolName: 'Edit', ruleContent: 'src/**' } },
    });
  });
});

describe('specifiers', () => {
  it.each([
    ['Bash(git status)', 'git status', 'allow'],
    ['Bash(git status)', 'git  status', 'allow'],
    ['Bash(git push)', 'git push -f', 'ask'],
    ['Bash(npm run test:*)', 'npm run test', 'allow'],
    ['Bash(npm run test:*)', 'npm run test -- a', 'allow'],
    ['Bash(npm run test:*)', 'npm run tests', 'ask'],
    ['Bash(npm run test *)', 'npm run test a', 'allow'],
    ['Bash(git:*)', 'git status && rm -rf x', 'ask'],
    ['Bash(git:*)', 'git log > /etc/x', 'ask'],
    ['Bash(git:*)', 'git log $(rm y)', 'ask'],
    ['Bash(git:*)', 'GIT_SSH_COMMAND=x git log', 'ask'],
    ['Bash(git commit:*)', 'git commit -m "a; b"', 'allow'],
    ['Bash(ls && rm)', 'ls && rm', 'allow'],
    ['Bash(ls && rm)', 'ls && rm x', 'ask'],
    ['Bash(ls && rm)', 'rm', 'ask'],
    ['Bash(*)', 'a | b', 'allow'],
    ['Bash', 'a | b', 'allow'],
  ])('F85 F86 F87 allow %s, %j → %s', async (rule, command, kind) => {
    expect(await kindOf({ allow: [rule] }, TOOLS.Bash, { command })).toBe(kind);
  });

  it.each([
    'rm y',
    'ls; rm y',
    'ls && /bin/rm y',
    'echo $(rm y)',
    "r''m y",
    'sudo rm y',
    'x\nrm y',
    'echo `rm`',
  ])('F85 deny Bash(rm:*) holds for %j, in bypass too', async (command) => {
    expect(
      await kindOf({ deny: ['Bash(rm:*)'], allow: ['Bash'], mode: 'bypassPermissions' }, TOOLS.Bash, {
        command,
      }),
    ).toBe('deny');
  });

  it('test 76: fifty harmless commands in front change nothing', async () => {
    const command = `${'true; '.repeat(51)}curl evil`;
    expect(await kindOf({ deny: ['Bash(curl:*)'], allow: ['Bash'] }, TOOLS.Bash, { command })).toBe('deny');
  });

  it.each([
    ['Edit(src/**)', 'Edit', 'src/a.ts', 'allow'],
    ['Edit(src/**)', 'Write', 'src/b/new.ts', 'allow'],
    ['Edit(src/**)', 'Edit', 'test/a.ts', 'ask'],
    ['Edit(/src/*.ts)', 'Edit', 'src/a.ts', 'allow'],
    ['Edit(/src/*.ts)', 'Edit', 'src/b/a.ts', 'ask'],
    ['Edit(*.ts)', 'Edit', 'src/b/a.ts', 'allow'],
    ['Edit(src)', 'Edit', 'src/b/a.ts', 'allow'],
    ['Write(src/**)', 'Edit', 'src/a.ts', 'ask'],
    ['Edit(src/**)', 'Edit', 'src/../test/a.ts', 'ask'],
    ['Edit(**)', 'Edit', 'way-out/x', 'ask'],
    ['Edit(way-out/**)', 'Edit', 'way-out/x', 'ask'],
  ])('allow %s, %s of %s → %s', async (rule, tool, path, kind) => {
    expect(await kindOf({ allow: [rule] }, TOOLS[tool as 'Edit' | 'Write'], { path })).toBe(kind);
  });

  it('absolute and home patterns', async () => {
    const file = join(folder.path, 'vault/x');
    expect(await kindOf({ allow: [`Edit(/${folder.path}/vault/**)`] }, TOOLS.Edit, { path: file })).toBe(
      'allow',
    );
    expect(
      await kindOf({ allow: ['Read(~/notes/**)'] }, TOOLS.Read, { path: join(folder.path, 'home/notes/x') }),
    ).toBe('allow');
    expect(
      await kindOf({ allow: ['Read(~/notes/**)'], home: undefined }, TOOLS.Read, {
        path: join(folder.path, 'home/notes/x'),
      }),
    ).toBe('ask');
  });

  it.each([
    ['Read(.env)', 'Read', '.env'],
    ['Read(.env)', 'Read', 'deep/down/.env'],
    ['Read(secrets/**)', 'Grep', 'secrets'],
    ['Read(src/**)', 'Read', 'src/b/../a.ts'],
    ['Read(way-out/**)', 'Read', '../vault/x'],
    ['Read(//**)', 'Read', 'src/a.ts'],
    ['Edit', 'Edit', 'src/a.ts'],
  ])('test 87: deny %s holds for %s of %s by every spelling', async (rule, tool, path) => {
    expect(await kindOf({ deny: [rule], mode: 'bypassPermissions' }, TOOLS[tool as 'Read'], { path })).toBe(
      'deny',
    );
  });

  it('test 87: a deny rule holds for the real path behind a link', async () => {
    const deny = [`Read(/${folder.path}/vault/**)`];
    expect(await kindOf({ deny, mode: 'bypassPermissions' }, TOOLS.Read, { path: 'way-out/x' })).toBe('deny');
  });

  it('test 91: deny folds case where the file system does', async () => {
    expect(await kindOf({ deny: ['Read(.env)'], ignoreCase: true }, TOOLS.Read, { path: '.ENV' })).toBe(
      'deny',
    );
  });

  it.each([
    ['mcp__github__create_issue', 'allow'],
    ['mcp__github', 'allow'],
    ['mcp__github__*', 'allow'],
    ['mcp__git', 'ask'],
    ['mcp__github__create', 'ask'],
    ['mcp__github__create_issue(x)', 'ask'],
  ])('allow %s → %s', async (rule, kind) => {
    expect(await kindOf({ allow: [rule] }, TOOLS.Mcp, {})).toBe(kind);
  });

  it.each([
    ['domain:docs.example.com', 'https://docs.example.com/a', 'allow'],
    ['domain:docs.example.com', 'https://docs.example.com./a', 'allow'],
    ['domain:docs.example.com', 'https://docs.example.com.evil.io/', 'ask'],
    ['domain:docs.example.com', 'https://docs.example.com@evil.io/', 'ask'],
    ['domain:docs.example.com', 'https://evil.io/docs.example.com', 'ask'],
    ['domain:docs.example.com', 'https://docs.example.com:8443/', 'ask'],
    ['domain:example.com', 'https://a.example.com/', 'ask'],
    ['domain:*.example.com', 'https://a.example.com/', 'allow'],
    ['domain:*.example.com', 'https://evilexample.com/', 'ask'],
    ['domain:example.com', 'not a url', 'ask'],
    ['domain:localhost:3000', 'http://localhost:3000/', 'allow'],
    ['domain:localhost:3000', 'http://localhost/', 'ask'],
    ['domain:example.com:443', 'https://example.com/', 'allow'],
    ['domain:[::1]:3000', 'http://[::1]:3000/', 'allow'],
  ])('test 121: allow WebFetch(%s), %s → %s', async (specifier, url, kind) => {
    expect(await kindOf({ allow: [`WebFetch(${specifier})`] }, TOOLS.WebFetch, { url })).toBe(kind);
  });

  it('a prohibition of a domain covers its subdomains', async () => {
    expect(
      await kindOf({ deny: ['WebFetch(domain:evil.io)'], allow: ['WebFetch'] }, TOOLS.WebFetch, {
        url: 'http://a.evil.io:1/',
      }),
    ).toBe('deny');
  });

  it('a specifier that means nothing for the tool never allows and always denies', async () => {
    expect(await kindOf({ allow: ['Agent(x)'] }, { ...TOOLS.Mcp, name: 'Agent' }, {})).toBe('ask');
    expect(await kindOf({ deny: ['Agent(x)'] }, { ...TOOLS.Mcp, name: 'Agent' }, {})).toBe('deny');
  });

  it('aliases count', async () => {
    expect(await kindOf({ deny: ['Task'] }, { ...TOOLS.Mcp, name: 'Agent', aliases: ['Task'] }, {})).toBe(
      'deny',
    );
  });

  it.each(['', 'Bash(', 'two words', 'Bash)x('])('an unreadable rule %j is refused at once', (rule) => {
    expect(() => make({ allow: [rule] })).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

describe('paths', () => {
  it('test 86: /proj-evil is not inside /proj', async () => {
    expect(await decide({}, TOOLS.Read, { path: outside })).toMatchObject({
      kind: 'ask',
      reasonType: 'workingDir',
      suggestions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Read', ruleContent: `/${join(folder.path, 'proj-evil')}/**` }],
          behavior: 'allow',
          destination: 'session',
        },
      ],
    });
  });

  it('F89 a write through an ancestor link to a folder that does not exist is outside', async () => {
    const path = join(cwd, 'way-out/new/deep/file');
    expect(await decide({ mode: 'acceptEdits' }, TOOLS.Write, { path })).toMatchObject({
      kind: 'ask',
      reasonType: 'workingDir',
      blockedPath: join(folder.path, 'vault/new/deep/file'),
    });
  });

  it.each(['dangling', 'dangling/x', 'loop', 'way-out/../x', 'a\0b'])(
    'a path with an unknown end (%j) is asked about',
    async (path) => {
      expect(await decide({ mode: 'acceptEdits', allow: ['Write'] }, TOOLS.Write, { path })).toMatchObject({
        kind: 'ask',
        reasonType: 'safetyCheck',
      });
    },
  );

  it('a working directory reached through a link is the same directory', async () => {
    const permissions = make({ mode: 'acceptEdits' });
    const viaLink = join(folder.path, 'proj-link');
    expect((await permissions.decide(question(TOOLS.Write, { path: inside }, viaLink))).kind).toBe('allow');
    expect(
      (await permissions.decide(question(TOOLS.Write, { path: join(viaLink, 'src/a.ts') }, cwd))).kind,
    ).toBe('allow');
  });

  it('further directories of the question, of options and of updates count; readable ones for reading only', async () => {
    const asked = question(TOOLS.Edit, { path: outside }, cwd);
    const mode = 'acceptEdits';
    expect(
      (await make({ mode }).decide({ ...asked, additionalDirectories: [join(folder.path, 'proj-evil')] }))
        .kind,
    ).toBe('allow');
    expect(
      (await make({ mode, additionalDirectories: [join(folder.path, 'proj-evil')] }).decide(asked)).kind,
    ).toBe('allow');
    const permissions = make({ mode });
    permissions.apply([
      { type: 'addDirectories', directories: [join(folder.path, 'proj-evil')], destination: 'session' },
    ]);
    expect((await permissions.decide(asked)).kind).toBe('allow');
    permissions.apply([
      { type: 'removeDirectories', directories: [join(folder.path, 'proj-evil')], destination: 'session' },
    ]);
    expect((await permissions.decide(asked)).kind).toBe('ask');
    const readable = { mode, readableDirectories: () => [join(folder.path, 'proj-evil')] } as const;
    expect(await kindOf(readable, TOOLS.Read, { path: outside })).toBe('allow');
    expect(await kindOf(readable, TOOLS.Edit, { path: outside })).toBe('ask');
  });

  it.each([
    '.git/hooks/pre-commit',
    '.GIT/Hooks/x',
    '.git/config',
    '.git/config.worktree',
    '.git/modules/a/config',
    '.git/commondir',
    '.claude/settings.json',
    '.Claude/Settings.Local.json',
    '.turnwright/settings.json',
    '.mcp.json',
    '.MCP.JSON',
    '.mcp.json.',
    '.bashrc',
    '.zshrc',
    '.profile',
    '.vscode/tasks.json',
    '.envrc',
    '.npmrc',
    'sub/.mcp.json',
    '.ssh/authorized_keys',
    '.husky/pre-push',
    '.cache/turnwright/v24/a',
    'Library/Caches/turnwright/v24/a',
    'AppData/Local/turnwright/v24/a',
  ])('test 92: a write to %s is asked about whatever the rules', async (path) => {
    const options = { mode: 'acceptEdits', allow: ['Write', 'Edit', 'Write(**)'] } as const;
    expect(await decide(options, TOOLS.Write, { path })).toMatchObject({
      kind: 'ask',
      reasonType: 'safetyCheck',
    });
    expect(await kindOf({ mode: 'bypassPermissions' }, TOOLS.Write, { path })).toBe('allow');
  });

  it.each(['src/config', 'config', 'git/hooks/x', '.github/workflows/ci.yml', 'bashrc'])(
    '%s is not protected',
    async (path) => {
      expect(await kindOf({ mode: 'acceptEdits' }, TOOLS.Write, { path })).toBe('allow');
    },
  );
});

describe('what a verdict carries', () => {
  const suggested = async (tool: AnyTool, input: Record<string, unknown>, mode?: PermissionMode) => {
    const verdict = await decide({ mode }, tool, input);
    return verdict.kind === 'ask' ? verdict.suggestions : undefined;
  };
  const keeps = (...rules: object[]) => ({
    type: 'addRules',
    rules,
    behavior: 'allow',
    destination: 'localSettings',
  });
  const ACCEPT = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  const adds = (...directories: string[]) => ({
    type: 'addDirectories',
    directories,
    destination: 'session',
  });
  const reads = (folder: string) => ({
    type: 'addRules',
    rules: [{ toolName: 'Read', ruleContent: `/${folder}/**` }],
    behavior: 'allow',
    destination: 'session',
  });

  it('suggestions for edits, addresses and MCP tools', async () => {
    expect(await suggested(TOOLS.Edit, { path: inside })).toEqual([ACCEPT]);
    expect(await suggested(TOOLS.Write, { path: outside })).toEqual([
      ACCEPT,
      adds(join(folder.path, 'proj-evil')),
    ]);
    expect(await suggested(TOOLS.Write, { path: outside }, 'acceptEdits')).toEqual([
      adds(join(folder.path, 'proj-evil')),
    ]);
    expect(await suggested(TOOLS.Mcp, {})).toEqual([keeps({ toolName: 'mcp__github__create_issue' })]);
    expect(await suggested(TOOLS.WebFetch, { url: 'https://example.com/a?b' })).toEqual([
      keeps({ toolName: 'WebFetch', ruleContent: 'domain:example.com' }),
    ]);
    expect(await suggested(TOOLS.WebFetch, { url: 'no address' })).toEqual([]);
    expect(await suggested(TOOLS.Read, { path: '/hostname' })).toEqual([]);
    expect(await suggested(TOOLS.Read, { path: 'dangling' })).toEqual([reads(cwd)]);
    expect(await suggested(TOOLS.Grep, { path: join(folder.path, 'vault') })).toEqual([
      reads(join(folder.path, 'vault')),
    ]);
    const skill = toolNamed('Skill', { permissionTarget: () => ({ kind: 'name', name: 'a' }) });
    expect(await suggested(skill, {})).toEqual([keeps({ toolName: 'Skill', ruleContent: 'a' })]);
  });

  it.each([
    ['npm test', 'npm test *'],
    ['npm test -- --watch', 'npm test *'],
    ['npm run build -- x', 'npm run build *'],
    ['git push origin main', 'git push origin main'],
    ['git commit -m "x y"', 'git commit *'],
    ['cargo build --release', 'cargo build *'],
    ['kubectl get pods', 'kubectl get pods *'],
    ['git -C sub push', 'git -C sub push'],
    ['git rebase -x evil main', 'git rebase -x evil main'],
    ['npm exec evil', 'npm exec evil'],
    ['docker run -it x', 'docker run -it x'],
    ['go test ./...', 'go test ./...'],
    ['python3 x.py', 'python3 x.py'],
    ["node -e 'x y'", "node -e 'x y'"],
    ['timeout 5 npm test', 'timeout 5 npm test'],
    ['sudo ls', 'sudo ls'],
    ['make all', 'make all'],
  ])('for %s the rule %s', async (command, ruleContent) => {
    expect(await suggested(TOOLS.Bash, { command })).toEqual([keeps({ toolName: 'Bash', ruleContent })]);
  });

  it('suggestions for commands that touch files name the files, too', async () => {
    const rule = (ruleContent: string) => keeps({ toolName: 'Bash', ruleContent });
    expect(await decide({}, TOOLS.Bash, { command: 'mkdir d' })).toMatchObject({
      suggestions: [rule('mkdir d'), adds(cwd), ACCEPT],
      blockedPath: join(cwd, 'd'),
    });
    expect(await decide({}, TOOLS.Bash, { command: 'cat ../proj-evil/a.ts' })).toMatchObject({
      suggestions: [rule('cat ../proj-evil/a.ts'), reads(join(folder.path, 'proj-evil'))],
      blockedPath: outside,
    });
    expect(await suggested(TOOLS.Bash, { command: 'echo x > out' })).toEqual([adds(cwd), ACCEPT]);
    expect(await suggested(TOOLS.Bash, { command: 'npm test > out' })).toEqual([
      rule('npm test *'),
      adds(cwd),
      ACCEPT,
    ]);
  });

  it.each([
    'chmod +x a.ts',
    'chown me a.ts',
    'sed -i s/x/y/ a.ts',
    'perl -i -pe s/x/y/ a.ts',
    'truncate -s 0 a.ts',
    'find . -delete',
    'tee out',
    'ln -s a.ts l',
    'touch -r a.ts b.ts',
  ])('%s is no plain edit: no folder, no mode and no path beside the rule', async (command) => {
    const verdict = await decide({}, TOOLS.Bash, { command });
    expect(verdict).toMatchObject({
      kind: 'ask',
      suggestions: [keeps({ toolName: 'Bash', ruleContent: command })],
    });
    expect(verdict).not.toHaveProperty('blockedPath');
  });

  it('nothing is suggested where no rule and no mode lifts the question', async () => {
    expect(await suggested(TOOLS.Write, { path: join(cwd, '.git/hooks/x') })).toEqual([]);
    expect(await suggested(TOOLS.Bash, { command: 'touch .git/config' })).toEqual([]);
  });

  it.each([
    ['a && b', ['a', 'b']],
    ['npm test | tee', ['npm test *', 'tee']],
    ['git status && npm run "a b"', ["npm run 'a b'"]],
    ['a && b > out', ['a', 'b']],
    ['ls -la | head -5 && git status --short > x; eval "$HOME"', []],
    ['a && X=1 b', []],
    ['a "$X" && b', []],
    ['a && eval b', []],
  ])('test 80: for %j one rule per command is suggested, or none', async (command, rules) => {
    const verdict = await decide({}, TOOLS.Bash, { command });
    expect(verdict.kind).toBe('ask');
    const updates = verdict.kind === 'ask' ? (verdict.suggestions ?? []) : [];
    expect(
      updates.flatMap((update) =>
        'rules' in update ? update.rules.map(({ ruleContent }) => ruleContent) : [],
      ),
    ).toEqual(rules);
    if (rules.length === 0) return;
    const permissions = make();
    permissions.apply(updates);
    expect((await permissions.decide(question(TOOLS.Bash, { command }, cwd))).kind).toBe('allow');
  });

  it('a suggestion, applied, allows what was asked about and nothing else', async () => {
    const permissions = make();
    const asked = question(TOOLS.Bash, { command: 'npm exec test' }, cwd);
    const verdict = await permissions.decide(asked);
    permissions.apply(verdict.kind === 'ask' ? (verdict.suggestions ?? []) : []);
    expect((await permissions.decide(asked)).kind).toBe('allow');
    expect((await permissions.decide(question(TOOLS.Bash, { command: 'npm exec test x' }, cwd))).kind).toBe(
      'ask',
    );
  });

  it('plan names the way out, and control characters are shown escaped (test 78)', async () => {
    expect(await decide({ mode: 'plan' }, TOOLS.Bash, { command: 'ls \u202e' })).toMatchObject({
      reasonType: 'mode',
      message: expect.stringMatching(/Plan mode.*\\u\{202e\}/),
    });
  });
});

describe('changing modes and rules', () => {
  it('bypass needs its switch, at the start, later and in an update', () => {
    const refused = expect.objectContaining({ code: 'bypass_not_launched' });
    const files = nodeFiles;
    expect(() => createPermissions({ files, mode: 'bypassPermissions' })).toThrow(refused);
    const permissions = createPermissions({ files });
    expect(() => permissions.setMode('bypassPermissions')).toThrow(refused);
    const updates = [
      { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' },
      { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
    ] as const;
    expect(() => permissions.apply(updates)).toThrow(refused);
    expect(permissions.mode).toBe('default');
    expect(permissions.rules()).toEqual([]);
  });

  it('rules are added once, replaced and removed by source', () => {
    const permissions = make({ rules: { userSettings: { allow: ['Read'] } } });
    const rules = (...names: string[]) => names.map((toolName) => ({ toolName }));
    const change = (type: 'addRules' | 'replaceRules' | 'removeRules', ...names: string[]) =>
      permissions.apply([{ type, rules: rules(...names), behavior: 'allow', destination: 'session' }]);
    change('addRules', 'A', 'B');
    change('addRules', 'A');
    expect(permissions.rules().map(({ rule }) => rule)).toEqual(['Read', 'A', 'B']);
    change('replaceRules', 'C', 'D');
    expect(permissions.rules().map(({ rule }) => rule)).toEqual(['Read', 'C', 'D']);
    change('removeRules', 'Read', 'C');
    expect(permissions.rules().map(({ rule }) => rule)).toEqual(['Read', 'D']);
  });
});

describe('the mode of an agent', () => {
  const modes = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions'] as const;
  it.each([
    ['plan', ['plan', 'plan', 'plan', 'plan', 'plan']],
    ['dontAsk', ['dontAsk', 'dontAsk', 'dontAsk', 'dontAsk', 'dontAsk']],
    ['default', ['plan', 'dontAsk', 'default', 'default', 'default']],
    ['acceptEdits', ['plan', 'dontAsk', 'default', 'acceptEdits', 'acceptEdits']],
    ['bypassPermissions', modes],
  ] as const)('in a session of %s is never looser', (session, expected) => {
    expect(modes.map((asked) => stricterMode(session, asked))).toEqual(expected);
    expect(stricterMode(session, undefined)).toBe(session);
  });
});
