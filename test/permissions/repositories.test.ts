/** Git is started unasked only where the repository is the own one and names no program. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { isHarmlessGitConfig } from '../../src/permissions/commands/own-repository.ts';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import { nodeFiles } from '../../src/util/files/node-files.ts';
import { everyNth } from '../long-form.ts';
import { question, TOOLS, tempFolder } from './ask-doubles.ts';

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

it.each([
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
  expect(isHarmlessGitConfig(text)).toBe(harmless);
});
