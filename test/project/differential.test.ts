/** scripts/differential.mjs, and what it knows: every reason stands in the guide. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
// @ts-expect-error a program without declarations
import { compare, kindOf, rowsOf, uncited } from '../../scripts/differential.mjs';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const GUIDE = '# Guide\n\n## Names\n\nWe have\nour own names.\n\n## Order\n\nThings come later.\n';
const group = (because: string, ...differences: string[]) => ({ section: 'Names', because, differences });
const NAMES = group('We have our own names.', 'request | main | headers.x-* | missing');
const RESULTS = [
  {
    nn: 'x01',
    name: 'one',
    diffs: [
      { ch: 'request', at: 'main', path: 'headers.x-app', ref: 'cli' },
      { ch: 'stream', at: 'user', path: 'content[3].text', ref: 'a', ours: 'b' },
    ],
  },
];

it('what no row explains is named with its scenarios, and a row that explains nothing', () => {
  const { explained, unexplained, idle } = compare(RESULTS, [
    NAMES,
    group('', 'stream | user | content | differs', 'stream | user | * | missing'),
  ]);
  expect(explained).toBe(1);
  expect([...unexplained.keys()]).toEqual(['stream | user | content[].text | differs']);
  expect([...unexplained.values()]).toMatchObject([{ scenarios: new Set(['x01']) }]);
  expect(idle).toEqual(['stream | user | content | differs', 'stream | user | * | missing']);
});

it('a row that holds sometimes may explain nothing', () => {
  const rows = { ...group('', 'stream | user | content[].text | *', 'a | b | c | *'), sometimes: true };
  expect(compare(RESULTS, [NAMES, rows])).toMatchObject({ explained: 2, idle: [] });
});

it('a row holds for the scenarios that it names', () => {
  const of = (scenarios: string) =>
    compare(RESULTS, [NAMES, group('', `stream | user | content[].* | differs | ${scenarios}`)]);
  expect(of('x01 x02')).toMatchObject({ explained: 2, unexplained: new Map(), idle: [] });
  expect(of('x02')).toMatchObject({ explained: 1, idle: [expect.any(String)] });
});

it('names the kind by who has it', () => {
  expect(kindOf({ ch: 'a', at: 'b', path: 'c', ours: 1 })).toBe('a | b | c | ours only');
  expect(kindOf({ ch: 'a', at: 'b', path: 'c', ref: 1 })).toBe('a | b | c | missing');
});

it.each(['a | b | c', 'a | b | c | gone', 'a | b | c | differs | x01 | x02'])('%j is no row', (row) => {
  expect(() => rowsOf([group('', row)])).toThrow(row);
});

it('the words that are cited must be in their section', () => {
  expect(uncited([NAMES, { noise: 'A clock.', differences: [] }], GUIDE)).toEqual([]);
  expect(uncited([{ ...NAMES, section: 'Order' }, group('We have none.')], GUIDE)).toEqual([
    'Order: We have our own names.',
    'Names: We have none.',
  ]);
});

it('the program ends with 1 unless all is explained, by rows that are needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-differential-'));
  const write = (name: string, content: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  const run = (known: unknown) => {
    const args = [write('diffs.json', RESULTS), '--known', write('known.json', known)];
    const guide = ['--guide', write('guide.md', GUIDE)];
    try {
      return [
        0,
        execFileSync(process.execPath, [at('scripts/differential.mjs'), ...args, ...guide], {
          encoding: 'utf8',
        }),
      ];
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return [status, stdout];
    }
  };
  const all = [NAMES, group('our own names', 'stream | user | * | differs')];
  expect(run(all)).toEqual([0, expect.stringContaining(' 0 kinds unexplained')]);
  expect(run([NAMES])).toEqual([1, expect.stringContaining('x01: "a" => "b"')]);
  expect(run([...all, group('our own names', 'x | y | z | differs')])[0]).toBe(1);
  expect(run([...all.slice(0, 1), { ...all[1], because: 'no names' }])[0]).toBe(1);
});

it('every known difference cites what docs/compatibility.md says', () => {
  const known = JSON.parse(readFileSync(at('test/project/known-differences.json'), 'utf8'));
  expect(uncited(known, readFileSync(at('docs/compatibility.md'), 'utf8'))).toEqual([]);
  const rows = rowsOf(known).map(({ row }: { row: string }) => row);
  expect(new Set(rows).size).toBe(rows.length);
});
