import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['secrets', 'pub', '.git']) await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['.env', 'secrets/key', 'pub/key', 'a.txt']) await writeFile(join(cwd, name), 'x');
});
afterAll(() => folder.remove());

const kindOf = async (command: string, options: Partial<PermissionOptions>) =>
  (
    await createPermissions({ files: nodeFiles, allowDangerouslySkipPermissions: true, ...options }).decide(
      question(TOOLS.Bash, { command }, cwd),
    )
  ).kind;

describe('links that lie in a folder', () => {
  beforeAll(async () => {
    await mkdir(join(cwd, 'linked'), { recursive: true });
    await symlink('/etc', join(cwd, 'linked', 'out'));
    await symlink('../.git', join(cwd, 'linked', 'lgit'));
  });

  it.each([
    'cp -a linked x && touch x/out/f',
    'cp -r linked x; echo y > x/lgit/config',
    'mv linked y; echo x > y/lgit/config',
    'cp -a linked x | tee x/out/f',
  ])('%j is asked about in acceptEdits', async (command) => {
    expect(await kindOf(command, { mode: 'acceptEdits' })).toBe('ask');
  });

  it.each(['cp -a linked x', 'mkdir -p x && mv a.txt x', 'cp a.txt b.txt && touch c.txt'])(
    '%j is not',
    async (command) => {
      expect(await kindOf(command, { mode: 'acceptEdits' })).toBe('allow');
    },
  );

  it.each(['diff -rN linked pub', 'diff -r pub linked', 'diff -N linked pub'])(
    '%j reads what they lead to',
    async (command) => {
      expect(await kindOf(command, {})).toBe('ask');
    },
  );

  it('files are compared without a question', async () => {
    expect(await kindOf('diff -u a.txt pub/key', {})).toBe('allow');
  });
});

describe('a denied file under another name', () => {
  const options = { deny: ['Read(.env)', 'Read(secrets/key)'], mode: 'bypassPermissions' } as const;

  it.each([
    ...['cat <> .env', 'exec 3<>.env; cat <&3', 'sort -m .env', 'date -f .env', 'xargs -a .env'],
    ...["sed 'r.env' a.txt", "sed '1r.env' a.txt", "sed 's/x/y/;r.env' a.txt", "sed 'rsecrets/key' a.txt"],
    ...['git --no-pager diff', 'git -P show', 'git -c a.b=c grep x', 'git -C secrets diff --no-index a key'],
    ...[
      'git log --patch-with-raw',
      'git log --binary',
      'git reflog -p',
      'git whatchanged -p',
      'git diff-index -p HEAD',
    ],
    ...['git fast-export HEAD', 'git checkout-index -a --prefix=x/', 'git difftool -y -x cat'],
    ...[
      'tar -cf - -Csecrets key',
      'tar c -C secrets key',
      'tar cf - secrets',
      'tar cf - -T -',
      'tar -rf x.tar .',
    ],
    ...['sort --files0-from=-', 'tar cf - --files-from=list', 'gzip -rc .', 'rgrep x', 'grep -d recurse x .'],
    ...['diff -N pub secrets', 'diff pub/key secrets', 'sdiff pub secrets', 'ln -s . d; cat d/secrets/key'],
    ...['env --chd=secrets cat key', 'env --c secrets cat key', 'cat /tmp/../proc/self/cwd/.env'],
    ...['cd secrets; cat ../../../../../../proc/self/cwd/key', 'cat /dev/fd/../cwd/.env'],
    ...['for _ in a.txt; do true .env; cat "$_"; done'],
    ...['for f in a.txt; do select f in .env; do cat "$f"; done <<< 1; done'],
  ])('%j does not read it', async (command) => {
    expect(await kindOf(command, options)).not.toBe('allow');
  });

  it.each([
    ...[
      'git log --oneline --graph --all -5',
      'git --no-pager log -3',
      'git commit -m "about .env"',
      'git reflog',
    ],
    ...[
      'tar xzf x.tgz',
      'tar -xf x.tar -C pub',
      'tar czf x.tgz pub',
      'diff a.txt pub/key',
      'sort -t, -k2 a.txt',
    ],
    ...['rg --files pub', 'sed s/a/b/ a.txt', 'env -u X npm test', 'date -d yesterday', 'ln -s a.txt b'],
  ])('%j has nothing to do with it', async (command) => {
    expect(await kindOf(command, options)).toBe('allow');
  });
});

describe('a denied or not allowed command in another form', () => {
  it.each([
    ...[
      'echo dG91Y2ggTQ== | base64 -d | bash /dev/stdin',
      'cat x | sh /proc/self/fd/0',
      'cat x | sh ../../dev/fd/0',
    ],
    ...[`env --spl='t$\{X}ouch M'`, `env --s="t$\{X}ouch M"`],
  ])('%j is not seen whole', async (command) => {
    expect(await kindOf(command, { deny: ['Bash(touch:*)'], mode: 'bypassPermissions' })).not.toBe('allow');
  });

  it.each([
    `awk -F -v 'BEGIN{system("id")}'`,
    `awk -v 'a=system("id")' 'a=system("id")' a.txt`,
    'xargs --max-lines id echo',
    'xargs --eof id echo',
  ])('%j runs more than the rules allow', async (command) => {
    expect(await kindOf(command, { allow: ['Bash(awk:*)', 'Bash(xargs:*)', 'Bash(echo:*)'] })).toBe('ask');
  });

  it.each(['bash src/dev/build.sh', 'sh ./dev/run'])('%j runs a script of the project', async (command) => {
    expect(await kindOf(command, { deny: ['Bash(touch:*)'], mode: 'bypassPermissions' })).toBe('allow');
  });
});
