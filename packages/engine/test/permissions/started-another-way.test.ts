/** Commands whose words, folders or repositories are not what the rules take for granted. */
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { PermissionQuestion } from '../../src/protocol/tools/gate-ports.ts';

const folder = await tempFolder();
const base = folder.path;
const cwd = join(base, 'proj');
afterAll(() => folder.remove());

/** What makes a folder the repository of git. */
const plantRepository = async (at: string, config = '[core]\n\tbare = false\n') => {
  await mkdir(at, { recursive: true });
  await writeFile(join(at, 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(at, 'config'), config);
};

beforeAll(async () => {
  for (const name of ['pub/deep', 'pub/linked', 'flat', 'other'])
    await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['a.txt', 'pub/a', 'pub/deep/b', 'flat/a', 'other/a'])
    await writeFile(join(cwd, name), 'x');
  await symlink('/etc', join(cwd, 'pub/linked/out'));
  await symlink('/nowhere/at/all', join(cwd, 'lost'));
  await plantRepository(join(cwd, '.git'));
});

type More = Partial<PermissionOptions> & Pick<Partial<PermissionQuestion>, 'root' | 'cwd'>;
const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

async function kindOf(command: string, { root, cwd: at = cwd, ...options }: More = {}) {
  const permissions = createPermissions({ files: nodeFiles, home: '/home/me', ...options });
  const asked = question(TOOLS.Bash, { command }, at, root === undefined ? {} : { root });
  return (await permissions.decide(asked)).kind;
}
const denied = (command: string, deny: string, more: More = {}) =>
  kindOf(command, { ...bypass, deny: [deny], ...more });
const { readDir: _, ...withoutReadDir } = nodeFiles;
const { readRange: __, ...withoutReadRange } = nodeFiles;
const withEntries = (path: string, count: number) => ({
  ...nodeFiles,
  lstat: async (at: string) => (at.endsWith('/absent') ? undefined : nodeFiles.lstat(at)),
  readDir: async (at: string) =>
    at === path ? Array.from({ length: count }, () => 'absent') : nodeFiles.readDir(at),
});

describe('a comparison of folders', () => {
  it.each([
    ['diff -r flat other', 'allow'],
    ['diff -r pub/deep other', 'allow'],
    // A link in a folder of the folder.
    ['diff -r pub other', 'ask'],
    ['cd pub && diff -r linked deep', 'ask'],
    ['diff -r lost other', 'ask'],
    ['diff -r a.txt flat/a', 'allow'],
  ])('%j: %s', async (command, kind) => {
    expect(await kindOf(command)).toBe(kind);
  });

  it('is a question where there is too much to look through, or nothing can be listed', async () => {
    expect(await kindOf('diff -r flat other', { files: withEntries(join(cwd, 'flat'), 5_000) })).toBe(
      'allow',
    );
    expect(await kindOf('diff -r flat other', { files: withEntries(join(cwd, 'flat'), 5_001) })).toBe('ask');
    expect(await kindOf('diff -r flat other', { files: withoutReadDir })).toBe('ask');
  });
});

describe('git', () => {
  const rules = { allow: ['Bash(git status:*)', 'Bash(git:*)'] };

  it('is started unasked where its repository can be read', async () => {
    expect(await kindOf('git status')).toBe('allow');
    expect(await kindOf('git status', { files: withoutReadRange })).toBe('ask');
    expect(await kindOf('git status', { files: withoutReadDir })).toBe('ask');
    expect(await kindOf('git status', { files: withoutReadRange, ...rules })).toBe('allow');
  });

  it.each([
    ['git -C $X status', 'ask'],
    ['git -C flat status', 'allow'],
    ['git -C flat -C deep status', 'ask'],
    ['git -C lost status', 'ask'],
    ['cd $X; git status', 'ask'],
  ])('a rule for it holds in its own repository: %j, %s', async (command, kind) => {
    expect(await kindOf(command, rules)).toBe(kind);
  });

  it('a rule without words holds anywhere', async () => {
    expect(await kindOf('git -C flat -C deep status', { allow: ['Bash'] })).toBe('allow');
  });

  it('a folder that shares what another repository has is none of its own', async () => {
    const common = join(cwd, '.git/commondir');
    await writeFile(common, '../elsewhere\n');
    expect(await kindOf('git status', rules)).toBe('ask');
    await writeFile(common, '.\n');
    expect(await kindOf('git status', rules)).toBe('allow');
    expect(await kindOf('git status', { files: withoutReadRange, ...rules })).toBe('ask');
    await rm(common);
  });

  it('a .git that is a file or a link leads to a repository that names this folder', async () => {
    const tree = join(base, 'tree');
    const own = join(cwd, '.git/worktrees/tree');
    await mkdir(tree, { recursive: true });
    await plantRepository(own);
    await writeFile(join(own, 'commondir'), '../..\n');
    await writeFile(join(own, 'gitdir'), `${join(tree, '.git')}\n`);
    await writeFile(join(tree, '.git'), `gitdir: ${own}\n`);
    expect(await kindOf('git status', { cwd: tree, ...rules })).toBe('allow');
    expect(await kindOf('git status', { cwd: tree, files: withoutReadRange, ...rules })).toBe('ask');
    await writeFile(join(tree, '.git'), `gitdir: ${join(cwd, '.git')}\n`);
    expect(await kindOf('git status', { cwd: tree, ...rules })).toBe('ask');
    await rm(join(tree, '.git'));
    await symlink(join(cwd, '.git'), join(tree, '.git'));
    expect(await kindOf('git status', { cwd: tree, ...rules })).toBe('ask');
    await rm(join(tree, '.git'));
  });

  it('a working directory that leads nowhere has no repository', async () => {
    expect(await kindOf('git status', { cwd: join(cwd, 'lost'), root: cwd, ...rules })).toBe('ask');
  });

  describe('with submodules', () => {
    const modules = join(cwd, '.git/modules');
    const harmful = '[diff]\n\texternal = ./P\n';
    const inModules = async (...repositories: readonly [string, string?][]) => {
      await rm(modules, { recursive: true, force: true });
      for (const [name, config] of repositories) await plantRepository(join(modules, name), config);
      return kindOf('git status');
    };
    afterEach(() => rm(modules, { recursive: true, force: true }));

    it('looks at each, at nested ones too, and at their hooks', async () => {
      expect(await inModules(['a'], ['deep/b'])).toBe('allow');
      expect(await inModules(['a'], ['deep/b', harmful])).toBe('ask');
      expect(await inModules(['a'], ['a/modules/c'])).toBe('allow');
      expect(await inModules(['a'], ['a/modules/c', harmful])).toBe('ask');
      await inModules(['a']);
      await writeFile(join(modules, 'file'), 'x');
      expect(await kindOf('git status')).toBe('allow');
      const hook = join(modules, 'a/hooks/post-index-change');
      await mkdir(join(modules, 'a/hooks'));
      await writeFile(hook, '#!/bin/sh\n');
      await chmod(hook, 0o755);
      expect(await kindOf('git status')).toBe('ask');
    });

    it('is a question with more than fifty of them, or more than two hundred folders', async () => {
      const many = (count: number) => Array.from({ length: count }, (_, at): [string] => [`m${at}`]);
      expect(await inModules(...many(50))).toBe('allow');
      expect(await inModules(...many(51))).toBe('ask');
      await inModules();
      for (let at = 0; at < 200; at++) await mkdir(join(modules, `e${at}`), { recursive: true });
      expect(await kindOf('git status')).toBe('allow');
      await mkdir(join(modules, 'one-more'));
      expect(await kindOf('git status')).toBe('ask');
    });
  });

  it('a configuration that is long is not read', async () => {
    const config = join(cwd, '.git/config');
    await writeFile(config, `[core]\n\tbare = false\n# ${'x'.repeat(200_000)}\n`);
    expect(await kindOf('git status')).toBe('allow');
    await writeFile(config, `[core]\n\tbare = false\n# ${'x'.repeat(300_000)}\n`);
    expect(await kindOf('git status')).toBe('ask');
    await writeFile(config, '[core]\n\tbare = false\n');
  });
});

describe('a denied command among other words', () => {
  it.each([
    ['Bash(git push)', 'git push', 'deny'],
    ['Bash(git push)', 'git -c a=b push', 'deny'],
    ['Bash(git push)', 'git $X', 'ask'],
    ['Bash(git push)', 'git commit', 'allow'],
    ['Bash(git push)', 'git "$@"', 'ask'],
    ['Bash(git push --force)', 'git push --forc', 'deny'],
    ['Bash(git push --force)', 'git push --force=yes', 'deny'],
    ['Bash(git push --force)', 'git push --', 'allow'],
    ['Bash(git push origin)', 'git push ori', 'allow'],
    ['Bash(git * main)', 'git push main', 'deny'],
    ['Bash(git * main)', 'git push other', 'allow'],
    ['Bash(git * main)', 'git push $X', 'ask'],
    ['Bash(git * main)', 'ls $X', 'allow'],
    ['Bash(git * main)', 'bash $X', 'ask'],
    ['Bash(curl | sh)', 'curl a.example | sh', 'ask'],
    ['Bash(curl | sh)', 'curl   | sh', 'deny'],
  ])('%s for %j: %s', async (rule, command, kind) => {
    expect(await denied(command, rule)).toBe(kind);
  });
});

describe('edits of a line', () => {
  const edits = { mode: 'acceptEdits' } as const;
  it.each([
    ['touch pub/new', 'allow'],
    ['touch $X', 'ask'],
    ['cp $X pub/a', 'ask'],
    ['cd $X; touch new', 'ask'],
    ['touch ""', 'ask'],
    ['rm -r flat/..', 'ask'],
    ['rm -r .', 'ask'],
    ['rm lost', 'ask'],
    ['toString a', 'ask'],
    ['mv a.txt .config', 'ask'],
    ['mv a.txt .husky', 'ask'],
    ['cp a.txt pub', 'allow'],
    ['cp -r flat pub', 'allow'],
    ['cp .npmrc pub', 'ask'],
    ['cp pub/.npmrc .', 'ask'],
    ['cp -t pub a.txt', 'ask'],
  ])('%j in mode acceptEdits: %s', async (command, kind) => {
    expect(await kindOf(command, edits)).toBe(kind);
  });

  it.each([
    ['cp x/.npmrc pub', 'ask'],
    ['cp x/.npmrc pub/plain', 'allow'],
    ['cp x/.npmrc a.txt', 'allow'],
    ['cp x/plain pub', 'allow'],
  ])('%j with a rule that allows it: %s', async (command, kind) => {
    expect(await kindOf(command, { allow: ['Bash(cp:*)'] })).toBe(kind);
  });
});

describe('allowed lines', () => {
  it.each([
    [['Bash(echo:*)'], 'ls | xargs echo', 'allow'],
    [['Bash(xargs:*)'], 'ls | xargs echo', 'ask'],
    [['Bash(xargs:*)', 'Bash(echo:*)'], 'ls | xargs echo', 'allow'],
    [['Bash(xargs:*)', 'Bash(grep:*)'], 'ls | xargs grep x', 'allow'],
    [['Bash(xargs:*)', 'Bash(wc:*)'], 'ls | xargs wc', 'allow'],
    [['Bash(id:*)'], 'find . -name a -exec id {} +', 'ask'],
    [['Bash(find:*)', 'Bash(wc:*)'], 'find . -name a -exec wc {} +', 'allow'],
    [['Bash(rm:*)'], 'ls | xargs rm', 'ask'],
    [['Bash(find:*)'], 'find . -name a', 'allow'],
    [['Bash(find:*)'], 'find . -fprint out', 'ask'],
    [['Bash(find:*)'], 'find . -delete', 'ask'],
    [['Bash(find:*)'], 'find . -exec touch {} +', 'ask'],
    [['Bash(find:*)', 'Bash(touch:*)'], 'find . -exec touch {} +', 'ask'],
    [['Bash(npm test)', 'Edit(out)'], 'npm test > out', 'allow'],
    [['Bash(npm test)', 'Edit(other)'], 'npm test > out', 'ask'],
    [['Bash(npm test)', 'Read(//etc/**)'], 'npm test < /etc/passwd', 'allow'],
    [['Bash(npm test)'], 'npm test < /etc/passwd', 'ask'],
    [['Bash(npm test)'], 'npm test < a.txt', 'allow'],
  ])('%j for %j: %s', async (allow, command, kind) => {
    expect(await kindOf(command, { allow })).toBe(kind);
  });
});
