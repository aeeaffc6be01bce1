/** Path rules that deny hold in the sandbox for programs of which no rule knows what they open. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lacking } from '@turnwright/test/sandbox/support.ts';
import { expect, it } from 'vitest';
import { homeFolder, sessionOf } from './session.ts';

/** What a rule says, and a file that it means. */
const FORMS: readonly (readonly [rule: string, file: string])[] = [
  ['plain.txt', 'work/plain.txt'],
  ['./here.txt', 'work/here.txt'],
  ['folder/**', 'work/folder/deep/in.txt'],
  ['whole/', 'work/whole/in.txt'],
  ['*.pem', 'work/keys/server.pem'],
  ['**/nested.key', 'work/a/b/nested.key'],
  ['.env.*', 'work/.env.local'],
  ['with blank.txt', 'work/with blank.txt'],
  ['grün.txt', 'work/grün.txt'],
  ['~/notes/**', 'notes/own.txt'],
  ['//HOME/absolute.txt', 'absolute.txt'],
];

/** Reads and writes each file, and says what it could; the names come from a file, so that no command line has them. */
const PROGRAM = `
import { appendFileSync, readFileSync } from 'node:fs';
for (const file of JSON.parse(readFileSync('files.json', 'utf8'))) {
  let read = '', wrote = '';
  try { read = readFileSync(file, 'utf8').includes('CANARY') ? 'read' : ''; } catch {}
  try { appendFileSync(file, 'CHANGED'); wrote = 'wrote'; } catch {}
  console.log([file.split('/').pop(), read, wrote].join('|'));
}`;

it.skipIf(lacking !== undefined).each([
  ['Read', 'cannot read it'],
  ['Edit', 'cannot write it'],
] as const)('%s rules: a program %s', async (tool, _what) => {
  const at = homeFolder();
  const paths = FORMS.map(([, file]) => join(at.home, file));
  for (const path of [...paths, join(at.cwd, 'open.txt')]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'CANARY');
  }
  writeFileSync(join(at.cwd, 'program.mjs'), PROGRAM);
  writeFileSync(join(at.cwd, 'files.json'), JSON.stringify([...paths, join(at.cwd, 'open.txt')]));
  const deny = FORMS.map(([rule]) => `${tool}(${rule.replace('//HOME', `/${at.home}`)})`);
  const { results } = await sessionOf(at, [['Bash', { command: `"${process.execPath}" program.mjs` }]], {
    additionalDirectories: [at.home],
    disallowedTools: deny,
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true },
  });
  const said = results.join();
  expect(said).toContain('open.txt|read|wrote');
  for (const [rule, file] of FORMS) {
    const changed = readFileSync(join(at.home, file), 'utf8').includes('CHANGED');
    if (tool === 'Read') expect(said, rule).not.toContain(`${file.split('/').pop()}|read`);
    else expect([rule, changed]).toEqual([rule, false]);
  }
  expect(existsSync(join(at.cwd, 'open.txt'))).toBe(true);
});
