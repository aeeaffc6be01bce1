/** Commits where the folder of the repository lies outside of the working folder. */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lacking, runIn } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

let base: string;
let repo: string;

const AS_A = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', [...AS_A, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const COMMIT = `git ${AS_A.join(' ')} commit -qm second && echo committed`;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'turnwright-commits-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  repo = join(base, 'repo');
  mkdirSync(join(repo, 'sub'), { recursive: true });
  git(repo, 'init', '-q');
  writeFileSync(join(repo, 'sub', 'a'), 'a');
  git(repo, 'add', '.');
  git(repo, 'commit', '-qm', 'first');
});

/** Nothing that runs later, there or not, can be written in a git folder. */
const plant = (folder: string) =>
  `for f in hooks/pre-commit config config.worktree commondir info/attributes; do (echo x >> "${folder}/$f") 2>/dev/null && echo "WROTE $f"; done; mv "${folder}/hooks" "${folder}/h" 2>/dev/null && echo MOVED; mv "${folder}" "${folder}2" 2>/dev/null && echo MOVED`;

describe.skipIf(lacking !== undefined)('a commit in the sandbox', () => {
  it('works below the root of a repository, whose hooks, configuration and other files stay closed', async () => {
    const cwd = join(repo, 'sub');
    const before = readFileSync(join(repo, '.git', 'config'), 'utf8');
    expect(await runIn(cwd, `echo b > b; git add b && ${COMMIT}; ${plant('../.git')}`)).toBe('committed\n');
    expect(git(repo, 'log', '--format=%s')).toBe('second\nfirst\n');
    expect(readFileSync(join(repo, '.git', 'config'), 'utf8')).toBe(before);
    expect(existsSync(join(repo, '.git', 'commondir'))).toBe(false);
    await runIn(cwd, 'echo x > ../beside');
    expect(existsSync(join(repo, 'beside'))).toBe(false);
    expect(git(repo, 'status', '--porcelain')).toBe('');
  });

  it('works in a linked working tree', async () => {
    const tree = join(base, 'tree');
    git(repo, 'worktree', 'add', '-q', tree, '-b', 'side');
    const added = `echo b > b; git add b && ${COMMIT}`;
    expect(await runIn(tree, `${added}; ${plant(join(repo, '.git'))}`)).toBe('committed\n');
    expect(git(tree, 'log', '--format=%s')).toBe('second\nfirst\n');
    const own = join(repo, '.git', 'worktrees', 'tree');
    const elsewhere = `for f in commondir gitdir; do (echo /x > ${own}/$f) 2>/dev/null && echo WROTE; done; (echo x > .git) 2>/dev/null && echo WROTE`;
    expect(await runIn(tree, elsewhere)).toBe('');
  });

  it('works in a submodule', async () => {
    git(base, 'clone', '-q', repo, 'library');
    git(
      repo,
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      join(base, 'library'),
      'lib',
    );
    const lib = join(repo, 'lib');
    const folder = join(repo, '.git', 'modules', 'lib');
    expect(await runIn(lib, `echo b > b; git add b && ${COMMIT}; ${plant(folder)}`)).toBe('committed\n');
    await runIn(lib, `echo x > ${repo}/.git/HEAD`);
    expect(readFileSync(join(repo, '.git', 'HEAD'), 'utf8')).toMatch(/^ref: /);
  });

  it('opens no repository that does not name the working tree in turn', async () => {
    const planted = join(base, 'planted');
    mkdirSync(planted);
    writeFileSync(join(planted, '.git'), `gitdir: ${repo}/.git\n`);
    expect(
      await runIn(planted, `echo x > ${repo}/.git/x; git ${AS_A.join(' ')} commit --allow-empty -m x`),
    ).not.toMatch(/\] x/);
    expect(existsSync(join(repo, '.git', 'x'))).toBe(false);
  });

  it.skipIf(process.getuid?.() !== 0)('opens no repository of another user', async () => {
    chownSync(join(repo, '.git'), 65_534, 65_534);
    await runIn(join(repo, 'sub'), 'echo x > ../.git/x');
    expect(existsSync(join(repo, '.git', 'x'))).toBe(false);
  });

  it('opens no repository that the settings close', async () => {
    const deniedWrites = [{ root: '/', segments: join(repo, '.git').split('/').slice(1) }];
    await runIn(join(repo, 'sub'), 'echo x > ../.git/x', { deniedWrites });
    expect(existsSync(join(repo, '.git', 'x'))).toBe(false);
  });

  it('works for two commands at the same time', async () => {
    const cwd = join(repo, 'sub');
    const first = runIn(cwd, 'touch begun; until [ -e go ]; do sleep 0.02; done; rm begun go');
    while (!existsSync(join(cwd, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await runIn(cwd, `echo b > b; git add b && ${COMMIT}; touch go`)).toBe('committed\n');
    await first;
  });
});
