/** Which commands run without a question and without a rule, and which never do. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import { readsBySight } from '../../src/shell/programs/readers/reads-by-sight.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['.git', '.claude', 'sub', 'secret']) await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['a.txt', 'b.txt', 'secret/key']) await writeFile(join(cwd, name), 'x\n');
  await symlink('/etc', join(cwd, 'way-out'));
});
afterAll(() => folder.remove());

const verdictOf = (command: string, options: Partial<PermissionOptions> = {}) =>
  createPermissions({ files: nodeFiles, ...options }).decide(question(TOOLS.Bash, { command }, cwd));
const kindOf = async (command: string, options?: Partial<PermissionOptions>) =>
  (await verdictOf(command, options)).kind;

/** `beside`: also seen at once to be safe beside other calls. */
const READS: readonly (readonly [command: string, beside: boolean])[] = [
  ['date', true],
  ['date -u +%Y', true],
  ['date -d yesterday +%s', true],
  ['whoami', true],
  ['which -a node npm', true],
  ['stat -c %s a.txt', true],
  ['diff -u a.txt b.txt', true],
  ['diff -r sub secret', true],
  ['du -sh .', true],
  ['du -d 1', true],
  ['tree -L 2 sub', true],
  ['ps', true],
  ['ps aux', true],
  ['ps -ef', true],
  ['uname -a', true],
  ['printf "%s" x', true],
  ['basename a/b .x', true],
  ['jq . a.txt', true],
  ['jq -r .x a.txt', true],
  ['sort -u -k 1 a.txt', true],
  ['sort -rnk2,2 a.txt', true],
  ['cat a.txt | sort | uniq -c | sort -rn | head -5', true],
  ['uniq a.txt', true],
  ['test -f a.txt && echo yes', true],
  ['[ -d sub ] && echo yes', false],
  ['xargs echo < a.txt', false],
  ['cat a.txt | xargs -n 1 echo', true],
  ['sleep 0.1', true],
  ['git branch -vv', true],
  ["git branch --list 'f*'", true],
  ['git show HEAD --stat', true],
  ['git log --pretty=format:"%h %s" -5', true],
  ["git log --format='%C(auto)%h %an <%ae> %ad%n%x09%b%+d' -3", true],
  ['git log --pretty=oneline', true],
  ['strings -n8 a.txt', true],
  ['git rev-parse --show-toplevel', true],
  ['git stash list', true],
  ['node --version', true],
  ['python3 --version', true],
  ['echo $HOME', false],
  ['echo "$PWD" is here', false],
  ['cut -d, -f1 a.txt', true],
  ['tr a b < a.txt', false],
  ['ls sub 2>/dev/null', true],
  ['cd sub && ls', false],
  ["grep 'a; b | c' a.txt", true],
  ['git -C sub show', true],
  ['cd sub && git show', false],
  ['echo $(date)', false],
  ['echo ${HOME}', false],
  ['awk 1 a.txt', true],
];

describe('commands that only read', () => {
  it.each(READS)('%s', async (command, beside) => {
    expect(await kindOf(command)).toBe('allow');
    expect(await kindOf(command, { mode: 'plan' })).toBe('allow');
    expect(await kindOf(command, { mode: 'dontAsk' })).toBe('allow');
    expect(readsBySight(command)).toBe(beside);
  });
});

describe('commands that look alike and do more, or may', () => {
  it.each([
    'date -s 12:00',
    'date --set=12:00',
    'date 010100002026',
    'date "2026-01-01 00:00"',
    'date -f a.txt',
    'sort -o a.txt a.txt',
    'sort -uoa.txt a.txt',
    'sort --output=x a.txt',
    'sort --outp x a.txt',
    'sort --compress-program=sh a.txt',
    'sort -T /tmp a.txt',
    'uniq a.txt out.txt',
    'uniq -c a.txt out.txt',
    'find . -exec uniq {} +',
    'xargs rm < a.txt',
    'xargs cat < a.txt',
    'xargs -I{} sh -c {}',
    'xargs -a a.txt rm',
    'xargs < a.txt',
    'git branch new',
    'git branch -v new',
    'git branch -D x',
    'git branch -m x',
    'git branch --edit-description',
    'git tag v1',
    'git stash',
    'git stash drop',
    'git remote add x y',
    'git show --output=x HEAD',
    'git show --ext-diff HEAD',
    "git log '--format=%GG'",
    "git log '--format=%+GG'",
    "git log '--format=%-GG'",
    "git log '--format=% G?'",
    "git log '--pretty=format:%h %GS'",
    "git log '--format=%(trailers:key=x)'",
    'git log --format=own',
    'git log --pretty=own',
    'strings @a.txt',
    'strings a.txt @b.txt',
    'git -c core.pager=x show',
    'node',
    'node --version x.js',
    'node --version -e 1',
    'echo 1 | node',
    'python3',
    'python3 --version -c 1',
    './node --version',
    'env',
    'printenv',
    'set',
    'ps e',
    'ps auxe',
    'ps -auxe',
    'ps -p 1 -o env',
    'printf -v PATH x',
    "printf '%n' 'a[$(id)]'",
    "printf '%s%-5n' x a",
    'jq -n env',
    "jq -n '$ENV.X'",
    `jq 'import "x" as y; .' a.txt`,
    'jq --rawfile x /etc/passwd . a.txt',
    'jq -f a.txt',
    'jq -L /etc . a.txt',
    'tree -o out.txt',
    'tree -R -H . -L 1',
    'diff --from-file=/etc/passwd a.txt',
    'du --files0-from=/etc/x',
    'file -C -m a.txt',
    'md5sum -c a.txt',
    'hostname evil',
    'echo $ANTHROPIC_API_KEY',
    'HOME=x; echo $HOME',
    'echo $HOME > a.txt',
    'cat $HOME/x',
    'sleep 1d',
    'curl -s http://127.0.0.1:9',
    'npm ls',
    'for i in 1 2; do echo $i; read i; echo $i; done',
    'for i in 1 $X; do echo $i; done',
    'for i; do echo $i; done',
    'for i in -o x; do sort $i y; done',
    'for i in /etc/passwd a; do cat $i; done',
    'for i in 1 2; do i=x; echo $i; done',
    'for i in 1 2; do echo $i > $i; done',
    'find . -delete',
  ])('%s', async (command) => {
    expect(await kindOf(command)).toBe('ask');
    expect(await kindOf(command, { mode: 'plan' })).toBe('deny');
    expect(readsBySight(command)).toBe(false);
  });

  it.each(['stat /etc/passwd', 'diff a.txt /etc/passwd', 'diff a.txt way-out/passwd', 'sort /etc/passwd'])(
    '%s reads outside',
    async (command) => {
      for (const mode of ['default', 'plan', 'dontAsk'] as const)
        expect(await kindOf(command, { mode })).toBe(mode === 'default' ? 'ask' : 'deny');
    },
  );

  it.each(['git show HEAD', 'git diff', 'git log -p'])(
    '%s is asked about where a rule speaks of files that it may come upon',
    async (command) => {
      expect(await kindOf(command)).toBe('allow');
      expect(await kindOf(command, { deny: ['Read(secret/**)'] })).toBe('ask');
    },
  );
});

describe('acceptEdits', () => {
  const accepted = (command: string, more: Partial<PermissionOptions> = {}) =>
    kindOf(command, { mode: 'acceptEdits', ...more });

  it.each([
    'touch a',
    'mkdir -p d/e',
    'cp a.txt c.txt',
    'cp -r sub d',
    'cp a.txt sub',
    'mv a.txt c.txt',
    'rm a.txt',
    'rm -rf sub',
    'rmdir sub',
    'mkdir d2 && touch d2/x',
    'cd sub && touch x',
    'touch x; ls | wc -l; rm x',
    'echo x > r.txt',
  ])('%s passes', async (command) => {
    expect(await accepted(command)).toBe('allow');
    expect(await kindOf(command)).toBe('ask');
  });

  it.each([
    'touch ../outside',
    'touch /etc/x',
    'touch way-out/x',
    'cp a.txt way-out',
    'cp /etc/passwd p',
    'cp way-out/passwd p',
    'mv /etc/hosts h',
    'rm -rf .',
    'rm -rf ..',
    'rm -rf sub/..',
    'rm -rf *',
    'rm -rf ~',
    'rm -rf $X',
    'rm -rf --no-preserve-root sub',
    'rm -rf .git',
    'rm .claude/settings.json',
    'rm -rf .claude',
    'mv sub .claude',
    'mv .claude sub',
    'mkdir .turnwright',
    'cp a.txt .claude/skills/x.md',
    'cp -r sub/. .',
    'cp -rL sub d',
    'cp -s a.txt l',
    'cp --target-directory=.git a.txt',
    'cp -t /etc a.txt',
    'touch .git/config',
    'touch .bashrc',
    'touch -r /etc/passwd a',
    'rmdir -p a/b',
    'sed -i s/x/y/ a.txt',
    'ln -s a l',
    'chmod +x a.txt',
    'tee t.txt < a.txt',
    'git init',
    'npm init -y',
    'python3 -c 1',
    'FOO=1 touch a',
    '/tmp/touch a',
    'touch a & curl x',
    'touch $(curl x)',
    'cd .. && touch x',
    'cd $X && touch x',
  ])('%s is asked about', async (command) => {
    expect(await accepted(command)).toBe('ask');
  });

  it('a working directory inside another one is not removed with what holds it', async () => {
    const additionalDirectories = [join(cwd, 'sub/inner')];
    expect(await accepted('rm -rf sub', { additionalDirectories })).toBe('ask');
    expect(await accepted('rm -rf secret', { additionalDirectories })).toBe('allow');
  });

  it('a file that may not be read is not copied or moved to where it may', async () => {
    const deny = ['Read(secret/**)'];
    for (const command of ['cp secret/key c', 'mv secret/key c', 'cp -t sub secret/key', 'ln secret/key c'])
      expect(await accepted(command, { deny, allow: ['Bash'] })).toBe('deny');
    for (const command of ['cp -r secret d', 'mv secret d', 'cp -r sub d'])
      expect(await accepted(command, { deny: ['Read(secret/key)'] })).toBe('ask');
  });

  it('what may not be edited is not removed with its folder', async () => {
    expect(await accepted('rm -rf secret', { deny: ['Edit(secret/key)'] })).toBe('ask');
    expect(await accepted('rm secret/key', { deny: ['Edit(secret/key)'] })).toBe('deny');
  });
});
