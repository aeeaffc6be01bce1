/** Lines with patterns and piped names: what runs in their place shows the same, and nothing that appears later. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { gather, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { callTool, say } from '@turnwright/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'p');
const FILES = [
  'a.json',
  'b c.json',
  "it's.json",
  'src/a.ts',
  'src/b.ts',
  'src/deep/c.ts',
  'docs/-n.ts',
  'README.md',
  'docs/x.md',
];
beforeAll(async () => {
  for (const file of FILES) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), `foo in ${file}\nsecond line\n`);
  }
  execFileSync('git', ['init', '-q'], { cwd });
});
afterAll(() => folder.remove());

const verdictOn = (command: string, more: Partial<PermissionOptions> = {}) =>
  createPermissions({ files: nodeFiles, ...more }).decide(question(TOOLS.Bash, { command }, cwd));
const writtenOut = async (command: string, more?: Partial<PermissionOptions>): Promise<string> => {
  const verdict = await verdictOn(command, more);
  expect(verdict.kind, command).toBe('allow');
  return `${('updatedInput' in verdict && verdict.updatedInput?.['command']) || command}`;
};
/** What each command shows, all run by one shell. */
const run = async (commands: readonly string[]) => {
  const script = commands.map((command) => `(\n${command}\n) 2>&1\necho @@`).join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', `exec < /dev/null\n${script}`], {
    cwd,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  return stdout.split('@@\n').slice(0, -1);
};

const ALIKE = [
  'ls *.json',
  'ls -la src/*.ts',
  'wc -l src/*.ts README.md',
  'cat src/*.ts | head -3',
  'cat ./*.json',
  'grep -rn foo src --include=*.ts',
  'grep -h foo {src,docs}/*.{ts,md}',
  'ls -d */',
  'ls src/**/*.ts',
  'cat no*.thing',
  'cd src && wc -l *.ts',
  'cd src; head -1 [ab].ts',
  'for f in src/*.ts; do echo "== $f"; head -1 "$f"; done',
  'for f in *.json; do echo "$f: $(wc -l < "$f")"; done',
  'for i in {3..1}; do echo $i; done',
  'cat "$(git rev-parse --show-toplevel)/README.md" "$PWD"/a.json',
  'echo *.json "*"',
  'find src -name "*.ts" | sort | xargs wc -l',
  'find . -name "*.md" -o -name "*.ts" | sort | head -2 | xargs grep foo',
  'find . -path ./docs -prune -o -name "*.md" -print | xargs cat',
  'find src -name "*.ts" -exec grep -h foo {} \\; | sort',
  'grep -rl foo docs | xargs sed -n 1p',
  'git ls-files -o | sort | head -1 | xargs wc -l',
];

it('they show what the lines show as they are written', async () => {
  const changed = await Promise.all(ALIKE.map((command) => writtenOut(command)));
  const shown = await run([...ALIKE, ...changed]);
  for (const [at, command] of ALIKE.entries()) expect(shown[at + ALIKE.length], command).toBe(shown[at]);
});

it('plan mode and dontAsk let them run as well', async () => {
  for (const mode of ['plan', 'dontAsk', 'acceptEdits'] as const)
    expect(await writtenOut('ls *.json', { mode })).toBe(`ls a.json 'b c.json' 'it'\\''s.json'`);
});

it('what appears between the decision and the run has no part in it', async () => {
  const outside = join(folder.path, 'secret');
  await writeFile(outside, 'the secret\n');
  const lines = await Promise.all(
    [
      'cat *.json',
      'sort *.json',
      'cat src/*.ts',
      'cat ./src/*',
      'find . -name "*.ts" | xargs cat',
      'find . -exec cat {} +',
    ].map((command) => writtenOut(command)),
  );
  const planted = ['src/z.ts', 'z.json', 'src/deep/z.ts'];
  for (const name of planted) await symlink(outside, join(cwd, name));
  for (const name of ['-o.json', '--files0-from=z.json', '-o'])
    await writeFile(join(cwd, name), `${outside}\n`);
  await mkdir(join(cwd, 'x \n'), { recursive: true });
  await symlink(folder.path, join(cwd, 'x \n', 'y.ts'));
  try {
    expect((await run(lines)).join('')).not.toContain('the secret');
    // Judged now, they are asked about, or leave out what leads out.
    expect((await verdictOn('cat *.json')).kind).toBe('ask');
    expect((await verdictOn('cat src/*.ts')).kind).toBe('ask');
    expect((await run([await writtenOut('find . -name "*.ts" | xargs cat')])).join('')).not.toContain(
      'the secret',
    );
  } finally {
    for (const name of [...planted, '-o.json', '--files0-from=z.json', '-o', 'x \n'])
      await rm(join(cwd, name), { recursive: true });
  }
});

it('rules that deny and ask hold for the names', async () => {
  for (const command of [
    'cat src/*.ts',
    'wc -l src/*',
    'for f in src/*.ts; do cat "$f"; done',
    'find . -name "*.ts" | xargs cat',
  ]) {
    for (const rules of [
      { deny: ['Read(src/a.ts)'] },
      { ask: ['Read(src/a.ts)'] },
      { deny: ['Bash(cat:*)', 'Bash(wc:*)'] },
    ])
      expect((await verdictOn(command, rules)).kind, command).not.toBe('allow');
  }
  expect((await verdictOn('cat src/*.ts', { deny: ['Read(.env)'] })).kind).toBe('allow');
  expect((await verdictOn('cat *.json', { locks: { blockReadsOutside: true } })).kind).toBe('allow');
  expect((await verdictOn('cat ../*', { locks: { blockReadsOutside: true } })).kind).not.toBe('allow');
});

it('more names and folders than a person would read are asked about', async () => {
  const many = join(cwd, 'many');
  await mkdir(many);
  await Promise.all(Array.from({ length: 260 }, (_, i) => writeFile(join(many, `f${i}.txt`), '')));
  expect((await verdictOn('wc -l many/*.txt')).kind).toBe('ask');
  expect((await verdictOn('wc -l many/f1*.txt')).kind).toBe('allow');
  await rm(many, { recursive: true });
});

it('a reading program that the search path finds in the folder is asked about', async () => {
  await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true });
  for (const name of ['wc', 'node']) await writeFile(join(cwd, 'node_modules/.bin', name), '');
  const found = { searchPath: `${cwd}/node_modules/.bin:/usr/bin:/bin` };
  for (const command of [
    'wc -l README.md',
    'node --version',
    'wc -l *.json',
    'find . -name x | xargs wc',
    'find . -exec wc {} +',
  ])
    expect((await verdictOn(command, found)).kind, command).toBe('ask');
  for (const command of ['wc -l README.md', 'ls *.json'])
    expect((await verdictOn(command)).kind).toBe('allow');
  expect((await verdictOn('ls *.json', found)).kind).toBe('allow');
  expect((await verdictOn('./node_modules/.bin/wc x')).kind).toBe('ask');
  await rm(join(cwd, 'node_modules'), { recursive: true });
});

it('a run in which no question can be asked gets what the commands show', async () => {
  const { query: running } = queryUnderTest(
    [
      callTool('Bash', { command: 'head -n1 *.json' }),
      callTool('Bash', { command: 'find src -name "a.ts" | xargs wc -l' }),
      callTool('Bash', { command: 'rm *.json' }),
      say('done'),
    ],
    'Look around.',
    { cwd, tools: ['Bash'], permissionMode: 'default' },
  );
  const { messages } = await gather(running);
  const shown = JSON.stringify(messages.filter(({ type }) => type === 'user'));
  for (const file of ['a.json', 'b c.json', "it's.json"]) expect(shown).toContain(`foo in ${file}`);
  expect(shown).toContain('2 src/a.ts');
  expect(messages.at(-1)).toMatchObject({
    permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'rm *.json' } }],
  });
});
