import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { contextIn, isWellFormed, runDirectly, tempFolder, textOf } from '@turnwright/test/tools/support.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToolOutput } from '../../../src/protocol/tools/tool.ts';
import { createGlobTool, searchRoot } from '../../../src/tools/builtin/search/glob.ts';
import { createGrepTool } from '../../../src/tools/builtin/search/grep.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let root = '';

/** Files in the order of their change, oldest first. */
const FILES: Record<string, string> = {
  'src/old.ts': 'export const alpha = 1;\nconst Beta = 2;\n',
  'src/deep/mid.ts': 'alpha beta\nalpha\n',
  'src/new.js': 'gamma();\n',
  'docs/read me.md': '# alpha\n\n--flag\nvalue: -x\n',
  '.hidden/secret.ts': 'alpha\n',
  '.git/config': 'alpha\n',
  'ignored/gen.ts': 'alpha\n',
  'multi.txt': 'start\nmiddle\nend\n',
  'context.txt': '1\n2\n3\nHIT\n5\n6\n7\n',
  'crlf.txt': 'needle\r\n',
  '-dash.txt': 'dashed\n',
};

beforeAll(async () => {
  folder = await tempFolder();
  root = join(folder.path, 'project');
  let seconds = 1_000_000;
  for (const [name, content] of Object.entries({ ...FILES, '.gitignore': 'ignored/\n' })) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, seconds, seconds);
    seconds += 10;
  }
  await mkdir(join(folder.path, 'many'));
  for (let n = 0; n < 150; n += 1) await writeFile(join(folder.path, 'many', `f${n}.txt`), `hit ${n}\n`);
});
afterAll(() => folder.remove());

const glob = async (input: object, cwd = root) =>
  (await runDirectly(createGlobTool(), input, contextIn(cwd))).output;
const grep = async (input: object, cwd = root) =>
  (await runDirectly(createGrepTool(), input, contextIn(cwd))).output;
const globText = async (input: object, cwd?: string) => textOf(await glob(input, cwd));
const grepText = async (input: object, cwd?: string) => textOf(await grep(input, cwd));

describe('Glob', () => {
  test.each([
    ['**/*.ts', '.hidden/secret.ts\nsrc/deep/mid.ts\nsrc/old.ts'],
    ['*.ts', '.hidden/secret.ts\nsrc/deep/mid.ts\nsrc/old.ts'],
    ['src/*.ts', 'src/old.ts'],
    ['src/**/*.{js,ts}', 'src/new.js\nsrc/deep/mid.ts\nsrc/old.ts'],
    ['src/old.ts', 'src/old.ts'],
    ['old.ts', 'src/old.ts'],
    ['./src/*.js', 'src/new.js'],
    ['nothing*', 'No files found'],
    ['nowhere/*.ts', 'No files found'],
    ['**/config', 'No files found'],
    ['-dash.txt', '-dash.txt'],
    ['!*.ts', 'No files found'],
  ])('%s, the last changed first', async (pattern, expected) => {
    expect(await globText({ pattern })).toBe(expected);
  });

  test('absolute and upward patterns are searched where they point', async () => {
    expect(await globText({ pattern: join(root, 'src/*.ts') }, folder.path)).toBe('project/src/old.ts');
    expect(await globText({ pattern: '../src/*.ts' }, join(root, 'docs'))).toBe(join(root, 'src/old.ts'));
    expect(searchRoot({ pattern: '../other/**' }, { cwd: '/w/x' })).toEqual({
      root: '/w/other',
      pattern: '/**',
    });
    expect(createGlobTool().permissionTarget?.({ pattern: '/etc/*.conf' }, { cwd: '/w' })).toEqual({
      kind: 'read',
      paths: ['/etc'],
    });
  });

  test('path narrows the search, also into an ignored folder; a missing one is named', async () => {
    expect(await globText({ pattern: '*.ts', path: 'ignored' })).toBe('ignored/gen.ts');
    await expect(glob({ pattern: '*', path: 'nowhere' })).rejects.toThrow(/nowhere is not a folder/);
    await expect(glob({ pattern: '*', path: 'multi.txt' })).rejects.toThrow(/is not a folder/);
  });

  test('at most 100, and it says so', async () => {
    const output = await glob({ pattern: '*.txt', path: join(folder.path, 'many') });
    expect(output.data).toMatchObject({ numFiles: 100, truncated: true });
    expect(textOf(output)).toMatch(/There are more: these are the 100 changed last/);
  });

  test('an invalid pattern is reported', async () => {
    await expect(glob({ pattern: '**/{a' })).rejects.toThrow(/The search failed/);
  });
});

describe('Grep', () => {
  test('paths of files by default, the last changed first', async () => {
    const output = await grep({ pattern: 'alpha' });
    expect(textOf(output)).toBe('.hidden/secret.ts\ndocs/read me.md\nsrc/deep/mid.ts\nsrc/old.ts');
    expect(output.data).toMatchObject({ mode: 'files_with_matches', numFiles: 4 });
  });

  test.each([
    [
      'lines with numbers',
      { pattern: 'alpha', path: 'src' },
      'src/deep/mid.ts:1:alpha beta\nsrc/deep/mid.ts:2:alpha\nsrc/old.ts:1:export const alpha = 1;',
    ],
    ['no numbers', { pattern: 'gamma', '-n': false }, 'src/new.js:gamma();'],
    ['one file', { pattern: 'gamma', path: 'src/new.js' }, 'src/new.js:1:gamma();'],
    [
      'case',
      { pattern: 'BETA', '-i': true, path: 'src' },
      'src/deep/mid.ts:1:alpha beta\nsrc/old.ts:2:const Beta = 2;',
    ],
    ['only what matched', { pattern: 'be.a', '-o': true }, 'src/deep/mid.ts:1:beta'],
    ['a glob', { pattern: 'alpha', glob: '*.md' }, 'docs/read me.md:1:# alpha'],
    [
      'several globs',
      { pattern: 'alpha|gamma', glob: '*.md, *.js' },
      'docs/read me.md:1:# alpha\nsrc/new.js:1:gamma();',
    ],
    [
      'a glob with braces',
      { pattern: 'gamma|alpha =', glob: '*.{js,ts}' },
      'src/new.js:1:gamma();\nsrc/old.ts:1:export const alpha = 1;',
    ],
    ['a type', { pattern: 'alpha|gamma', type: 'js' }, 'src/new.js:1:gamma();'],
    ['context', { pattern: 'HIT', '-C': 1 }, 'context.txt:3-3\ncontext.txt:4:HIT\ncontext.txt:5-5'],
    [
      'context by its long name',
      { pattern: 'HIT', context: 1 },
      'context.txt:3-3\ncontext.txt:4:HIT\ncontext.txt:5-5',
    ],
    ['after', { pattern: 'HIT', '-A': 2 }, 'context.txt:4:HIT\ncontext.txt:5-5\ncontext.txt:6-6'],
    ['before', { pattern: 'HIT', '-B': 1 }, 'context.txt:3-3\ncontext.txt:4:HIT'],
    [
      'multiline',
      { pattern: 'start.*end', multiline: true },
      'multi.txt:1:start\nmulti.txt:2:middle\nmulti.txt:3:end',
    ],
    ['not multiline', { pattern: 'start.*end' }, 'No matches found'],
    ['a pattern like a flag', { pattern: '--flag' }, 'docs/read me.md:3:--flag'],
    ['a pattern like a short flag', { pattern: '-x' }, 'docs/read me.md:4:value: -x'],
    ['a path like a flag', { pattern: 'dashed', path: '-dash.txt' }, '-dash.txt:1:dashed'],
    ['CRLF', { pattern: 'needle' }, 'crlf.txt:1:needle'],
    [
      'groups are kept apart',
      { pattern: '^[17]$', '-C': 1, path: 'context.txt' },
      'context.txt:1:1\ncontext.txt:2-2\n--\ncontext.txt:6-6\ncontext.txt:7:7',
    ],
  ])('content: %s', async (_what, input, expected) => {
    expect(await grepText({ output_mode: 'content', ...input })).toBe(expected);
  });

  test('count', async () => {
    const output = await grep({ pattern: 'alpha', output_mode: 'count', path: 'src' });
    expect(textOf(output)).toBe('src/deep/mid.ts:2\nsrc/old.ts:1\n\n3 matching lines in 2 files.');
    expect(output.data).toMatchObject({ numMatches: 3, numFiles: 2 });
  });

  test('head_limit and offset page, and say that there is more', async () => {
    const page = (extra: object) =>
      grepText({ pattern: '.', output_mode: 'content', '-n': false, path: 'context.txt', ...extra });
    expect(await page({ head_limit: 2 })).toBe(
      'context.txt:1\ncontext.txt:2\n\n(There is more. Go on with offset 2, or narrow the search.)',
    );
    expect(await page({ head_limit: 2, offset: 5 })).toBe('context.txt:6\ncontext.txt:7');
    expect(await page({ offset: 7 })).toBe('No matches found');
    const files = await grepText({ pattern: 'alpha', head_limit: 1, offset: 1 });
    expect(files).toBe('docs/read me.md\n\n(There is more. Go on with offset 2, or narrow the search.)');
    const many = { pattern: 'hit', path: join(folder.path, 'many'), output_mode: 'content' };
    expect((await grepText({ ...many, head_limit: 0 })).split('\n')).toHaveLength(150);
  });

  test('F83 long lines and much output are bounded', async () => {
    await writeFile(join(folder.path, 'min.js'), `${'😀x'.repeat(700_000)}\n`);
    await writeFile(join(folder.path, 'much.txt'), `${'match '.repeat(50)}\n`.repeat(5000));
    const long = await grepText({ pattern: 'x', output_mode: 'content', path: join(folder.path, 'min.js') });
    expect(long.length).toBeLessThan(3000);
    expect(isWellFormed(long)).toBe(true);
    const much = await grepText({
      pattern: 'match',
      output_mode: 'content',
      head_limit: 0,
      path: join(folder.path, 'much.txt'),
    });
    expect(much.length).toBeLessThan(31_000);
    expect(much).toMatch(/There is more\. Go on with offset \d+/);
  });

  test.each([
    [{ pattern: '(' }, /The search failed: .*regex/s],
    [{ pattern: 'a', type: 'nonsense' }, /unrecognized file type/],
    [{ pattern: 'a', path: 'nowhere' }, /nowhere does not exist/],
  ])('%j is reported', async (input, why) => {
    await expect(grep(input)).rejects.toThrow(why);
  });

  test('a missing binary is named', async () => {
    const lost = createGrepTool({ ripgrepPath: join(folder.path, 'no-rg') });
    await expect(runDirectly(lost, { pattern: 'a' }, contextIn(root))).rejects.toThrow(
      /could not be started.*ENOENT/,
    );
  });

  test('abort ends the search', async () => {
    const controller = new AbortController();
    const slow = join(folder.path, 'slow-rg');
    await writeFile(slow, '#!/bin/sh\necho started >> "$HOME/started"\nsleep 300\n', { mode: 0o755 });
    const tool = createGrepTool({ ripgrepPath: slow });
    const searching = runDirectly(tool, { pattern: 'a' }, contextIn(root, { signal: controller.signal }));
    searching.catch(() => {});
    const { files } = contextIn(root);
    while ((await files.stat(join(root, 'started'))) === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expect(searching).rejects.toThrow(/abort/i);
    await expect(
      runDirectly(tool, { pattern: 'a' }, contextIn(root, { signal: AbortSignal.abort() })),
    ).rejects.toThrow(/abort/i);
  });
});

describe('files that a rule denies reading', () => {
  const denying = (name: string) => ({
    readFilter: () => async (path: string) => path.endsWith(name),
  });

  test.each(['files_with_matches', 'content', 'count'])('Grep leaves them out: %s', async (output_mode) => {
    const context = contextIn(root, denying('mid.ts'));
    const { output } = await runDirectly(createGrepTool(), { pattern: 'alpha', output_mode }, context);
    expect(textOf(output)).not.toContain('mid.ts');
    expect(textOf(output)).toContain('src/old.ts');
    expect(textOf(output)).toContain('denies reading');
    expect(JSON.stringify(output.data)).not.toContain('mid.ts');
  });

  test('Glob too; that rules leave files out is said whether or not one would have been found', async () => {
    const left = await runDirectly(createGlobTool(), { pattern: '*.ts' }, contextIn(root, denying('mid.ts')));
    expect(textOf(left.output)).toContain('src/old.ts\n\n(Files that');
    expect(textOf(left.output)).not.toContain('mid.ts');
    const all = await runDirectly(createGlobTool(), { pattern: '*.md' }, contextIn(root, denying('mid.ts')));
    expect(textOf(all.output)).toMatch(/^docs\/read me\.md\n\n\(Files that/);
  });

  test('what a search answers does not depend on what a denied file holds', async () => {
    const context = contextIn(root, denying('mid.ts'));
    for (const output_mode of ['files_with_matches', 'content', 'count']) {
      const [held, other] = await Promise.all(
        ['alpha beta', 'no such words'].map((pattern) =>
          runDirectly(createGrepTool(), { pattern, output_mode }, context),
        ),
      );
      expect(textOf(held?.output as ToolOutput)).toBe(textOf(other?.output as ToolOutput));
    }
  });
});
