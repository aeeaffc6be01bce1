// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
/** Programs that run what they read, spell paths in their own way, or run another one in another folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['src/lib/deep', 'src/other', 'pub/lib/deep', 'secrets'])
    await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['.env', 'a.txt', 'src/a.ts', 'pub/a.txt', 'secrets/key', 'src/lib/deep/key'])
    await writeFile(join(cwd, name), 'x\n');
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

describe('a script that runs what it reads', () => {
  it.each(
    everyNth(3, [
      'echo "rm a.txt" | sed e',
      "echo 'touch x' | sed -n e",
      "sed '1e' a.txt",
      "sed '/x/e' a.txt",
      "sed 's/x/touch y/e' a.txt",
      "sed 's/.*/&/ge' a.txt",
      "sed -e 'p' -e 's/a/b/e' a.txt",
      "sed --expression='s/a/b/e' a.txt",
      'sed "$script" a.txt',
      "gsed '1e' a.txt",
      "awk '{ system($0) }' a.txt",
      "awk '{ print | $1 }' a.txt",
      "awk '{ $1 | getline x; print x }' a.txt",
      `awk '{ print > $2 }' a.txt`,
      `awk '{ while ((getline line < $1) > 0) print line }' a.txt`,
      'awk "$script" a.txt',
      'gawk \'@load "x"\' a.txt',
      "gawk -e '{ system($0) }' a.txt",
      "mawk '{ system($0) }' a.txt",
      "busybox awk '{ system($0) }' a.txt",
      'find . -name x | perl -ne "system $_"',
      'xargs -a list -I{} sh -c {}',
    ]),
  )('%j is asked about beside any rule that denies', async (command) => {
    for (const deny of ['Bash(touch:*)', 'Bash(rm:*)', 'Read(secrets/**)', 'Edit(secrets/**)'])
      expect(await kindsBeside(command, deny)).not.toBe('allow');
  });

  it.each([
    'sed -n 5p a.txt',
    "sed 's/a/b/g' a.txt",
    "sed -i 's/a/b/' a.txt",
    "sed -e 's/a/b/' -e 's/c/d/' a.txt",
    "awk '{print $1}' a.txt",
    "awk -F: '{ if ($1 > 3) print $2 }' a.txt",
    "awk 'NR==1 || /x/' a.txt",
  ])('%j only edits text', async (command) => {
    for (const deny of ['Bash(touch:*)', 'Read(secrets/**)', 'Edit(secrets/**)'])
      expect(await kindsBeside(command, deny)).toBe('allow');
  });
});

describe('a path in an address', () => {
  it.each(
    everyNth(3, [
      'curl file:///$PWD/.env',
      'curl "file://$PWD/.env"',
      'curl file://CWD/.env',
      'curl file://localhost/CWD/.env',
      'curl FILE://CWD/.env',
      'curl file:CWD/.env',
      'curl file://CWD/%2eenv',
      'curl file://CWD/%2Eenv',
      'curl file://CWD/.e%6ev',
      'curl file://CWD/src/../.env',
      'curl file://CWD/src/%2e%2e/.env',
      'curl "file://CWD/{.env,a.txt}"',
      'curl "file://CWD/.e[a-z]v"',
      'curl "file://CWD/.en[v-v]"',
      'curl --url file://CWD/.env',
      'curl --url=file://CWD/%2eenv',
      'curl -K config',
      'curl --config=config',
      'wget --input-file=.env http://a.example',
      'git clone file://CWD x',
    ]),
  )('Read(.env) holds for %j', async (command) => {
    expect(await kindsBeside(command.replaceAll('CWD', cwd), 'Read(.env)')).not.toBe('allow');
  });

  it.each([
    'curl https://a.example/%2eenvx',
    'curl -fsSL "https://a.example/x?a=[1-3]"',
    'curl file://CWD/a.txt',
  ])('Read(.env) says nothing of %j', async (command) => {
    expect(await kindsBeside(command.replaceAll('CWD', cwd), 'Read(.env)')).toBe('allow');
  });
});

describe('another folder', () => {
  it.each(
    everyNth(3, [
      'env -C secrets cat key',
      'env --chdir=secrets cat key',
      'env --chdir secrets cat key',
      'env -iC secrets cat key',
      'unshare --wd secrets cat key',
      'unshare --wd=secrets cat key',
      'unshare -R . cat /secrets/key',
      'unshare --root=. cat /secrets/key',
      'nsenter --wd=secrets cat key',
      'nsenter -t 1 -m cat /x',
      'nsenter -w -t 1 cat key',
      'chroot . cat /secrets/key',
      'chroot secrets cat /key',
      'sudo -D secrets cat key',
      'sudo --chdir=secrets cat key',
      'sudo -R . cat /secrets/key',
      'systemd-run --working-directory=secrets cat key',
      'systemd-run -p WorkingDirectory=secrets cat key',
      'start-stop-daemon -d secrets -S -x /bin/cat -- key',
      'bwrap --bind . /m cat /m/secrets/key',
      'proot -w /secrets cat key',
      'fakechroot chroot . cat /secrets/key',
      'runuser -u x -- sh -c "cd secrets; cat key"',
      'su x -c "cd secrets; cat key"',
      'tar -C secrets -cf - key',
      'git -C secrets diff --no-index /dev/null key',
      'pushd secrets; cat key',
      'find secrets -execdir cat key \\;',
      'tmux new -c secrets cat key',
      'script -c "cat secrets/key"',
      'script -qc "cd secrets; cat k*"',
    ]),
  )('Read(secrets/**) holds for %j', async (command) => {
    expect(await kindsBeside(command, 'Read(secrets/**)')).not.toBe('allow');
    expect(await kindsBeside(command, 'Read(secrets/key)')).not.toBe('allow');
  });

  it.each([
    ['cd src && rm -r lib', 'Edit(src/lib/deep/key)'],
    ['cd src && rm -r ./lib', 'Edit(src/lib/deep/key)'],
    ['cd src; cp -r lib /tmp/x', 'Read(src/lib/deep/key)'],
    ['cd src/lib && rm -r ../lib', 'Edit(src/lib/deep/key)'],
    ['cd "$x" && grep -r word', 'Read(secrets/key)'],
    ['cd "$x" && rm -r *', 'Edit(secrets/key)'],
  ])('what lies below a folder is found from where the line has gone: %j, %s', async (command, deny) => {
    expect(await kindsBeside(command, deny)).not.toBe('allow');
  });

  it.each([
    ['cd src && rm -r other', 'Edit(src/lib/deep/key)'],
    ['cd pub && rm -r lib', 'Edit(src/lib/deep/key)'],
    ['cd pub; cp -r lib /tmp/x', 'Read(src/lib/deep/key)'],
  ])('and nowhere else: %j, %s', async (command, deny) => {
    expect(await kindsBeside(command, deny)).toBe('allow');
  });

  it.each([
    'env -C pub cat a.txt',
    'unshare -r ls',
    'nice -n 5 cat a.txt',
    'env FOO=1 npm test',
    'timeout 5 npm test',
  ])('Read(secrets/key) says nothing of %j', async (command) => {
    expect(await kindsBeside(command, 'Read(secrets/key)')).toBe('allow');
  });
});
