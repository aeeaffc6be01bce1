/** The form of the pages: what a reader's Markdown viewer would show broken. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The tables of a page, each as its lines; code blocks are left out. */
function tablesOf(page: string): Line[][] {
  const tables: Line[][] = [];
  let inCode = false;
  let inTable = false;
  for (const [at, text] of readFileSync(join(root, page), 'utf8').split('\n').entries()) {
    if (text.startsWith('```')) inCode = !inCode;
    const goesOn: boolean = !inCode && text.trim() !== '' && (inTable || text.startsWith('|'));
    if (goesOn && !inTable) tables.push([]);
    inTable = goesOn;
    if (inTable) tables.at(-1)?.push({ number: at + 1, text });
  }
  return tables;
}

/** Cells of a row, the outer bars excluded; a bar inside code or behind a backslash separates nothing. */
const cellCount = (row: string) => row.replaceAll(/`[^`]*`|\\\|/g, '').split('|').length - 2;

describe('a table', () => {
  it('was found in many pages', () => {
    expect(pages.filter((page) => tablesOf(page).length > 0).length).toBeGreaterThan(15);
  });

  it('has as many cells in each row as in its head, and one row a line', () => {
    const broken = pages.flatMap((page) =>
      tablesOf(page).flatMap(([head, ...rows]) =>
        rows
          .filter(({ text }) => !/^\|.*\|$/.test(text) || cellCount(text) !== cellCount(head?.text ?? ''))
          .map(({ number }) => `${page}:${number}`),
      ),
    );
    expect(broken).toEqual([]);
  });
});

it('every page of docs/ is in the list of the site', () => {
  const navigation = readFileSync(join(root, 'site/navigation.mjs'), 'utf8');
  const own = pages.filter((page) => /^docs\/[^/]+$/.test(page));
  expect(own.filter((page) => !navigation.includes(`'${page}'`))).toEqual([]);
});
