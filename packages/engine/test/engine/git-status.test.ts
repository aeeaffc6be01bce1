/** The engine's own look at a repository: nothing that the repository names runs, and before trust nothing at all. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listWorktrees } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { gitStatus } from '../../src/engine/session/git-status.ts';

let root: string;
let cwd: string;
let program: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-git-test-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  cwd = join(root, 'clone');
  program = join(root, 'program');
  put('program', `#!/bin/sh\necho ran >> ${join(root, 'ran')}\ncat\n`);
  chmodSync(program, 0o755);
  repository(cwd);
});

function put(file: string, text: string) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: root ?? tmpdir() });

function git(folder: string, ...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...who, ...args], { cwd: folder, env: env(), stdio: 'pipe' }).toString();
}

/** One commit, and a file that differs from it without looking different to a stat of its size. */
function repository(folder: string) {
  cpSync(made, folder, { recursive: true });
  writeFileSync(join(folder, 'a.txt'), 'two\n');
}

/** It is made once, by three programs, and copied. */
let made: string;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-git-made-'));
  made = folder;
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'The first');
});
afterAll(() => rmSync(made, { recursive: true, force: true }));

const look = (isTrusted: boolean, more: { folder?: string; env?: Record<string, string> } = {}) =>
  gitStatus(
    { cwd: more.folder ?? cwd, env: { ...env(), ...more.env }, files: nodeFiles, isTrusted },
    new AbortController().signal,
  );
const ran = () => existsSync(join(root, 'ran'));
const configure = (text: string) => appendFileSync(join(cwd, '.git/config'), `\n${text}\n`);

describe('a repository that names programs starts none of them', () => {
  const attributes = (where: string, text: string) => {
    mkdirSync(dirname(join(cwd, where)), { recursive: true });
    writeFileSync(join(cwd, where), `${text}\n`);
  };
  const hostile: Readonly<Record<string, () => void>> = {
    'core.fsmonitor': () => configure(`[core]\nfsmonitor = ${program}`),
    'core.hooksPath': () => {
      for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction'])
        put(`hooks/${hook}`, `#!/bin/sh\necho ran > ${join(root, 'ran')}\n`);
      execFileSync('chmod', ['-R', '+x', join(root, 'hooks')]);
      configure(`[core]\nhooksPath = ${join(root, 'hooks')}`);
    },
    'filter.clean': () => {
      attributes('.gitattributes', '* filter=evil');
      configure(`[filter "evil"]\nclean = ${program}\nrequired = true`);
    },
    'filter.process': () => {
      attributes('.gitattributes', '* filter=evil');
      configure(`[filter "evil"]\nprocess = ${program}\nrequired = true`);
    },
    'a filter in .git/info/attributes': () => {
      attributes('.git/info/attributes', '* filter=evil');
      configure(`[filter "evil"]\nclean = ${program}`);
    },
    'core.attributesFile': () => {
      attributes('attributes', '* filter=evil');
      configure(`[core]\nattributesFile = ${join(cwd, 'attributes')}\n[filter "evil"]\nclean = ${program}`);
    },
    'an included file': () => {
      attributes('.gitattributes', '* filter=evil');
      put('more', `[core]\nfsmonitor = ${program}\n[filter "evil"]\nclean = ${program}\n`);
      configure(
        `[include]\npath = ${join(root, 'more')}\n[includeIf "gitdir:/"]\npath = ${join(root, 'more')}`,
      );
    },
    'config.worktree': () => {
      configure('[extensions]\nworktreeConfig = true\n[core]\nrepositoryformatversion = 1');
      put('clone/.git/config.worktree', `[core]\nfsmonitor = ${program}\n`);
    },
    'a promisor with its own uploadpack': () => {
      configure(
        `[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[remote "origin"]\nurl = ${root}/none\npromisor = true\nuploadpack = ${program}`,
      );
      rmSync(join(cwd, '.git/objects'), { recursive: true });
      mkdirSync(join(cwd, '.git/objects'));
    },
    'a promisor behind ext::': () =>
      configure(
        `[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n[protocol]\nallow = always\n[remote "origin"]\nurl = ext::${program}\npromisor = true`,
      ),
    'signatures, pager, ssh, credentials': () =>
      configure(
        `[log]\nshowSignature = true\n[gpg]\nprogram = ${program}\n[core]\npager = ${program}\nsshCommand = ${program}\neditor = ${program}\nalternateRefsCommand = ${program}\n[pager]\nstatus = ${program}\nlog = ${program}\n[credential]\nhelper = ${program}`,
      ),
    'diff.external and textconv': () => {
      attributes('.gitattributes', '* diff=evil');
      configure(`[diff]\nexternal = ${program}\n[diff "evil"]\ntextconv = ${program}\ncommand = ${program}`);
    },
    aliases: () => configure(`[alias]\nstatus = !${program}\nlog = !${program}`),
    'trace2 to a program': () => configure(`[trace2]\nnormalTarget = ${join(root, 'ran')}`),
    'core.worktree elsewhere': () => configure(`[core]\nworktree = ${root}`),
  };

  it.each(everyNth(2, Object.keys(hostile)))('%s', async (name) => {
    hostile[name]?.();
    await look(false);
    expect(ran()).toBe(false);
    const told = await look(true);
    expect(ran()).toBe(false);
    expect(told).toContain('Branch: main');
  });

  it('what these tests plant does run where git is asked without care', () => {
    hostile['filter.clean']?.();
    git(cwd, 'status');
    expect(ran()).toBe(true);
  });

  it('variables of git are the caller’s own, for another repository', async () => {
    const parameters = { GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${program}'`, GIT_EXTERNAL_DIFF: program };
    expect(await look(true, { env: { ...parameters, GIT_DIR: '/none', GIT_EXEC_PATH: '/none' } })).toContain(
      ' M a.txt',
    );
    expect(ran()).toBe(false);
  });
});

describe('text for the model', () => {
  it('trusted: branch, changes and commits', async () => {
    writeFileSync(join(cwd, 'new.txt'), '');
    writeFileSync(join(cwd, '.git/info/exclude'), 'ignored\n');
    writeFileSync(join(cwd, 'ignored'), '');
    const told = await look(true);
    expect(told).toMatch(
      /^# Git\nThe working copy .*\nBranch: main\nChanges:\n M a\.txt\n\?\? new\.txt\nLast commits:\n[0-9a-f]{7} The first$/,
    );
  });

  it('before trust: the branch and the commit, and no program is looked for', async () => {
    const commit = git(cwd, 'rev-parse', 'HEAD').slice(0, 12);
    const path = join(root, 'bin');
    put('bin/git', `#!/bin/sh\necho ran > ${join(root, 'ran')}\n`);
    chmodSync(join(path, 'git'), 0o755);
    expect(await look(false, { env: { PATH: path } })).toMatch(
      new RegExp(`Branch: main\nCommit: ${commit}$`),
    );
    expect(ran()).toBe(false);
  });

  it.each([
    ['packed refs', () => git(cwd, 'pack-refs', '--all'), 'Branch: main\nChanges:\n M a.txt'],
    ['a detached HEAD', () => git(cwd, 'checkout', '-q', '--detach'), 'Branch: HEAD\nChanges:\n M a.txt'],
    [
      'a branch with a slash',
      () => git(cwd, 'checkout', '-q', '-b', 'a/b'),
      'Branch: a/b\nChanges:\n M a.txt',
    ],
    [
      'a branch without a commit',
      () => git(cwd, 'checkout', '-q', '--orphan', 'x'),
      'Branch: x\nChanges:\nAM a.txt',
    ],
  ])('%s', async (_name, prepare, expected) => {
    prepare();
    expect(await look(true)).toContain(expected);
  });

  it('below the root, in a linked working tree, and in a submodule', async () => {
    mkdirSync(join(cwd, 'src'));
    expect(await look(true, { folder: join(cwd, 'src') })).toContain(' M a.txt');
    git(cwd, 'worktree', 'add', '-q', join(root, 'tree'), '-b', 'side');
    writeFileSync(join(root, 'tree/a.txt'), 'six\n');
    expect(await look(true, { folder: join(root, 'tree') })).toContain('Branch: side\nChanges:\n M a.txt');
    git(cwd, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', cwd, 'sub');
    expect(await look(true, { folder: join(cwd, 'sub') })).toContain('Branch: main\nChanges:\n(none)');
  });

  it('a repository of SHA-256', async () => {
    const folder = join(root, 'new');
    mkdirSync(folder);
    git(folder, 'init', '-q', '--object-format=sha256');
    writeFileSync(join(folder, 'b'), '');
    git(folder, 'add', '.');
    git(folder, 'commit', '-q', '-m', 'Of another kind');
    expect(await look(true, { folder })).toMatch(
      /Changes:\n\(none\)\nLast commits:\n[0-9a-f]+ Of another kind$/,
    );
  });

  it('nothing of a folder without a repository, and no temporary folder is left', async () => {
    expect(await look(true, { folder: root })).toBe('');
  });
});

describe('T106 CVE-2026-40068 a .git that leads to another repository', () => {
  /** The clone's files say that it belongs to `other`; `other` knows nothing of it. */
  const tricks: Readonly<Record<string, (other: string) => void>> = {
    'a gitdir file': (other) => {
      rmSync(join(cwd, '.git'), { recursive: true });
      writeFileSync(join(cwd, '.git'), `gitdir: ${other}/.git\n`);
    },
    'a gitdir file with a commondir of its own': (other) => {
      rmSync(join(cwd, '.git'), { recursive: true });
      put('clone/meta/commondir', `${other}/.git\n`);
      put('clone/meta/gitdir', `${cwd}/.git\n`);
      put('clone/meta/HEAD', 'ref: refs/heads/private\n');
      writeFileSync(join(cwd, '.git'), 'gitdir: meta\n');
    },
    'a commondir in .git': (other) => put('clone/.git/commondir', `${other}/.git\n`),
    'a link': (other) => {
      rmSync(join(cwd, '.git'), { recursive: true });
      execFileSync('ln', ['-s', join(other, '.git'), join(cwd, '.git')]);
    },
    'a link as HEAD': (other) => {
      rmSync(join(cwd, '.git/HEAD'));
      execFileSync('ln', ['-s', join(other, '.git/HEAD'), join(cwd, '.git/HEAD')]);
    },
    'a working tree that is another’s': (other) => put('clone/.git/worktrees/x/gitdir', `${other}/.git\n`),
  };

  it.each(everyNth(2, Object.keys(tricks)))('%s tells nothing of it', async (name) => {
    const other = join(root, 'other');
    repository(other);
    git(other, 'checkout', '-q', '-b', 'private');
    tricks[name]?.(other);
    expect(await look(false)).not.toContain('private');
    expect(await look(true)).not.toContain('private');
    expect(await listWorktrees(nodeFiles, cwd)).not.toContain(other);
  });

  it('trees and repositories that speak of each other share their sessions', async () => {
    const tree = join(root, 'tree');
    git(cwd, 'worktree', 'add', '-q', tree, '-b', 'side');
    expect(await listWorktrees(nodeFiles, cwd)).toEqual([cwd, tree]);
    expect(await listWorktrees(nodeFiles, tree)).toEqual([tree, cwd]);
  });
});
