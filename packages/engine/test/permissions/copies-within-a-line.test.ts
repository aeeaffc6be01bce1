/** What one command of a line copies, moves or links, another one of the same line could read or write under a new name. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['.git', 'src', 'pub/deep', 'secrets/sub', 'locked', 'out'])
    await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['a.txt', 'src/a.ts', 'pub/a.txt', 'secrets/key', 'secrets/sub/x', 'locked/f.txt'])
    await writeFile(join(cwd, name), 'x\n');
  await symlink('../src', join(cwd, 'pub/relative'));
});
afterAll(() => folder.remove());

const kindOf = async (command: string, options: Partial<PermissionOptions>) =>
  (
    await createPermissions({
      files: nodeFiles,
      home: folder.path,
      allowDangerouslySkipPermissions: true,
      ...options,
    }).decide(question(TOOLS.Bash, { command }, cwd))
  ).kind;

async function kindsBeside(command: string, deny: string): Promise<string> {
  const beside = await kindOf(command, { allow: ['Bash'], deny: [deny] });
  expect(await kindOf(command, { mode: 'bypassPermissions', deny: [deny] })).toBe(beside);
  const unasked = await kindOf(command, { mode: 'dontAsk', allow: ['Bash'], deny: [deny] });
  expect(unasked).toBe(beside === 'allow' ? 'allow' : 'deny');
  return beside;
}

describe('reading', () => {
  it.each(
    everyNth(6, [
      'git clone . x; cat x/secrets/key',
      'git clone --bare . x && git -C x log',
      'git clone "$PWD" x; cat x/secrets/key',
      'git clone file://$PWD x; cat x/secrets/key',
      'git worktree add x; cat x/secrets/key',
      'git worktree add ../x HEAD && cat ../x/secrets/key',
      'git --work-tree=x checkout . && cat x/secrets/key',
      'git --work-tree x checkout-index -a && cat x/secrets/key',
      'git -c core.worktree=x checkout HEAD -- .; cat x/secrets/key',
      'git config core.worktree x; git checkout .; cat x/secrets/key',
      'git config core.worktree list; git checkout .; cat list/secrets/key',
      'git mv secrets s; cat s/key',
      'git mv -k secrets/key k; cat k',
      'git stash -u; git show stash@{0}',
      'git subtree split -P secrets -b x',
      'cp -r secrets s && cat s/key',
      'cp -r s* x; cat x/key',
      'cp --ar secrets s; cat s/key',
      'cp -rT secrets s; cat s/key',
      'cp -t out -r secrets; cat out/secrets/key',
      'mv secrets s; cat s/key',
      'mv -t out secrets; cat out/secrets/key',
      'mv pub/relative r; cat r/key',
      'ln -s secrets s; cat s/key',
      'ln -s ../../secrets pub/deep/s; cat pub/deep/s/key',
      'ln -s ../../secrets pub/deep; cat pub/deep/secrets/key',
      'ln -s -t pub/deep ../../secrets; cat pub/deep/secrets/key',
      'mkdir -p n/m; ln -s ../../secrets n/m/s; cat n/m/s/key',
      'ln -s ../../secrets/key pub/deep/k; cat pub/deep/k',
      'ln -s .. pub/up; cat pub/up/secrets/key',
      'tar c secrets | tar x -C out; cat out/secrets/key',
      'tar cf - -C secrets . | tar xf - -C out',
      'bsdtar cf x.tar . && tar xOf x.tar',
      'tar -T list -cf x.tar',
      'find . -name key | zip x.zip -@',
      '7za a x.7z .',
      'rsync -a ./ out/',
      'rsync -a secrets/ out/; cat out/key',
      'ditto . ../x',
      'rclone copy . ../x',
      'mount --bind . out',
      'find secrets | cpio -pd out',
      'install -D secrets/key k; cat k',
      'cd secrets && cp -r . ../s',
      'busybox cp -r . x',
      'docker cp . x:/y',
    ]),
  )('Read of secrets is a match for %j', async (command) => {
    expect(await kindsBeside(command, 'Read(secrets/**)')).not.toBe('allow');
    expect(await kindsBeside(command, 'Read(secrets/key)')).not.toBe('allow');
  });

  it.each(
    everyNth(6, [
      'git clone https://example.com/a/b.git',
      'git clone git@example.com:a/b.git b',
      'git mv src/a.ts src/b.ts',
      'git worktree list',
      'git config user.name x',
      'git -c core.pager=cat log',
      'git -c user.name=x commit -c HEAD',
      'git switch -c x',
      'git commit -m "git mv secrets"',
      'git fetch && git status',
      'cp -r src out',
      'cp -r s?c out',
      'mv src/a.ts src/b.ts',
      'ln -s ../src/a.ts pub/b.ts',
      'tar czf x.tgz src',
      'rsync -a src/ out/',
      'zip -r x.zip src',
      'docker compose up -d',
    ]),
  )('Read(secrets/**) says nothing of %j', async (command) => {
    expect(await kindsBeside(command, 'Read(secrets/**)')).toBe('allow');
  });
});

describe('writing', () => {
  it.each(
    everyNth(6, [
      'git clean -fdx',
      'git clean -fd .',
      'git -C pub/.. clean -fdx',
      'git stash -u',
      'git stash',
      'git stash pop',
      'git checkout .',
      'git checkout -- .',
      'git checkout main -- locked',
      'git checkout HEAD~1 locked/f.txt',
      'git checkout -f other',
      'git checkout -b other main',
      'git switch other',
      'git reset --hard',
      'git reset --hard HEAD~1',
      'git reset --merge',
      'git restore .',
      'git restore -s HEAD~1 :/',
      'git restore "*.txt"',
      'git restore --source=x --staged --worktree .',
      'git merge other',
      'git pull',
      'git rebase main',
      'git revert HEAD',
      'git cherry-pick x',
      'git rm -r locked',
      'git mv locked x',
      'git read-tree -u --reset x',
      'git checkout-index -fa',
      'git sparse-checkout set src',
      'git submodule update --init',
      'git worktree remove .',
      'git apply x.diff',
      'git am x.patch',
      'tar xf x.tar -C .',
      'tar xf x.tar',
      'tar -xf x.tar --directory=.',
      'bsdtar xf x.tar',
      'unzip x.zip',
      'unzip -d locked x.zip',
      'unzip -o x.zip -d .',
      '7z x x.7z',
      'jar xf x.jar',
      'ar x x.a',
      'patch < x.diff',
      'patch -p1 -i x.diff',
      'cpio -id < x.cpio',
      'cp -r pub/. .',
      'cp -r ../other/locked .',
      'cp -rT ../other .',
      'cp -l locked/f.txt x; echo y > x',
      'cp -al locked x; echo y > x/f.txt',
      'cp -s "$PWD/locked/f.txt" x; echo y > x',
      'ln locked/f.txt x; echo y > x',
      'ln -s locked/f.txt x; echo y > x',
      'ln -s ../../locked pub/deep/l; echo y > pub/deep/l/f.txt',
      'mv locked x; echo y > x/f.txt; mv x locked',
      'rsync -a ../other/ .',
      'curl -OJ http://a.example/x',
      'wget -r http://a.example/',
      'mount --bind locked x; echo y > x/f.txt',
      'find . -name "*.txt" -exec truncate -s0 {} +',
    ]),
  )('Edit(locked/**) may hold for %j', async (command) => {
    expect(await kindsBeside(command, 'Edit(locked/**)')).not.toBe('allow');
    expect(await kindsBeside(command, 'Edit(locked/f.txt)')).not.toBe('allow');
  });

  it.each([
    ['locked/**', 'tar cf locked/x.tar a.txt'],
    ['locked/**', 'tar -czflocked/x.tgz a.txt'],
    ['locked/**', 'tar -c --file=locked/x.tar a.txt'],
    ['locked/**', 'tar fc locked/x.tar a.txt'],
    ['locked/**', 'tar -rvf locked/x.tar a.txt'],
    ['locked/**', 'zip locked/x.zip a.txt'],
    ['locked/**', 'curl -O http://a.example/x --output-dir locked'],
    ['locked/**', 'wget -Plocked http://a.example/x'],
    ['locked/**', 'ln -s locked/new x; echo y > x'],
    ['/f.txt', 'curl -O http://a.example/out/f.txt?$x'],
    ['/f.txt', 'cp out/f.txt .'],
    ['/f.txt', 'mv out/f.txt .'],
    ['/f.txt', 'curl -O "http://a.example/out/f.txt?x"'],
    ['/f.txt', 'wget http://a.example/out/f.txt'],
  ])('Edit(%s) holds for the file that %j makes', async (path, command) => {
    expect(await kindsBeside(command, `Edit(${path})`)).not.toBe('allow');
  });

  it.each(
    everyNth(6, [
      'git status',
      'git add -A && git commit -m wip',
      'git checkout -b feature',
      'git switch -c feature',
      'git checkout -- src/a.ts',
      'git restore src/a.ts',
      'git restore --staged .',
      'git reset HEAD~1',
      'git reset --soft HEAD~1',
      'git stash list',
      'git mv src/a.ts src/b.ts',
      'git clean -n',
      'git clean -fd src',
      'git push',
      'git fetch',
      'git tag x',
      'tar xf x.tar -C out',
      'tar cf x.tar locked',
      'tar tf x.tar',
      'unzip -l x.zip',
      'unzip x.zip -d out',
      'cp -r locked out',
      'cp -r src out',
      'mv a.txt src',
      'mv a.txt .',
      'ln -s ../src/a.ts pub/b.ts',
      'curl -O http://a.example/f.tgz',
      'wget http://a.example/f.tgz',
      'rsync -a src/ out/',
    ]),
  )('Edit(/locked/**) says nothing of %j', async (command) => {
    expect(await kindsBeside(command, 'Edit(/locked/**)')).toBe('allow');
  });
});
