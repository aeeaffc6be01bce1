/** Files as they are on real disks: other encodings, line ends, links, mounts, folders that take no files. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { oneCellNotebook } from '@turnwright/test/notebook.ts';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, onTestFinished, test } from 'vitest';

const read = (file_path: string): Call => ['Read', { file_path }];
const edit = (file_path: string, old_string: string, new_string: string): Call => [
  'Edit',
  { file_path, old_string, new_string },
];
const write = (file_path: string, content: string): Call => ['Write', { file_path, content }];

describe('encodings', () => {
  const bytes = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
  /** A line `keep`, then one in the encoding; what Read shows of that line, and what it says. */
  const FILES: readonly (readonly [name: string, line: Buffer, shown: string, says: RegExp | undefined])[] = [
    ['UTF-8', Buffer.from('price € 5'), 'price € 5', undefined],
    ['Windows-1252', bytes('70 80 35 99 93 94'), 'p€5™“”', /not UTF-8.*Windows-1252/],
    ['Latin-1', bytes('e9 fc df'), 'éüß', /not UTF-8/],
    ['unassigned bytes', bytes('81 8d 8f 90 9d'), '\x81\x8d\x8f\x90\x9d', /not UTF-8/],
    ['GBK', bytes('c4 e3 ba c3'), 'ÄãºÃ', /another encoding/],
    ['Shift-JIS', bytes('82 b1 82 f1'), '‚±‚ñ', /another encoding/],
    ['KOI8-R', bytes('d0 d2 c9'), 'ÐÒÉ', /another encoding/],
    ['Big5', bytes('a7 41 a6 6e'), '§A¦n', /another encoding/],
  ];

  test.each(FILES)(
    '%s: read, edited and written without the loss of a byte',
    async (name, line, shown, says) => {
      const at = place();
      const path = join(at.project, 'f.txt');
      writeFileSync(path, Buffer.concat([Buffer.from('keep\n'), line, Buffer.from('\n')]));
      const { answers } = await runCalls(
        [
          read('f.txt'),
          edit('f.txt', 'keep', 'kept'),
          edit('f.txt', shown, `${shown}!`),
          edit('f.txt', 'kept', '中文'),
          write('f.txt', `${shown}中文\n`),
        ],
        at,
      );
      const isUtf8 = says === undefined;
      expect(answers[0]?.text).toContain(shown);
      if (isUtf8) expect(answers[0]?.text).not.toContain('not UTF-8');
      else expect(answers[0]?.text).toMatch(says);
      expect(answers.map(({ isError }) => isError)).toEqual([false, false, false, !isUtf8, !isUtf8]);
      if (isUtf8) return;
      for (const { text } of answers.slice(3))
        expect(text, name).toMatch(/no byte for 中 \(U\+4E2D\).*Nothing was written/s);
      expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.from('kept\n'), line, Buffer.from('!\n')]));
    },
  );

  test('Write that keeps the encoding says which', async () => {
    const at = place();
    const path = join(at.project, 'f.txt');
    writeFileSync(path, bytes('70 80'));
    const { answers } = await runCalls([read('f.txt'), write('f.txt', '“€™')], at);
    expect(readFileSync(path)).toEqual(bytes('93 80 99'));
    expect(answers[1]?.text).toContain('still Windows-1252');
  });
});

describe('line ends', () => {
  const ENDS = { LF: '\n', CRLF: '\r\n', CR: '\r' } as const;
  const kinds = Object.keys(ENDS) as (keyof typeof ENDS)[];
  const all = kinds.flatMap((file) => kinds.flatMap((from) => kinds.map((to) => [file, from, to] as const)));

  test.each(all)('a file with %s, old text with %s, new text with %s', async (file, from, to) => {
    const at = place();
    const path = join(at.project, 'f.txt');
    const text = ['a', 'b', 'c', ''].join(ENDS[file]);
    writeFileSync(path, text);
    const old = `a${ENDS[from]}b`;
    const { answers } = await runCalls(
      [edit('f.txt', old, `a${ENDS[to]}b`), edit('f.txt', old, `x${ENDS[to]}y`)],
      at,
    );
    const [ends, words] = answers;
    const now = readFileSync(path, 'utf8');
    // LF and CRLF stand for each other; a lone CR stands for itself, but in a file that has no other line ends.
    const alike = (one: string, other: string) => file === 'CR' || (one === 'CR') === (other === 'CR');
    const kept = ENDS[file];
    if (!alike(file, from)) {
      expect(ends?.isError).toBe(true);
      expect(words).toMatchObject({ isError: true, text: expect.stringMatching(/carriage return/) });
      expect(now).toBe(text);
    } else if (alike(from, to)) {
      expect(ends).toMatchObject({
        isError: true,
        text: expect.stringMatching(/line ends only|are the same/),
      });
      expect(words?.isError).toBe(false);
      expect(now).toBe(`x${kept}y${ENDS[file]}c${ENDS[file]}`);
    } else {
      // A CR in place of a line break, or the reverse, is a change.
      expect(ends?.isError).toBe(false);
      expect(now).not.toBe(text);
    }
  });
});

describe('text that only looks the same is named', () => {
  test.each([
    ['a no-break space', 'price\u00a05', 'price 5', /U\+00A0 \(no-break space\)/],
    ['a decomposed letter', 'cafe\u0301', 'caf\u00e9', /composed or decomposed/],
    ['a composed letter', 'caf\u00e9', 'cafe\u0301', /composed or decomposed/],
    ['curly quotes', 'say \u201chi\u201d', 'say "hi"', /U\+201C \(left double quotation mark\)/],
    ['an apostrophe', 'it\u2019s', "it's", /U\+2019/],
    ['a zero-width space', 'a\u200bb', 'ab', /U\+200B \(zero-width space\)/],
    ['an em dash', 'a \u2014 b', 'a - b', /U\+2014/],
    ['a tab', 'a\tb', 'a    b', /U\+0009 \(tab\)/],
    ['blanks at the end of a line', 'a  \nb', 'a\nb', /ends of lines/],
    ['a full-width letter', '\uff21bc', 'Abc', /full-width/],
    ['two at once', 'say\u00a0\u201chi\u201d', 'say "hi"', /several kinds/],
  ])('%s', async (_, file, old, says) => {
    const at = place();
    writeFileSync(join(at.project, 'f.txt'), `first\n${file}\n`);
    const { answers } = await runCalls([edit('f.txt', old, 'new')], at);
    expect(answers[0]).toMatchObject({ isError: true, text: expect.stringMatching(says) });
    expect(answers[0]?.text).toContain('from line 2 on');
  });
});

/** Each writer of a file, with its text before and after. */
const WRITERS: readonly (readonly [
  name: string,
  file: string,
  before: string,
  calls: readonly Call[],
  after: string,
])[] = [
  ['Edit', 'f.txt', 'old', [edit('f.txt', 'old', 'new')], 'new'],
  ['Write', 'f.txt', 'old and longer', [read('f.txt'), write('f.txt', 'new')], 'new'],
  [
    'NotebookEdit',
    'n.ipynb',
    oneCellNotebook('old'),
    [['NotebookEdit', { notebook_path: 'n.ipynb', cell_id: 'c1', new_source: 'new' }]],
    'new',
  ],
];

const canMount = (() => {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

describe.each(WRITERS)('%s', (_, file, before, calls, after) => {
  const textOf = (path: string) => readFileSync(path, 'utf8');

  test.skipIf(!canMount)('a file that is mounted on its own (needs root and mounts)', async (context) => {
    const at = place();
    const [outside, path] = [join(at.root, 'outside'), join(at.project, file)];
    for (const each of [outside, path]) writeFileSync(each, before);
    try {
      execFileSync('mount', ['--bind', outside, path], { stdio: 'ignore' });
    } catch {
      return context.skip('This system allows no mounts.');
    }
    onTestFinished(() => void execFileSync('umount', [path]));
    const { answers } = await runCalls(calls, at);
    expect(answers.at(-1)).toMatchObject({
      isError: false,
      text: expect.stringMatching(/in place: it is mounted/),
    });
    expect(textOf(outside)).toContain(after);
    expect(textOf(outside)).not.toContain('longer');
    expect(readdirSync(at.project)).toEqual([file]);
  });

  test('a file with two names keeps both', async () => {
    const at = place();
    const [path, second] = [join(at.project, file), join(at.root, 'second')];
    writeFileSync(path, before);
    linkSync(path, second);
    const { answers } = await runCalls(calls, at);
    expect(answers.at(-1)?.text).toMatch(/in place: its 2 names/);
    expect(textOf(second)).toContain(after);
    expect(statSync(path).ino).toBe(statSync(second).ino);
  });

  test('a read-only file is not changed without a word', async () => {
    const at = place();
    const path = join(at.project, file);
    writeFileSync(path, before, { mode: 0o444 });
    const { answers } = await runCalls(calls, at);
    expect(answers.at(-1)?.text).toContain('was read-only (mode 444)');
    expect(textOf(path)).toContain(after);
    expect(statSync(path).mode & 0o777).toBe(0o444);
  });
});

describe('a path through a file', () => {
  test.each<readonly [string, Call]>([
    ['Write', write('d/x/y.txt', 'new')],
    ['Write, deeper', write('d/x/y/z.txt', 'new')],
    ['Edit', edit('d/x/y.txt', 'a', 'b')],
    ['Edit that creates', edit('d/x/y.txt', '', 'b')],
    ['Read', read('d/x/y.txt')],
    ['NotebookEdit', ['NotebookEdit', { notebook_path: 'd/x/y.ipynb', cell_id: 'c', new_source: 's' }]],
  ])('%s names the file', async (_, call) => {
    const at = place();
    mkdirSync(join(at.project, 'd'));
    writeFileSync(join(at.project, 'd/x'), 'a file');
    const { answers } = await runCalls([call], at);
    expect(answers[0]).toMatchObject({
      isError: true,
      text: expect.stringMatching(/d\/x is a file, not a folder/),
    });
    expect(readFileSync(join(at.project, 'd/x'), 'utf8')).toBe('a file');
  });
});

test('an image is one by its content, whatever its name', async () => {
  const at = place();
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  for (const name of ['shot', 'shot.bin', '.shot'])
    writeFileSync(join(at.project, name), Buffer.from(png, 'base64'));
  const { answers } = await runCalls([read('shot'), read('shot.bin'), read('.shot')], at);
  for (const { blocks } of answers) expect(blocks).toMatchObject([{ type: 'image' }]);
});

test('a file with the longest name in letters of three bytes is written', async () => {
  const at = place();
  const name = '文'.repeat(85);
  const { answers } = await runCalls([write(name, 'x'), edit(name, 'x', 'y')], at);
  expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
  expect(existsSync(join(at.project, name))).toBe(true);
});

test.skipIf(process.getuid?.() === 0)(
  'a folder without write permission (not as root, who may write anywhere)',
  async () => {
    const at = place();
    writeFileSync(join(at.project, 'f.txt'), 'old');
    chmodSync(at.project, 0o555);
    onTestFinished(() => chmodSync(at.project, 0o755));
    const { answers } = await runCalls([edit('f.txt', 'old', 'new')], at);
    expect(answers[0]?.text).toMatch(/in place: nothing can be created/);
    expect(readFileSync(join(at.project, 'f.txt'), 'utf8')).toBe('new');
  },
);
