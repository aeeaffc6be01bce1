/** A search of the shell beside a rule that denies reading: what is denied is left out, or it is asked about. */
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { findRipgrep } from '@turnwright/base/process/find-ripgrep.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'p');
const FILES = [
  '.env',
  'sub/.env',
  'secrets/k.ts',
  'src/secrets/deep/k.ts',
  'src/a.ts',
  'conf/app.cfg',
  'conf/x/app.cfg',
  'a b.txt',
  'README.md',
];
beforeAll(async () => {
  for (const file of FILES) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), `foo in ${file}\n`);
  }
  await symlink('../.env', join(cwd, 'src/link'));
});
afterAll(() => folder.remove());

const verdictOn = (command: string, deny: readonly string[], more: Partial<PermissionOptions> = {}) =>
  createPermissions({ files: nodeFiles, allowDangerouslySkipPermissions: true, deny, ...more }).decide(
    question(TOOLS.Bash, { command }, cwd),
  );
const BYPASS = { mode: 'bypassPermissions' } as const;

/** What each command shows, by lines, all run by one shell. */
const run = async (commands: readonly string[]) => {
  const script = commands.map((command) => `(\n${command}\n)\necho @@`).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec < /dev/null\n${script}`], { cwd });
  const shown = stdout.split('@@\n').slice(0, -1);
  return shown.map((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
  );
};

const rg = await findRipgrep(process.env);
const SEARCHES: readonly (readonly [command: string, deny: readonly string[], denied: RegExp])[] = [
  ['grep -r foo .', ['Read(.env)'], /\.env/],
  ['grep -rn foo', ['Read(./.env)'], /\.env/],
  ['grep -rn foo . | sort', ['Read(secrets/**)'], /secrets/],
  ['grep -rn foo src sub README.md', ['Read(.env)', 'Read(secrets/)'], /\.env|secrets/],
  ['cd src && grep -r foo .', ['Read(secrets)'], /secrets/],
  ['grep -rl foo . --include="*.ts"', ['Read(secrets/**)'], /secrets/],
  ['grep --include="*.ts" -rl foo .', ['Read(.env)', 'Read(secrets/**)'], /secrets|\.env/],
  ['egrep -r "foo|bar" .; fgrep -rl foo conf sub', ['LS(.env)'], /\.env/],
  ['grep -r foo . --exclude-dir=conf', ['Read(.env)'], /\.env/],
  ['echo "grep -r x"; grep -r foo . # grep', ['Read(.env)'], /\.env/],
  ['grep -r foo .', ['Read(a b.txt)'], /a b/],
  ...(rg === undefined
    ? []
    : ([
        ['rg --hidden foo .', ['Read(.env)'], /\.env/],
        ['rg --hidden -n foo . src', ['Read(.env)', 'Read(secrets/**)'], /\.env|secrets/],
      ] as const)),
];

it('a search shows what it showed, less the lines of denied files, and the result says so', async () => {
  const changed = await Promise.all(
    SEARCHES.map(async ([command, deny]) => {
      for (const more of [{}, BYPASS])
        expect(await verdictOn(command, deny, more), command).toMatchObject({
          kind: 'allow',
          note: expect.stringContaining('left out'),
        });
      const verdict = await verdictOn(command, deny, BYPASS);
      return 'updatedInput' in verdict ? `${verdict.updatedInput?.['command']}` : '';
    }),
  );
  const withRipgrep = (command: string) => command.replace(/^rg /, `'${rg}' `);
  const shown = await run([...SEARCHES.map(([command]) => command), ...changed].map(withRipgrep));
  for (const [at, [command, , denied]] of SEARCHES.entries()) {
    const [before, after] = [shown[at] ?? [], shown[at + SEARCHES.length] ?? []];
    expect(
      before.some((line) => denied.test(line)),
      command,
    ).toBe(true);
    expect(after, command).toEqual(before.filter((line) => !denied.test(line)));
  }
});

it.each<[command: string, deny: readonly string[], kind: 'ask' | 'deny']>([
  // Another file has the name, which is not denied.
  ['grep -r foo .', ['Read(/.env)'], 'ask'],
  ['grep -r foo conf', ['Read(/conf/app.cfg)'], 'ask'],
  ['grep -r foo . --include=".e*"', ['Read(.env)'], 'ask'],
  ['grep -r foo . --exclude="*.ts"', ['Read(.env)'], 'ask'],
  ['grep -R foo .', ['Read(.env)'], 'ask'],
  ['rg foo -g "*"', ['Read(.env)'], 'ask'],
  ['rg -L foo', ['Read(.env)'], 'ask'],
  ['grep -r foo $X', ['Read(.env)'], 'ask'],
  ['cd $X && grep -r foo .', ['Read(.env)'], 'ask'],
  ['bash -c "grep -r foo ."', ['Read(.env)'], 'ask'],
  ['timeout 5 grep -r foo .', ['Read(.env)'], 'ask'],
  ['find . -exec grep foo {} +', ['Read(.env)'], 'ask'],
  ['git grep foo; tar cf - .', ['Read(.env)'], 'ask'],
  ['grep -r foo . && cat $X', ['Read(.env)'], 'ask'],
  ['grep -r foo . && $X', ['Read(.env)'], 'ask'],
  ['grep -r foo secrets', ['Read(secrets/**)'], 'deny'],
  ['grep foo .env', ['Read(.env)'], 'deny'],
  ['grep -r foo . .env', ['Read(.env)'], 'deny'],
])('%s beside %j is not changed: %s', async (command, deny, kind) => {
  const verdict = await verdictOn(command, deny, BYPASS);
  expect(verdict.kind).toBe(kind);
  expect('updatedInput' in verdict).toBe(false);
});

it('what an ask rule or a hook asks about is asked as it was written', async () => {
  const asked = await verdictOn('grep -r foo .', ['Read(.env)'], { ask: ['Bash(grep:*)'] });
  expect(asked.kind).toBe('ask');
  expect('updatedInput' in asked).toBe(false);
  expect((await verdictOn('grep -r foo .', ['Read(.env)'], { ask: ['Read(README.md)'] })).kind).toBe('ask');
});
