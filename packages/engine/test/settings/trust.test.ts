/** What ends trust in a folder, and what does not: each way, with a guard that logs beside itself. */
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isLong } from '@turnwright/test/long-form.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectTrust, trustProject } from '../../src/index.ts';
import { pathsInCommand } from '../../src/settings/trust/covered-files.ts';
import { classifyFile } from '../../src/settings/trust/file-kinds.ts';

let root: string;
let cwd: string;
let env: Record<string, string>;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-trust-')));
  cwd = join(root, 'proj');
  env = { TURNWRIGHT_HOME: join(root, 'home') };
  const hooks = (command: string) => [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }];
  await put('.git/HEAD', 'ref: refs/heads/main\n');
  await put('.gitignore', 'state/\n*.counter\n');
  await put('.claude/settings.json', {
    permissions: { allow: ['Bash(ls:*)'] },
    hooks: {
      PreToolUse: [
        ...hooks('python3 .claude/hooks/guard.py >> .claude/hooks/guard.txt 2>&1'),
        ...hooks('"$CLAUDE_PROJECT_DIR"/scripts/check.py --strict'),
      ],
    },
  });
  await put('.claude/hooks/guard.py', 'from rules import deny\n');
  await put('.claude/hooks/rules.py', 'def deny(): return 2\n');
  await put('.claude/hooks/words.txt', 'rm\n');
  await put('.claude/skills/s/SKILL.md', 'x');
  await put('scripts/check.py', 'import json\nfrom lib.parse import parse\n');
  await put('scripts/lib/parse.py', 'def parse(): pass\n');
  await put('scripts/unrelated.py', 'print(1)\n');
  await trustProject(await projectTrust({ cwd, env }), { cwd, env });
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(file: string, value: unknown, folder = cwd) {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
}
const state = async (folder = cwd) => {
  const { state: is, lapsed } = await projectTrust({ cwd: folder, env });
  return lapsed === undefined ? is : `${is}: ${lapsed}`;
};

describe('a project with a guard that was trusted', () => {
  it.each([
    ['nothing', ''],
    ['a log beside the hook', '.claude/hooks/guard.log'],
    ['a log that was rotated', '.claude/hooks/guard.log.1'],
    ['what a redirection of the command line writes', '.claude/hooks/guard.txt'],
    ['compiled Python', '.claude/hooks/__pycache__/rules.cpython-311.pyc'],
    ['state as JSON', '.claude/hooks/state.json'],
    ['a database', '.claude/hooks/seen.sqlite3'],
    ['a lock', '.claude/hooks/.guard.lock'],
    ['an ignored file of any name', '.claude/hooks/runs.counter'],
    ['an ignored folder', '.claude/hooks/state/last'],
    ['a note in the folder of hooks', '.claude/hooks/README.md'],
    ['a source that nothing loads, beside a script elsewhere', 'scripts/other.py'],
    ['an edit of such a source', 'scripts/unrelated.py'],
    ['an ordinary file', 'src/index.ts'],
  ])('stays trusted in its second, third and hundredth run: %s', async (_, file) => {
    for (let run = 0; run < 3; run += 1) {
      if (file !== '') await put(file, `run ${run}`);
      expect(await state()).toBe('trusted');
    }
  });

  it.each([
    ['the hook is edited', '.claude/hooks/guard.py'],
    ['a file that it imports is edited', '.claude/hooks/rules.py'],
    ['a file that it reads is edited', '.claude/hooks/words.txt'],
    ['a skill is edited', '.claude/skills/s/SKILL.md'],
    ['the script outside the folder is edited', 'scripts/check.py'],
    ['what that script imports is edited', 'scripts/lib/parse.py'],
    ['a source is added', '.claude/hooks/new.py'],
    ['a source is added that the repository ignores', '.claude/hooks/state/json.py'],
    ['a module of the standard library is shadowed', '.claude/hooks/json.py'],
    ['the same as a package', '.claude/hooks/json/__init__.py'],
    ['the same as compiled code', '.claude/hooks/json.pyc'],
    ['the same as a library', '.claude/hooks/json.cpython-311-x86_64-linux-gnu.so'],
    ['the same beside the script outside the folder', 'scripts/json.py'],
    ['the same there as a package', 'scripts/json/__init__.py'],
    ['a file without an ending', '.claude/hooks/rules'],
    ['what Node reads before it starts', '.claude/hooks/package.json'],
    ['a module below node_modules', '.claude/hooks/node_modules/x/index.js'],
    ['a shell’s own file', '.claude/hooks/.bashrc'],
    ['a skill is added', '.claude/skills/t/SKILL.md'],
    ['the settings are edited', '.claude/settings.json'],
    ['local settings come', '.claude/settings.local.json'],
    ['servers come', '.mcp.json'],
  ])('closes when %s, and says what changed', async (_, file) => {
    const allow = { permissions: { allow: ['Bash(curl:*)'] } };
    const servers = { mcpServers: { a: { command: 'npx' } } };
    await put(file, /settings/.test(file) ? allow : file === '.mcp.json' ? servers : 'changed');
    expect(await state()).toMatch(/^changed: The hooks of .* were trusted and do not run any more, as this/);
    const named = /settings|mcp/.test(file) ? 'its settings' : file;
    expect(await state()).toContain(`changed: ${named}`);
    expect(await state()).toContain('turnwright trust agrees to what it now is');
  });

  it.each([
    ['the hook', '.claude/hooks/guard.py'],
    ['a file that it reads', '.claude/hooks/words.txt'],
    ['the script outside the folder', 'scripts/check.py'],
    ['the settings', '.claude/settings.json'],
    ['the whole folder', '.claude'],
  ])('closes when %s is removed', async (_, file) => {
    await rm(join(cwd, file), { recursive: true });
    expect(await state()).toMatch(/^changed: The hooks of/);
  });

  it('closes when a link is retargeted, also to a file outside', async () => {
    await rename(join(cwd, 'scripts/check.py'), join(cwd, 'scripts/check-1.py'));
    await symlink('check-1.py', join(cwd, 'scripts/check.py'));
    expect(await state()).toBe('trusted');
    await writeFile(join(root, 'outside.py'), 'other');
    await rm(join(cwd, 'scripts/check.py'));
    await symlink(join(root, 'outside.py'), join(cwd, 'scripts/check.py'));
    expect(await state()).toMatch(/^changed: .*scripts\/check\.py/);
  });

  it.each([
    ['that is moved', (to: string) => rename(cwd, to)],
    [
      'that is copied, as a worktree is',
      async (to: string) => {
        for (const file of ['.claude/settings.json', '.claude/hooks/guard.py'])
          await put(file, await readFile(join(cwd, file), 'utf8'), to);
        await put('.git', `gitdir: ${cwd}/.git/worktrees/w\n`, to);
      },
    ],
  ])('closes in a folder %s', async (_, make) => {
    const to = join(root, 'elsewhere');
    await make(to);
    expect(await state(to)).toMatch(/^untrusted: .* the same ones are trusted in .*proj, and trust does not/);
  });

  it.runIf(isLong)('closes when there are more files than can be read', async () => {
    for (let i = 0; i < 1000; i += 1) await put(`.claude/hooks/many/${i}.txt`, 'x');
    expect(await state()).toMatch(/^untrusted: .*more files beside its settings than can be read/);
  });

  it('is trusted again by the command, and a link to the folder is the folder', async () => {
    await put('.claude/hooks/guard.py', 'other');
    await trustProject(await projectTrust({ cwd, env }), { cwd, env });
    expect(await state()).toBe('trusted');
    await symlink(cwd, join(root, 'link'));
    expect(await state(join(root, 'link'))).toBe('trusted');
  });

  it('a comment, a restriction and another order of keys change nothing', async () => {
    const text = await readFile(join(cwd, '.claude/settings.json'), 'utf8');
    const { permissions, hooks } = JSON.parse(text);
    await put(
      '.claude/settings.json',
      `// note\n${JSON.stringify({ hooks, statusLine: { command: 'x' }, permissions: { deny: ['Write'], ...permissions } })}`,
    );
    expect(await state()).toBe('trusted');
  });
});

describe('records of earlier versions', () => {
  it('hold by their hash, which covers the files of the folders', async () => {
    const { root: folder, hash } = await projectTrust({ cwd, env });
    const file = join(root, 'home/trusted-folders.json');
    const held = { version: 1, folders: { [folder]: { hash, trustedAt: '2026-01-01T00:00:00.000Z' } } };
    await writeFile(file, JSON.stringify(held));
    expect(await state()).toBe('trusted');
    await put('.claude/hooks/guard.py', 'other');
    expect(await state()).toMatch(/^changed: .*its settings or the files beside them/);
  });
});

describe('a project without a guard', () => {
  it('what it allows is passed over when it changes, and nothing closes', async () => {
    const other = join(root, 'other');
    await put('.claude/settings.json', { permissions: { allow: ['Bash(ls:*)'] } }, other);
    await trustProject(await projectTrust({ cwd: other, env }), { cwd: other, env });
    expect(await state(other)).toBe('trusted');
    await put('.claude/settings.json', { permissions: { allow: ['Bash'] } }, other);
    expect(await state(other)).toBe('changed');
  });

  it('keys of the screen are no question, and are named as not used', async () => {
    const other = join(root, 'other');
    await put('.claude/settings.json', { statusLine: { type: 'command', command: 'date' } }, other);
    expect(await projectTrust({ cwd: other, env })).toMatchObject({
      state: 'nothing',
      items: [],
      unused: ['statusLine'],
    });
  });
});

describe('names and words', () => {
  it.each([
    ['.claude/hooks/a.log', 'residue'],
    ['.claude/hooks/.DS_Store', 'residue'],
    ['.claude/hooks/x/__pycache__/a.cpython-312.pyc', 'residue'],
    ['.claude/hooks/__pycache__/a.py', 'source'],
    ['.claude/hooks/a.pyc', 'source'],
    ['.claude/hooks/config.toml', 'source'],
    ['.claude/hooks/a.json', 'data'],
    ['.claude/hooks/lib.json', 'source'],
    ['.claude/hooks/package.json', 'source'],
    ['.claude/hooks/notes.md', 'data'],
    ['.claude/agents/a.md', 'source'],
    ['.claude/skills/s/data.txt', 'data'],
    ['.claude/hooks/stamp', 'other'],
  ])('%s: %s', (name, kind) => {
    expect(classifyFile(name, new Uint8Array(), new Set(['lib']))).toBe(kind);
    expect(classifyFile(name.replace(/\.(?:md|txt)$/, '.dat'), Buffer.from('#!/bin/sh'), new Set())).toBe(
      kind === 'residue' ? 'residue' : 'source',
    );
  });

  it.each([
    ['./a.sh', ['/p/a.sh']],
    ['"$CLAUDE_PROJECT_DIR"/x/a.sh -v', ['/p/x/a.sh']],
    [`"$\{CLAUDE_PROJECT_DIR:-.}/my hooks/a.sh"`, ['/p/my hooks/a.sh']],
    [`bash -c 'python3 x/a.py && node b.mjs'`, ['/p/x/a.py', '/p/b.mjs']],
    ['cd x; FOO=./b.sh sh ./c.sh > out.log 2>> err.txt', ['/p/b.sh', '/p/c.sh']],
    ['python3 -m tools.guard', ['/p/tools/guard.py', '/p/tools/guard/__init__.py']],
    ['/abs/a.sh', ['/abs/a.sh']],
  ])('%s names %j', (command, paths) => {
    const named = pathsInCommand(command, '/p');
    for (const path of paths) expect(named).toContain(path);
    for (const path of named) expect(path).not.toMatch(/out\.log|err\.txt/);
  });
});
