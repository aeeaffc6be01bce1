/** What a rule denied when the first command was judged stays denied under the names that commands give it. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { question, TOOLS } from '@turnwright/test/permissions/ask-doubles.ts';
import { describe, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { homeFolder, sessionOf } from '../sandbox/session.ts';

/** What is denied, how it gets another name, and that name. */
const FORMS: readonly (readonly [rule: string, file: string, how: string, name: string])[] = everyNth(3, [
  ['conf/.env', 'conf/.env', "fs.renameSync('conf', 'c2')", 'c2/.env'],
  ['a/secrets/**', 'a/secrets/deep/key', "fs.renameSync('a/secrets', 'open')", 'open/deep/key'],
  [
    'b/secrets/**',
    'b/secrets/deep/key',
    "fs.renameSync('b', 'b2'); fs.renameSync('b2/secrets', 'b2/secrets2')",
    'b2/secrets2/deep/key',
  ],
  ['*.pem', 'deep/er/x.pem', "fs.renameSync('deep/er/x.pem', 'x.txt')", 'x.txt'],
  ['./one.txt', 'one.txt', "fs.renameSync('one.txt', 'other/two.txt')", 'other/two.txt'],
  ['/two.txt', 'two.txt', "fs.linkSync('two.txt', 'linked'); fs.unlinkSync('two.txt')", 'linked'],
  ['three.txt', 'three.txt', "fs.renameSync('three.txt', 't'); fs.symlinkSync('t', 'link')", 'link'],
  ['four.txt', 'four.txt', "fs.renameSync('four.txt', '4')", '/proc/self/cwd/4'],
  ['five.txt', 'five.txt', "fs.renameSync('five.txt', '5'); fs.utimesSync('5', 1, 1)", '5'],
  ['~/notes/**', '../notes/own.txt', "fs.renameSync('../notes', 'notes')", 'notes/own.txt'],
  ['behind', 'target/file', "fs.unlinkSync('behind'); fs.renameSync('target/file', 'bare')", 'bare'],
]);

const PROGRAM = (how: readonly string[]) => `
import fs from 'node:fs';
${how.join(';\n')};
fs.unlinkSync('gone.txt');
fs.writeFileSync('free.txt', 'FREE');
fs.renameSync('plain', 'plain2');
`;

const SEARCHES = ['CAN[A]RY', '.'] as const;

describe('files that were renamed by a command', () => {
  const world = () => {
    const at = homeFolder();
    mkdirSync(join(at.cwd, 'other'));
    for (const [, file] of FORMS) {
      const path = join(at.cwd, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'CANARY');
    }
    writeFileSync(join(at.cwd, 'gone.txt'), 'CANARY');
    writeFileSync(join(at.cwd, 'plain'), 'FREE');
    if (FORMS.some(([rule]) => rule === 'behind')) symlinkSync('target/file', join(at.cwd, 'behind'));
    writeFileSync(join(at.cwd, 'program.mjs'), PROGRAM(FORMS.map(([, , how]) => how)));
    return at;
  };
  const rename = ['Bash', { command: 'node program.mjs && echo renamed' }] as const;
  const pathOf = (cwd: string, name: string) => (name.startsWith('/') ? name : join(cwd, name));

  it('Read denies them, for file tools, searches, mentions and words of commands', async () => {
    const at = world();
    const calls = FORMS.flatMap(([, , , name]) => [
      ['Read', { file_path: pathOf(at.cwd, name) }] as const,
      ['Edit', { file_path: pathOf(at.cwd, name), old_string: 'CANARY', new_string: 'x' }] as const,
      ['Write', { file_path: pathOf(at.cwd, name), content: 'x' }] as const,
      ['Bash', { command: `cat ${name}` }] as const,
      ['Grep', { pattern: 'CANARY', path: pathOf(at.cwd, name), output_mode: 'content' }] as const,
    ]);
    const searches = SEARCHES.flatMap((pattern) => [
      ['Grep', { pattern, output_mode: 'content' }] as const,
      ['Bash', { command: `grep -rn --exclude=program.mjs ${pattern} .` }] as const,
    ]);
    const { results } = await sessionOf(
      at,
      [rename, ...calls, ...searches, ['Read', { file_path: join(at.cwd, 'plain2') }]],
      {
        permissionMode: 'acceptEdits',
        allowedTools: ['Bash', 'Edit', 'Write', 'Read'],
        disallowedTools: [...FORMS.map(([rule]) => `Read(${rule})`), 'Read(gone.txt)'],
      },
    );
    expect(results[0]).toContain('renamed');
    for (const [i, [tool, input]] of [...calls, ...searches].entries())
      expect([tool, input, results[i + 1]?.replace(/program\.mjs/g, '').includes('CANARY')]).toEqual([
        tool,
        input,
        false,
      ]);
    expect(results.at(-1)).toContain('FREE');
    for (const [, , , name] of FORMS) {
      expect(readFileSync(pathOf(at.cwd, name.replace('/proc/self/cwd/', '')), 'utf8')).toBe('CANARY');
    }
  });

  it('Edit denies changing them, and a file that takes the number of one that is gone is free', async () => {
    const at = world();
    const names = FORMS.map(([, , , name]) => pathOf(at.cwd, name));
    const { results } = await sessionOf(
      at,
      [
        rename,
        ...names.map((file_path) => ['Write', { file_path, content: 'x' }] as const),
        ...names.map((name) => ['Bash', { command: `echo x > ${name}` }] as const),
        ['Read', { file_path: join(at.cwd, 'free.txt') }],
        ['Edit', { file_path: join(at.cwd, 'free.txt'), old_string: 'FREE', new_string: 'CHANGED' }],
      ],
      {
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        disallowedTools: [...FORMS.map(([rule]) => `Edit(${rule})`), 'Edit(gone.txt)'],
      },
    );
    expect(results[0]).toContain('renamed');
    for (const [, , , name] of FORMS)
      expect(readFileSync(pathOf(at.cwd, name.replace('/proc/self/cwd/', '')), 'utf8')).toBe('CANARY');
    expect(readFileSync(join(at.cwd, 'free.txt'), 'utf8')).toBe('CHANGED');
    expect(existsSync(join(at.cwd, 'gone.txt'))).toBe(false);
  });

  it.each([
    ['grep -rhn CAN[A]RY other', /^(?!.*CANARY)/],
    ['tar cf - other', /rule Read\(\/two\.txt\)/],
    ['cat other/*', /rule Read\(\/two\.txt\)/],
  ])('a rule that names one place: %s', async (command, said) => {
    const at = homeFolder();
    mkdirSync(join(at.cwd, 'other'));
    writeFileSync(join(at.cwd, 'two.txt'), 'CANARY');
    writeFileSync(join(at.cwd, 'other/free'), 'FREE');
    writeFileSync(join(at.cwd, 'move.cjs'), "require('fs').renameSync('two.txt', 'other/x')");
    const move = ['Bash', { command: 'node move.cjs && echo renamed' }] as const;
    const { results } = await sessionOf(at, [['Bash', { command }], move, ['Bash', { command }]], {
      allowedTools: ['Bash'],
      disallowedTools: ['Read(/two.txt)'],
    });
    expect(results[0]).not.toContain('rule');
    expect(results[1]).toBe('"renamed"');
    expect(results[2]).toMatch(said);
  });
});

it('a folder with thousands of files costs the first command nothing of what a decision may cost', async () => {
  const at = homeFolder();
  for (let n = 0; n < 3_000; n++) writeFileSync(join(at.cwd, `file-${n}.txt`), '');
  const permissions = createPermissions({
    files: nodeFiles,
    allow: ['Bash(npm test)'],
    deny: ['Read(.env)'],
  });
  const verdict = await permissions.decide(question(TOOLS.Bash, { command: 'npm test' }, at.cwd));
  expect(verdict.kind).toBe('allow');
});
