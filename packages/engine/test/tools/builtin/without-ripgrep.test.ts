/** The search of our own, beside ripgrep: the same answers. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findRipgrep } from '@turnwright/base/process/find-ripgrep.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { contextIn, runDirectly, tempFolder, textOf } from '@turnwright/test/tools/support.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGlobTool } from '../../../src/tools/builtin/search/glob.ts';
import { createGrepTool } from '../../../src/tools/builtin/search/grep.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let root = '';

const FILES: Record<string, string> = {
  '.git/config': 'alpha\n',
  '.git/info/exclude': 'excluded.txt\n',
  '.gitignore':
    '# built\n/build/\n*.log\n!keep.log\nlib/**/gen\n*.py[cod]\n\\#odd\ntrailing \n/only-here.txt\n',
  'excluded.txt': 'alpha\n',
  '#odd': 'alpha\n',
  'a.ts': 'export const alpha = 1;\nconst Beta = 2;\n',
  'b.tsx': 'alpha alpha\n',
  'c.pyc': 'alpha\n',
  'c.py': 'def alpha(): pass\n',
  'build/out.js': 'alpha\n',
  'src/build/out.js': 'alpha\n',
  'src/only-here.txt': 'alpha\n',
  'only-here.txt': 'alpha\n',
  'x.log': 'alpha\n',
  'keep.log': 'alpha\n',
  'lib/gen/1.js': 'alpha\n',
  'lib/a/b/gen/2.js': 'alpha\n',
  'lib/a/3.js': 'gamma\n',
  'sub/.gitignore': '!x.log\nnested.*\n',
  'sub/x.log': 'alpha\n',
  'sub/nested.md': 'alpha\n',
  'sub/.ignore': 'z.md\n',
  'sub/z.md': 'alpha\n',
  '.hidden/h.ts': 'alpha\n',
  'long.txt': `${'x'.repeat(700)} alpha\n`,
  'words.txt': 'one\ntwo alpha\nthree\nfour\nfive alpha\nsix\nseven\neight\nnine\nten alpha\n',
  'crlf.txt': 'alpha\r\nbeta\r\n',
  'braces.ts': 'interface Alpha {}\nfoo(bar)\n',
  'unicode.txt': 'naïve Ünïcode 😀\n',
  'no-end.txt': 'alpha',
};

beforeAll(async () => {
  folder = await tempFolder();
  root = join(folder.path, 'project');
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  await writeFile(join(root, 'binary.bin'), Buffer.from('alpha\0alpha\n'));
  await writeFile(join(root, 'utf16.txt'), Buffer.from('\ufeffalpha in utf16\n', 'utf16le'));
  await writeFile(join(root, 'invalid.txt'), Buffer.from([0x61, 0x6c, 0x70, 0x68, 0x61, 0xff, 0x0a]));
  await symlink(join(root, 'a.ts'), join(root, 'link.ts'));
});
afterAll(() => folder.remove());

const NOTE = /\n\n\(Searched without ripgrep, which is slower: [^)]*\)$/;

async function answers(
  make: (options: { ripgrepPath?: null }) => ReturnType<typeof createGrepTool>,
  input: object,
) {
  const answer = async (options: { ripgrepPath?: null }) =>
    textOf((await runDirectly(make(options), input, contextIn(root))).output);
  const own = await answer({ ripgrepPath: null });
  expect(own).toMatch(NOTE);
  return { own: own.replace(NOTE, ''), theirs: await answer({}) };
}
const sorted = (text: string) => text.split('\n').sort().join('\n');

describe('without ripgrep', () => {
  test.each(
    everyNth(3, [
      { pattern: 'alpha' },
      { pattern: 'ALPHA', '-i': true },
      { pattern: '(?i)ALPHA' },
      { pattern: 'alpha', glob: '*.{ts,tsx}' },
      { pattern: 'alpha', glob: 'src/**/*.js' },
      { pattern: 'alpha', glob: '!*.ts' },
      { pattern: 'alpha', glob: '/src/**' },
      { pattern: 'alpha', glob: '*.log' },
      { pattern: 'alpha', glob: 'x.log' },
      { pattern: 'alpha', type: 'ts' },
      { pattern: 'alpha', type: 'py' },
      { pattern: 'alpha', path: 'sub' },
      { pattern: 'alpha', path: 'build' },
      { pattern: 'alpha', path: 'x.log' },
      { pattern: 'nothing at all' },
    ]),
  )('Grep finds the same files: %j', async (input) => {
    const { own, theirs } = await answers(createGrepTool, input);
    expect(sorted(own)).toBe(sorted(theirs));
  });

  test.each(
    everyNth(3, [
      { pattern: 'alpha' },
      { pattern: 'alpha', '-n': false },
      { pattern: 'alpha', '-C': 1 },
      { pattern: 'alpha', '-A': 2, glob: 'words.txt' },
      { pattern: 'alpha', '-B': 1, '-A': 1, glob: 'words.txt' },
      { pattern: 'alpha', '-o': true },
      { pattern: '\\w+', '-o': true, path: 'words.txt' },
      { pattern: '^[a-z]+$', path: 'words.txt' },
      { pattern: 'two.*three', multiline: true },
      { pattern: 'three\\nfour', multiline: true, '-C': 1 },
      { pattern: 'one\\s+two', path: 'words.txt' },
      { pattern: 'interface \\w+ \\{\\}' },
      { pattern: 'foo\\(' },
      { pattern: '(?P<first>na.ve) \\p{Lu}' },
      { pattern: '[[:upper:]]eta' },
      { pattern: '\\x{1F600}' },
      { pattern: 'beta' },
    ]),
  )('Grep shows the same lines: %j', async (input) => {
    const { own, theirs } = await answers(createGrepTool, { output_mode: 'content', ...input });
    expect(own).toBe(theirs);
  });

  test.each([{ pattern: 'alpha' }, { pattern: '.', path: 'words.txt' }, { pattern: 'alpha', head_limit: 2 }])(
    'Grep counts the same: %j',
    async (input) => {
      const { own, theirs } = await answers(createGrepTool, { output_mode: 'count', ...input });
      expect(own).toBe(theirs);
    },
  );

  test.each([
    { pattern: '**/*' },
    { pattern: '*.ts' },
    { pattern: 'src/**/*.{js,txt}' },
    { pattern: '*.py?' },
    { pattern: '[ab].ts*' },
    { pattern: '*.log' },
    { pattern: 'x.log' },
    { pattern: '*', path: 'sub' },
    { pattern: 'build/*' },
    { pattern: 'none*' },
  ])('Glob lists the same: %j', async (input) => {
    const { own, theirs } = await answers(createGlobTool as never, input);
    expect(sorted(own)).toBe(sorted(theirs));
  });

  const grep = (input: object, signal?: AbortSignal) =>
    runDirectly(
      createGrepTool({ ripgrepPath: null }),
      input,
      contextIn(root, signal === undefined ? {} : { signal }),
    );

  test.each([
    [{ pattern: '(' }, /The search failed: regex parse error: /],
    [{ pattern: 'a', type: 'nonsense' }, /unrecognized file type: nonsense.*Use glob/],
  ])('%j is reported', async (input, why) => {
    await expect(grep(input)).rejects.toThrow(why);
  });

  test('a pattern that backtracks for ever ends with a sentence', async () => {
    await writeFile(join(folder.path, 'evil.txt'), `${'a'.repeat(60)}!\n`);
    await expect(grep({ pattern: '^(a+)+$', path: join(folder.path, 'evil.txt') })).rejects.toThrow(
      'The search failed: the pattern takes too long.',
    );
  });

  test('abort ends it', async () => {
    await expect(grep({ pattern: 'a' }, AbortSignal.abort())).rejects.toThrow(/abort/i);
  });
});

describe('ripgrep', () => {
  test('is that of the package', async () => {
    expect(await findRipgrep({})).toMatch(/@vscode[\\/]ripgrep-[^\\/]+[\\/]bin[\\/]rg/);
  });
});
