/** What somebody would try who reads the rules and wants around them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['src', '.git', '.claude', 'bare/deep/er'])
    await mkdir(join(cwd, name), { recursive: true });
  await writeFile(join(cwd, 'bare', 'HEAD'), '');
});
afterAll(() => folder.remove());

const kindOf = async (command: string, options: Partial<PermissionOptions> = {}, at = cwd) =>
  (
    await createPermissions({ files: nodeFiles, allowDangerouslySkipPermissions: true, ...options }).decide(
      question(TOOLS.Bash, { command }, at),
    )
  ).kind;

describe('with the rule Bash and a denied rm', () => {
  it.each([
    ['an option behind the program is the program’s own', `command eval 'r$@m x' -v`],
    ['the program comes out of a pipe', 'cat list | xargs -I% % -rf y'],
    ['the program comes out of a pipe', 'cat list | xargs -0I r r -rf y'],
    ['the program comes out of a pipe', 'cat list | xargs env'],
    ['the program comes out of a pipe', 'cat list | xargs -n2 nice -n 5'],
    ['the program comes out of a pipe', 'cat list | xargs timeout 5'],
    ['the program comes out of a pipe', `cat list | xargs -i sh -c '{}'`],
    ['the program comes out of a pipe', 'cat list | xargs python3 -c'],
    ['words that a builtin expands', `compgen -W '$(r$@m x)'`],
  ])('%s: %j asks', async (_, command) => {
    expect(await kindOf(command, { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('ask');
  });

  it.each([
    ['a here-document for an interpreter', `python3 <<'E'\nimport os; os.system("rm x")\nE`],
    ['a here-document for an interpreter', `python3 - <<E\nimport os; os.system("rm x")\nE`],
    ['a here-string for an interpreter', `python3 <<< 'import os; os.system("rm x")'`],
    ['another case, where file systems fold it', 'RM x'],
    ['another case, where file systems fold it', 'sudo /bin/Rm x'],
    ['two commands of one find', String.raw`find . -exec echo {} \; -exec rm {} \;`],
    ['a program that rg is told to run', 'rg --pre rm x'],
    ['the program comes out of a pipe', 'echo rm x | xargs -I% % -rf y'],
    ['the program comes out of a pipe', `echo "r''m x" | xargs env`],
  ])('%s: %j is denied', async (_, command) => {
    expect(await kindOf(command, { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('deny');
  });

  it.each([`cat > notes.md <<'E'\nrm x\nE`, `git commit -F - <<'E'\nrm x\nE`, `tee notes.md <<< 'rm x'`])(
    'text is text: %j',
    async (command) => {
      expect(await kindOf(command, { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('allow');
    },
  );
});

describe('beside Bash', () => {
  it.each([
    ['the folder of the target', 'cp settings.json .claude/'],
    ['the folder of the target', 'mv settings.local.json .claude'],
    ['the folder of the target', 'cp -t .claude settings.json'],
    ['the folder of the target', 'install -m 600 settings.json .claude'],
    ['a second command of find', String.raw`find . -exec echo {} \; -exec cp x .git/hooks/pre-commit \;`],
    ['find writes by itself', 'find . -fprintf .git/config x'],
    ['find deletes by itself', 'find .git/hooks -delete'],
    ['a folder that env goes to', 'env -C .claude tee settings.json'],
    ['a folder that env goes to', 'env --chdir=.claude tee settings.json'],
    ['a folder that sudo goes to', 'sudo -D .claude tee settings.json'],
    ['a folder that find goes to', String.raw`find .claude -execdir tee settings.json \;`],
    ['a file that a program is told to write', 'curl -o .git/config http://a.example/'],
    ['a file that a program is told to write', 'sort x --output=.git/config'],
    ['a file that a program is told to write', `perl -pi -e 's/a/b/' .git/config`],
  ])('no protected path is written by way of %s: %j asks', async (_, command) => {
    expect(await kindOf(command, { allow: ['Bash'] })).toBe('ask');
  });
});

describe('rules that allow', () => {
  it.each([
    ['test 66', String.raw`find . -exec make {} \;`, ['Bash(find:*)']],
    ['test 66', 'find . -execdir id +', ['Bash(find *)']],
    ['test 67', 'rg --pre id x', ['Bash(rg:*)']],
    ['test 67', 'rg --pre=id x', ['Bash(rg:*)']],
    ['an alias', 'git -c alias.p=push p', ['Bash(git:*)']],
  ])('%s: to search is not to run: %j asks', async (_, command, allow) => {
    expect(await kindOf(command, { allow, deny: ['Bash(git push:*)'] })).toBe('ask');
  });

  it('a command that a search runs may have its own rule, and an exact rule matches literally', async () => {
    const command = String.raw`find . -exec id {} \;`;
    expect(await kindOf(command, { allow: ['Bash(find:*)', 'Bash(id:*)'] })).toBe('allow');
    expect(await kindOf('find . -exec id ;', { allow: ['Bash(find . -exec id)'] })).toBe('allow');
    expect(await kindOf('rg --pre id x', { allow: ['Bash(rg --pre id x)'] })).toBe('allow');
  });
});

it('test 70: git below a folder with the layout of a repository asks', async () => {
  expect(await kindOf('git status', {}, join(cwd, 'bare', 'deep', 'er'))).toBe('ask');
});

it.each(['.g\u200cit/config', '.ſsh/authorized_keys', '.Claude/settings.json ', '.\u2060mcp.json'])(
  'test 91: a file system may read %j as a protected path',
  async (path) => {
    const permissions = createPermissions({ files: nodeFiles, allow: ['Write', 'Edit'] });
    expect((await permissions.decide(question(TOOLS.Write, { path: join(cwd, path) }, cwd))).kind).toBe(
      'ask',
    );
  },
);

it('a rule with a pattern of exponential cost is decided in time', async () => {
  const permissions = createPermissions({ files: nodeFiles, deny: [`Read(${'**/a/'.repeat(40)}b)`] });
  const path = join(cwd, 'a/'.repeat(200), 'c');
  expect((await permissions.decide(question(TOOLS.Read, { path }, cwd))).kind).toBe('allow');
});

it('a line of many words that only the shell knows is held against a long rule in time', async () => {
  const permissions = createPermissions({
    files: nodeFiles,
    allow: ['Bash'],
    deny: [`Bash(git ${'word '.repeat(20)}end)`],
  });
  const command = `git ${'"$x" '.repeat(60)}`;
  expect((await permissions.decide(question(TOOLS.Bash, { command }, cwd))).kind).toBe('ask');
});
