/** Working copies of folders, with real git. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOneFile } from '@turnwright/test/one-file.ts';
import { describe, expect, it } from 'vitest';
import { findLeftCopies, sweepUnfinishedCopies } from '../src/working-copies/left-copies.ts';
import { makeWorkingCopy, type WorkingCopyRequest } from '../src/working-copies/make-working-copy.ts';

const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  // As in a hook of another repository.
  GIT_DIR: '/elsewhere/.git',
};

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd,
    encoding: 'utf8',
  });

async function place() {
  const root = realpathSync(await mkdtemp(join(tmpdir(), 'turnwright-copies-')));
  const folder = join(root, 'app');
  mkdirSync(folder);
  const parent = join(root, 'app.copies');
  const put = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const make = (more: Partial<WorkingCopyRequest> = {}) =>
    makeWorkingCopy({ folder, parent, name: 'a', env, ...more });
  return { root, folder, parent, put, make };
}

/** A repository with a commit, a change of each kind, and ignored files. */
async function repository() {
  const here = await place();
  const { folder, put } = here;
  git(folder, 'init', '-q', '-b', 'main');
  put('.gitignore', 'node_modules/\n.env\n');
  put('src/a.txt', 'one\ntwo\n');
  put('src/gone.txt', 'gone\n');
  put('tool.sh', '#!/bin/sh\n');
  execFileSync('chmod', ['+x', join(folder, 'tool.sh')]);
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  put('src/a.txt', 'one\nTWO\n');
  execFileSync('rm', [join(folder, 'src/gone.txt')]);
  put('src/new file.txt', 'new\n');
  put('staged.txt', 'staged\n');
  git(folder, 'add', 'staged.txt');
  put('node_modules/dep/index.js', 'dep');
  put('.env', 'KEY=1');
  return here;
}

const text = (...path: string[]) => readFileSync(join(...path), 'utf8');

describe('of a repository', () => {
  it('has the uncommitted state and the ignored files, and is compared with its beginning', async () => {
    const { folder, make } = await repository();
    const before = git(folder, 'status', '--porcelain');
    const objects = git(folder, 'count-objects');
    const copy = await make();
    expect(copy.kind).toBe('worktree');
    expect(text(copy.path, 'src/a.txt')).toBe('one\nTWO\n');
    expect(existsSync(join(copy.path, 'src/gone.txt'))).toBe(false);
    expect(text(copy.path, 'src/new file.txt')).toBe('new\n');
    expect(text(copy.path, 'node_modules/dep/index.js')).toBe('dep');
    expect(text(copy.path, '.env')).toBe('KEY=1');
    expect(git(copy.path, 'rev-parse', 'HEAD')).toBe(git(folder, 'rev-parse', 'HEAD'));
    expect(await copy.compare()).toEqual({ text: '', files: [], insertions: 0, deletions: 0 });

    writeFileSync(join(copy.path, 'src/a.txt'), 'one\nTWO\nthree\n');
    writeFileSync(join(copy.path, 'added.bin'), Buffer.from([0, 1, 2]));
    execFileSync('mv', [join(copy.path, 'staged.txt'), join(copy.path, 'moved.txt')]);
    const { text: diff, files, insertions, deletions } = await copy.compare();
    expect(files).toEqual([
      { path: 'added.bin', status: 'added' },
      { path: 'moved.txt', status: 'renamed', from: 'staged.txt', insertions: 0, deletions: 0 },
      { path: 'src/a.txt', status: 'changed', insertions: 1, deletions: 0 },
    ]);
    expect([insertions, deletions]).toEqual([1, 0]);
    expect(diff).toContain('+three');

    // The folder and its repository are as they were, but for the name of the copy.
    expect(git(folder, 'status', '--porcelain')).toBe(before);
    expect(git(folder, 'count-objects')).toBe(objects);
    expect(await copy.removeUnlessUsed()).toEqual({ removed: false, why: '3 files were changed' });
    await copy.discard();
    expect(existsSync(copy.container)).toBe(false);
    expect(git(folder, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it('is removed only when neither files, ignored files nor commits changed', async () => {
    const { make } = await repository();
    const copy = await make();
    writeFileSync(join(copy.path, 'node_modules/dep/index.js'), 'built');
    expect((await copy.removeUnlessUsed()).why).toBe('files that git ignores were changed');
    const second = await make({ name: 'b' });
    git(second.path, 'commit', '-q', '--allow-empty', '-m', 'work');
    expect((await second.removeUnlessUsed()).why).toBe('a commit was made');
    const third = await make({ name: 'c' });
    expect(await third.removeUnlessUsed()).toEqual({ removed: true });
  });

  it('takes a folder in it, a commit, and a copy as its original', async () => {
    const { folder, make } = await repository();
    const sub = await make({ folder: join(folder, 'src') });
    expect(readdirSync(sub.path).sort()).toEqual(['a.txt', 'new file.txt']);
    const old = await make({ name: 'b', commit: 'HEAD' });
    expect(text(old.path, 'src/a.txt')).toBe('one\ntwo\n');
    expect(existsSync(join(old.path, 'node_modules'))).toBe(false);
    const again = await make({ name: 'c', folder: sub.path });
    await sub.discard();
    expect(text(again.path, 'a.txt')).toBe('one\nTWO\n');
    expect((await again.compare()).files).toEqual([]);
    expect(await again.removeUnlessUsed()).toEqual({ removed: true });
  });

  it('gets files put in by the names of the original, and those are its beginning', async () => {
    const { root, folder, make } = await repository();
    const copy = await make();
    symlinkSync(root, join(copy.path, 'out'));
    const left = await copy.putFiles([
      { path: join(folder, 'src/a.txt'), content: 'then\n' },
      { path: 'deep/er/b.txt', content: Buffer.from('b'), mode: 0o755 },
      { path: 'staged.txt', content: null },
      { path: join(root, 'other.txt'), content: 'x' },
      { path: 'out/x.txt', content: 'x' },
      { path: 'src', content: 'x' },
    ]);
    expect(left.map(({ why }) => why)).toEqual([
      'it lies outside of the folder',
      'a link leads out of the copy there',
      'there is a folder of that name',
    ]);
    expect(existsSync(join(root, 'x.txt'))).toBe(false);
    await copy.markBeginning();
    expect(text(copy.path, 'src/a.txt')).toBe('then\n');
    expect(text(folder, 'src/a.txt')).toBe('one\nTWO\n');
    expect((await copy.compare()).files).toEqual([]);
  });

  it('runs neither hooks nor filters of the repository', async () => {
    const { root, folder, put, make } = await repository();
    const evil = `touch ${join(root, 'ran')}; cat`;
    git(folder, 'config', 'filter.evil.smudge', evil);
    git(folder, 'config', 'filter.evil.clean', evil);
    git(folder, 'config', 'filter.evil.required', 'true');
    git(folder, 'config', 'core.fsmonitor', `touch ${join(root, 'ran')}`);
    put('.git/hooks/post-checkout', `#!/bin/sh\ntouch ${join(root, 'ran')}\n`);
    execFileSync('chmod', ['+x', join(folder, '.git/hooks/post-checkout')]);
    put('.gitattributes', '*.txt filter=evil\n');
    const copy = await make();
    await copy.compare();
    expect(text(copy.path, 'src/a.txt')).toBe('one\nTWO\n');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });
});

describe('of a folder without a repository', () => {
  it('copies the files, and compares without packages', async () => {
    const { put, make } = await place();
    put('a.txt', 'a\n');
    put('node_modules/dep/index.js', 'dep');
    const copy = await make();
    expect(copy.kind).toBe('copy');
    expect(text(copy.path, 'node_modules/dep/index.js')).toBe('dep');
    writeFileSync(join(copy.path, 'a.txt'), 'b\n');
    expect((await copy.compare()).files).toEqual([
      { path: 'a.txt', status: 'changed', insertions: 1, deletions: 1 },
    ]);
    writeFileSync(join(copy.path, 'a.txt'), 'a\n');
    expect(await copy.removeUnlessUsed()).toEqual({ removed: true });
  });

  it('refuses what is too large, and leaves out packages that are', async () => {
    const { put, make } = await place();
    put('a.txt', 'a'.repeat(100));
    put('node_modules/dep/index.js', 'd'.repeat(3000));
    await expect(make({ maxBytes: 50 })).rejects.toThrow(/holds more than 0 MB.*Put it under git/);
    const copy = await make({ maxBytes: 2000 });
    expect(copy.notes).toEqual([expect.stringContaining('node_modules/ was not copied')]);
    expect(existsSync(join(copy.path, 'node_modules'))).toBe(false);
  });
});

describe('what is refused', () => {
  it('a name twice, a bad name, a place inside, a missing folder, no git', async () => {
    const { root, folder, parent, make } = await repository();
    await make();
    await expect(make()).rejects.toThrow(`There is ${join(parent, 'a')} already.`);
    await expect(make({ name: '../x' })).rejects.toThrow('cannot name a working copy');
    await expect(make({ parent: join(folder, 'in'), name: 'b' })).rejects.toThrow(
      'Name a folder outside of it',
    );
    await expect(make({ folder: join(root, 'none'), name: 'b' })).rejects.toThrow('does not exist');
    await expect(make({ name: 'b', env: { PATH: '/nonexistent' } })).rejects.toThrow('git was not found');
    await expect(make({ name: 'b', commit: 'nope' })).rejects.toThrow('git rev-parse failed');
    expect(readdirSync(parent)).toEqual(['a']);
  });
});

describe('a process that is killed', () => {
  it('leaves nothing that passes for a copy; what it finished is named', async () => {
    const { root, folder, parent, make } = await repository();
    for (let at = 0; at < 400; at += 1) writeFileSync(join(folder, `f${at}.txt`), `${at}`);
    const bundle = join(root, 'make-working-copy.mjs');
    writeOneFile(
      fileURLToPath(new URL('../src/working-copies/make-working-copy.ts', import.meta.url)),
      bundle,
    );
    const program = `
      const { makeWorkingCopy } = await import(${JSON.stringify(bundle)});
      const request = ${JSON.stringify({ folder, parent, env })};
      await makeWorkingCopy({ ...request, name: 'whole' });
      console.log('made');
      await makeWorkingCopy({ ...request, name: 'half' });
      console.log('late');`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Killed as soon as git has begun to fill the second one.
    const ended = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), ended]);
    while (!existsSync(join(parent, 'half', 'files')) && child.exitCode === null)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    const left = await findLeftCopies(parent);
    expect(left.map(({ container, folder: of, finished }) => ({ container, of, finished }))).toEqual([
      { container: join(parent, 'half'), of: folder, finished: false },
      { container: join(parent, 'whole'), of: folder, finished: true },
    ]);
    expect((await sweepUnfinishedCopies(parent, env)).map(({ container }) => container)).toEqual([
      join(parent, 'whole'),
    ]);
    expect(readdirSync(parent)).toEqual(['whole']);
    expect((await make({ name: 'half' })).kind).toBe('worktree');
  });
});
