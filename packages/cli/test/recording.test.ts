/** The picture at the top of the README: made by `npm run recording` from a rehearsed conversation, and up to date. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const PICTURE = new URL('../../../docs/assets/screen.svg', import.meta.url);
const svg = readFileSync(PICTURE, 'utf8');

interface Recorder {
  record(pace: number): Promise<{ readonly reads: readonly { atMs: number; data: string }[] }>;
}
interface Renderer {
  renderSvg(
    reads: readonly { atMs: number; data: string }[],
    size: { columns: number; rows: number },
  ): Promise<{ readonly svg: string; readonly lines: readonly string[] }>;
}
const script = <T>(name: string): Promise<T> =>
  import(new URL(`../../../scripts/recording/${name}.mjs`, import.meta.url).href) as Promise<T>;

/**
 * How each line begins: its wording and its figures may change without a new picture. Files that are read side by side
 * are read in any order.
 */
function structure(lines: readonly string[]): readonly string[] {
  const begun = lines.map((line) => line.slice(0, 16).trimEnd().replace(/\d+/g, '#'));
  const reads = begun.filter((line) => line.startsWith('● Read')).toSorted();
  return begun
    .filter((line) => line !== '')
    .map((line) => (line.startsWith('● Read') ? (reads.shift() ?? '') : line));
}

describe('the recording', () => {
  test('is small, and needs nothing from elsewhere', () => {
    expect(svg.length).toBeLessThan(200_000);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import|<script|<image/);
    expect(svg).toContain('prefers-reduced-motion');
  });

  test('shows what the command line does now; if not: npm run recording', async () => {
    const { record } = await script<Recorder>('record');
    const { renderSvg } = await script<Renderer>('render-svg');
    const { reads } = await record(0);
    const { lines } = await renderSvg(reads, { columns: 88, rows: 27 });
    const text = /<desc id="d">([\s\S]*?)<\/desc>/.exec(svg)?.[1] ?? '';
    const shown = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').split('\n');
    expect(structure(lines)).toEqual(structure(shown));
  });

  test('is the same picture for the same bytes', async () => {
    const { renderSvg } = await script<Renderer>('render-svg');
    const reads = [
      { atMs: 0, data: 'one \x1b[31m<red>\x1b[0m\r\n' },
      { atMs: 500, data: 'two\r\n\x1b[1mthree' },
      { atMs: 9_000, data: '\r\x1b[Kfour' },
    ];
    const size = { columns: 20, rows: 4 };
    const [first, second] = [await renderSvg(reads, size), await renderSvg(reads, size)];
    expect(first.svg).toBe(second.svg);
    expect(first.lines.slice(0, 3)).toEqual(['one <red>', 'two', 'four']);
    expect(first.svg).toContain('&lt;red&gt;</text>');
  });
});
