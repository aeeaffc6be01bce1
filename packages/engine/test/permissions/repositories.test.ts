/** Git is started unasked only where the repository is the own one and names no program. */
import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { gitlinksIn } from '@turnwright/base/files/git-index.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readGitConfig } from '../../src/permissions/commands/git-config.ts';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
let cwd = '';
let count = 0;
afterAll(() => folder.remove());

const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });

beforeEach(async () => {
  cwd = join(folder.path, `repo-${++count}`);
  await mkdir(join(cwd, 'sub'), { recursive: true });
  git('init', '-q');
});

const kindOf = async (command: string, options: Partial<PermissionOptions> = {}, at = cwd) =>
  (await createPermissions({ files: nodeFiles, ...options }).decide(question(TOOLS.Bash, { command }, at)))
    .kind;

const LOOKS = ['git status', 'git diff', 'git log -p', 'git status -s && ls', 'git show HEAD --stat'];

describe('unasked', () => {
  it('in a repository as git makes it, below its root, and in a linked working tree', async () => {
    git('-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-qm', 'x', '--allow-empty');
    git('remote', 'add', 'origin', 'https://a.example/b.git');
    git('config', 'user.name', 'a');
    git('config', 'branch.main.remote', 'origin');
    git('worktree', 'add', '-q', join(cwd, 'tree'));
    for (const command of LOOKS) {
      expect(await kindOf(command)).toBe('allow');
      expect(await kindOf(command, {}, join(cwd, 'sub'))).toBe('allow');
      expect(await kindOf(command, {}, join(cwd, 'tree'))).toBe('allow');
    }
  });

  it.each(
    everyNth(3, [
      ['core.fsmonitor', './P'],
      ['core.hooksPath', '.'],
      ['core.pager', 'P'],
      ['core.sshCommand', 'P'],
      ['core.attributesFile', 'x'],
      ['filter.x.clean', 'P'],
      ['filter.x.process', 'P'],
      ['diff.external', 'P'],
      ['diff.x.textconv', 'P'],
      ['diff.x.command', 'P'],
      ['pager.status', 'P'],
      ['alias.x', '!P'],
      ['include.path', 'x'],
      ['includeIf.gitdir:/.path', 'x'],
      ['gpg.program', 'P'],
      ['credential.helper', 'P'],
      ['remote.origin.uploadpack', 'P'],
      ['remote.origin.promisor', 'true'],
      ['protocol.ext.allow', 'always'],
      ['unknown.key', 'x'],
    ]),
  )('not where its configuration sets %s', async (key, value) => {
    git('config', key, value);
    for (const command of LOOKS) {
      expect(await kindOf(command)).toBe('ask');
      expect(await kindOf(command, { mode: 'plan' })).toBe('deny');
    }
    expect(await kindOf('git status', { allow: ['Bash(git status:*)'] })).toBe('allow');
  });

  it('not with a hook that git status runs, nor with settings of a working tree or submodule', async () => {
    const hook = join(cwd, '.git', 'hooks', 'post-index-change');
    await mkdir(join(cwd, '.git', 'hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\n');
    await chmod(hook, 0o755);
    expect(await kindOf('git status')).toBe('ask');
  });

  it('not with settings of the working tree, or of a submodule', async () => {
    await writeFile(join(cwd, '.git', 'config.worktree'), '[core]\n\tfsmonitor = ./P\n');
    expect(await kindOf('git status')).toBe('ask');
    await writeFile(join(cwd, '.git', 'config.worktree'), '');
    expect(await kindOf('git status')).toBe('allow');
    await mkdir(join(cwd, '.git', 'modules', 'a', 'b'), { recursive: true });
    await writeFile(join(cwd, '.git', 'modules', 'a', 'b', 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(cwd, '.git', 'modules', 'a', 'b', 'config'), '[diff]\n\texternal = ./P\n');
    expect(await kindOf('git status')).toBe('ask');
  });
});

describe('another repository', () => {
  async function plant(at: string): Promise<void> {
    await mkdir(join(at, 'objects'), { recursive: true });
    await mkdir(join(at, 'refs'), { recursive: true });
    await writeFile(join(at, 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(join(at, 'config'), '[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ./P\n');
  }
  const rules = { allow: ['Bash(git status:*)', 'Bash(git:*)', 'Bash(git status)'] };

  it.each([
    'cd evil && git status',
    '(cd "evil"; git status)',
    'cd evil; git -C . status',
    'git -C evil status',
  ])('no rule for git covers %j', async (command) => {
    await plant(join(cwd, 'evil'));
    expect(await kindOf(command, rules)).toBe('ask');
    expect(await kindOf(command, { ...rules, mode: 'dontAsk' })).toBe('deny');
    expect(await kindOf(command, { ...rules, mode: 'acceptEdits' })).toBe('ask');
  });

  it('nor one with an empty .git beside it, nor one that is nested', async () => {
    await plant(join(cwd, 'evil'));
    await mkdir(join(cwd, 'evil', '.git'));
    expect(await kindOf('git status', rules, join(cwd, 'evil'))).toBe('ask');
    expect(await kindOf('git status', {}, join(cwd, 'evil'))).toBe('ask');
    expect(await kindOf('cd evil && git status', rules)).toBe('ask');
    execFileSync('git', ['init', '-q'], { cwd: join(cwd, 'sub') });
    expect(await kindOf('cd sub && git status', rules)).toBe('ask');
  });

  it('a folder of the own one is the own one', async () => {
    expect(await kindOf('cd sub && git status', rules)).toBe('allow');
    expect(await kindOf('git -C sub add .', rules)).toBe('allow');
    expect(await kindOf(`git -C ${cwd} log`, rules)).toBe('allow');
    expect(await kindOf('cd "$x" && git status', rules)).toBe('ask');
  });
});

describe('what git would open beside it', () => {
  const AS = ['-c', 'user.name=a', '-c', 'user.email=b', '-c', 'protocol.file.allow=always'];
  const EVIL = '[core]\n\tfsmonitor = ./P\n';
  const evil = (path: string) => writeFile(join(cwd, path), EVIL, { flag: 'a' });

  /** A repository with a submodule as `git submodule add` makes it, and one within that. */
  const made = lazily(async () => {
    const at = (name: string) => join(folder.path, 'made', name);
    for (const [name, path, inner] of [
      ['inner', '', ''],
      ['outer', 'deep', 'inner'],
      ['whole', 'lib', 'outer'],
    ] as const) {
      await mkdir(at(name), { recursive: true });
      const inMade = (...args: string[]) =>
        execFileSync('git', [...AS, ...args], { cwd: at(name), stdio: 'ignore' });
      inMade('init', '-q');
      if (inner !== '') inMade('submodule', 'add', '-q', at(inner), path);
      inMade('commit', '-qm', 'x', '--allow-empty');
      if (name === 'whole') inMade('submodule', 'update', '-q', '--init', '--recursive');
    }
    return at('whole');
  });
  const withSubmodule = async () => {
    await rm(cwd, { recursive: true });
    await cp(await made(), cwd, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  };

  const FORMS: Readonly<Record<string, () => Promise<void>>> = {
    'its configuration': () => evil('.git/modules/lib/config'),
    'that of one within it': () => evil('.git/modules/lib/modules/deep/config'),
    'settings of its working tree': () => evil('.git/modules/lib/config.worktree'),
    'a folder of its own': async () => {
      await rename(join(cwd, 'lib/.git'), join(cwd, 'lib/.git-was'));
      execFileSync('git', ['init', '-q'], { cwd: join(cwd, 'lib') });
      await evil('lib/.git/config');
    },
    'a file that leads elsewhere': async () => {
      execFileSync('git', ['init', '-q', 'planted'], { cwd });
      await evil('planted/.git/config');
      await writeFile(join(cwd, 'lib/.git'), 'gitdir: ../planted/.git\n');
    },
    'objects and settings of another': () =>
      writeFile(join(cwd, '.git/modules/lib/commondir'), '../../../planted\n'),
    'a link in place of its folder': async () => {
      await rename(join(cwd, '.git/modules/lib'), join(cwd, 'planted'));
      await evil('planted/config');
      await symlink('../../planted', join(cwd, '.git/modules/lib'));
    },
    'a link in place of its working tree': async () => {
      await rename(join(cwd, 'lib'), join(cwd, 'elsewhere'));
      await symlink('elsewhere', join(cwd, 'lib'));
    },
  };

  it('is harmless in submodules as git makes them', async () => {
    await withSubmodule();
    for (const command of LOOKS) expect(await kindOf(command)).toBe('allow');
  });

  it.each(everyNth(4, Object.keys(FORMS)))('is a submodule with %s', async (form) => {
    await withSubmodule();
    await FORMS[form]?.();
    for (const command of ['git status', 'git diff']) expect(await kindOf(command)).toBe('ask');
  });

  it.each(everyNth(3, ['2', '4', 'split', 'cut short', 'no index at all']))(
    'is found in an index of every kind: %s',
    async (kind) => {
      execFileSync('git', ['init', '-q', 'lib'], { cwd });
      execFileSync('git', [...AS, 'commit', '-qm', 'x', '--allow-empty'], { cwd: join(cwd, 'lib') });
      for (const name of ['a', 'aa/b', 'sub/c']) {
        await mkdir(join(cwd, 'aa'), { recursive: true });
        await writeFile(join(cwd, name), name);
      }
      git('add', '-A');
      if (kind === '4') git('update-index', '--index-version', '4');
      if (kind === 'split') git('update-index', '--split-index');
      await evil('lib/.git/config');
      const index = join(cwd, '.git/index');
      const bytes = await readFile(index);
      if (kind === 'cut short') await writeFile(index, bytes.subarray(0, 80));
      if (kind === 'no index at all') await writeFile(index, 'text');
      else if (kind !== 'split' && kind !== 'cut short') expect(gitlinksIn(bytes)).toEqual(['lib']);
      expect(await kindOf('git status')).toBe('ask');
    },
  );

  it.each([
    ['bytes that are no text', 'l\\377'],
    ['a mark of byte order', '\\357\\273\\277l'],
  ])('is found behind a name with %s', async (_, name) => {
    const script = `d=$(printf '${name}'); git init -q "$d" && git -C "$d" -c user.name=a -c user.email=b commit -qm x --allow-empty && git add -A && printf '[core]\\n\\tfsmonitor = ./P\\n' >> "$d/.git/config"`;
    execFileSync('sh', ['-c', script], { cwd, stdio: 'ignore' });
    expect(await kindOf('git status')).toBe('ask');
  });

  it.each(
    everyNth(3, ['objects/pack', 'refs', 'info', 'objects', 'HEAD', 'index', 'packed-refs', 'info/exclude']),
  )('is another repository, by a link in place of %s', async (part) => {
    await writeFile(join(cwd, 'a'), 'a');
    git('add', 'a');
    git(...AS, 'commit', '-qm', 'x');
    git('pack-refs', '--all');
    expect(await kindOf('git log -p')).toBe('allow');
    await rename(join(cwd, '.git', part), join(cwd, 'elsewhere')).catch(() => mkdir(join(cwd, 'elsewhere')));
    await symlink(join(cwd, 'elsewhere'), join(cwd, '.git', part));
    expect(await kindOf('git log -p')).toBe('ask');
  });

  it('is another repository, by alternates; and a file without an end', async () => {
    await writeFile(join(cwd, '.git/objects/info/alternates'), '/elsewhere\n');
    expect(await kindOf('git log -p')).toBe('ask');
    await writeFile(join(cwd, '.git/objects/info/alternates'), '');
    expect(await kindOf('git log -p')).toBe('ask');
  });

  it.each(['.gitignore', '.git/info/exclude'])('would wait for ever at %s', async (name) => {
    await mkdir(join(cwd, '.git/info'), { recursive: true });
    await rename(join(cwd, name), join(cwd, 'was')).catch(() => {});
    execFileSync('mkfifo', [join(cwd, name)]);
    expect(await kindOf('git status')).toBe('ask');
  });
});

it.each([
  ['[core]\n\tworktree = ../../lib\n', true],
  ['[core]\n\tworktree = "/"\n', false],
  ['[core]\n\texcludesFile = ~/x\n', false],
  ['[lfs]\n\trepositoryformatversion = 0\n[lfs "https://a.example/b"]\n\taccess = basic\n', true],
  ['[lfs "extension.foo"]\n\tclean = ./x %f\n', false],
  ['[lfs "customtransfer.a"]\n\tpath = ./x\n', false],
  ['[lfs]\n\tstandalonetransferagent = x\n', false],
  ['[blame]\n\tignoreRevsFile = /etc/passwd\n', false],
  ['[blame]\n\tdate = iso\n', true],
  ['[log]\n\tshowSignature = true\n', false],
  ['[format]\n\tpretty = %GG\n', false],
  ['[pretty]\n\tx = %GG\n', false],
  ['[status]\n\tsubmoduleSummary = true\n', false],
  ['[mailmap]\n\tfile = /etc/passwd\n', false],
  ['[diff]\n\torderFile = /etc/passwd\n', false],
  ['[core]\n\tbare = false\n; x\n# y\n', true],
  ['[core] bare = false\n', true],
  ['[CORE]\n\tBare\n', true],
  ['[remote "a.uploadpack"]\n\turl = x\n', true],
  ['[core]\n\tfsmonitor = true\n', true],
  ['[core]\n\tfsmonitor = ./x\n', false],
  ['[core] fsmonitor = ./x\n', false],
  ['[core]bare=false\n[core]fsmonitor=./x', false],
  ['[core]\n\tbare = fa\\\n\tfsmonitor = x\n', false],
  ['[diff "x"]\n\ttextconv = x\n', false],
  ['[diff.x]\n\ttextconv = x\n', false],
  ['bare = x\n', false],
  ['[core\n\tbare = x\n', false],
])('the configuration %j is harmless: %s', (text, harmless) => {
  expect(readGitConfig(text) !== undefined).toBe(harmless);
});
