/** What Glob and Grep find in projects as they are: ignored files, and folders with brackets in their names. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, test } from 'vitest';

type Case = readonly [call: Call, found: readonly string[]];
const glob = (pattern: string, path?: string): Call => ['Glob', { pattern, ...(path && { path }) }];
const grep = (by: Record<string, unknown>): Call => ['Grep', { pattern: 'needle', ...by }];

async function check(files: Readonly<Record<string, string>>, cases: readonly Case[]) {
  const at = place();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at.project, name)), { recursive: true });
    writeFileSync(join(at.project, name), content);
  }
  const { answers } = await runCalls(
    cases.map(([call]) => call),
    at,
  );
  const lines = (text: string) => (text === 'No files found' ? [] : text.split('\n').sort());
  expect(answers.map(({ text }, i) => [JSON.stringify(cases[i]?.[0]), lines(text)])).toEqual(
    cases.map(([call, found]) => [JSON.stringify(call), [...found].sort()]),
  );
}

describe('a glob does not bring back what .gitignore leaves out', () => {
  const FILES = {
    '.git/HEAD': 'ref: refs/heads/main\n',
    '.git/info/exclude': 'private.md\n',
    '.gitignore': 'node_modules/\n.cache/.*\n*.log\n!keep.log\n.env\ndist\n',
    'sub/.gitignore': '!b.log\n',
    'node_modules/p/README.md': 'needle',
    '.cache/.x.json': 'needle',
    'dist/out.js': 'needle',
    'keep.md': 'needle',
    'private.md': 'needle',
    'keep.log': 'needle',
    'a.log': 'needle',
    'sub/b.log': 'needle',
    'sub/c.log': 'needle',
    '.env': 'needle',
  };
  const KEPT = ['keep.log', 'keep.md', 'sub/b.log'];
  const CASES: readonly Case[] = [
    [glob('**/*'), [...KEPT, '.gitignore', 'sub/.gitignore']],
    [glob('**'), [...KEPT, '.gitignore', 'sub/.gitignore']],
    [glob('*.log'), ['keep.log', 'sub/b.log']],
    [glob('*.md'), ['keep.md']],
    [glob('**/*.{md,json,js}'), ['keep.md']],
    [glob('*', 'sub'), ['sub/.gitignore', 'sub/b.log']],
    [grep({ glob: '*.*' }), KEPT],
    [grep({ glob: '**/*.log' }), ['keep.log', 'sub/b.log']],
    [
      grep({ glob: '*.log', output_mode: 'content', '-C': 1 }),
      ['--', 'keep.log:1:needle', 'sub/b.log:1:needle'],
    ],
    [grep({ glob: '*.js,*.log', type: 'log' }), ['keep.log', 'sub/b.log']],
    // A file that is named, and a folder that is, are found.
    [glob('.env'), ['.env']],
    [glob('**/.env'), ['.env']],
    [glob('{a,x}.log'), ['a.log']],
    [glob('dist/*'), ['dist/out.js']],
    [glob('**/*.md', 'node_modules'), ['node_modules/p/README.md']],
    [glob('node_modules/**/*.md'), ['node_modules/p/README.md']],
    [grep({ glob: '.env' }), ['.env']],
    [grep({ glob: '*.md', path: 'node_modules' }), ['node_modules/p/README.md']],
  ];
  test('Glob and Grep', () => check(FILES, everyNth(3, CASES)));
});

describe('a type that is an extension is the files with that extension', () => {
  const FILES = Object.fromEntries(
    ['a.tsx', 'a.ts', 'b.jsx', 'b.mjs', 'b.js', 'c.rs', 'd.yml', 'd.yaml', 'e.kt'].map((name) => [
      name,
      'needle',
    ]),
  );
  const CASES: readonly Case[] = [
    [grep({ type: 'tsx' }), ['a.tsx']],
    [grep({ type: 'jsx' }), ['b.jsx']],
    [grep({ type: 'mjs' }), ['b.mjs']],
    [grep({ type: 'rs' }), ['c.rs']],
    [grep({ type: 'yml' }), ['d.yml']],
    [grep({ type: 'kt' }), ['e.kt']],
    [grep({ type: 'ts' }), ['a.ts', 'a.tsx']],
    [grep({ type: 'js', glob: '*.js' }), ['b.js']],
  ];
  test('Grep', () => check(FILES, CASES));
  test('an unknown one is still an error', async () => {
    const { answers } = await runCalls([grep({ type: 'tsxx' })], place());
    expect(answers[0]).toMatchObject({ isError: true, text: expect.stringContaining('tsxx') });
  });
});

describe('brackets are names where they match nothing else', () => {
  const FILES = {
    'app/[id]/page.tsx': 'needle',
    'app/[user-id]/page.tsx': 'needle',
    'app/[...slug]/page.tsx': 'needle',
    'app/[[...rest]]/page.tsx': 'needle',
    'app/(group)/page.tsx': 'needle',
    'app/{key}/page.tsx': 'needle',
    'app/@modal/page.tsx': 'needle',
    'a1.txt': 'needle',
  };
  const FOLDERS = ['[id]', '[user-id]', '[...slug]', '[[...rest]]', '(group)', '{key}', '@modal'];
  const CASES: readonly Case[] = [
    ...FOLDERS.flatMap((name): Case[] => [
      [glob(`app/${name}/*.tsx`), [`app/${name}/page.tsx`]],
      [glob(`app/${name}/page.tsx`), [`app/${name}/page.tsx`]],
      [glob(`**/${name}/**/*.{ts,tsx}`), [`app/${name}/page.tsx`]],
      [grep({ glob: `app/${name}/*.tsx` }), [`app/${name}/page.tsx`]],
      [grep({ path: `app/${name}` }), [`app/${name}/page.tsx`]],
    ]),
    // Where the pattern matches as it is, it is one.
    [glob('[a-b][0-9].txt'), ['a1.txt']],
    [glob('app/[[]id]/*'), ['app/[id]/page.tsx']],
    [glob('[xy]*.none'), []],
  ];
  test('Glob and Grep', () => check(FILES, everyNth(3, CASES)));
});
