/** The form of the pages: what a reader's Markdown viewer would show broken. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { marked, type Token } from 'marked';
import { describe, expect, it } from 'vitest';
// @ts-expect-error The site is written in JavaScript.
import { slug } from '../site/lib/pages.mjs';

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

interface Page {
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

function readPage(page: string): Page {
  const links: string[] = [];
  const anchors = new Set<string>();
  marked.walkTokens(marked.lexer(readFileSync(join(root, page), 'utf8')), (token: Token) => {
    if (token.type === 'link') links.push(token['href']);
    if (token.type === 'html')
      for (const [, name = ''] of token.raw.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(name);
    if (token.type !== 'heading') return;
    const anchor: string = slug(token['text'].replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
    // A title that stands twice has a number behind its second anchor.
    for (let at = 0, name = anchor; ; at += 1, name = `${anchor}-${at}`)
      if (!anchors.has(name)) {
        anchors.add(name);
        return;
      }
  });
  return { links, anchors };
}

describe('a link', () => {
  it('leads to a file, and to an anchor, that are there', () => {
    const read = new Map(pages.map((page) => [page, readPage(page)]));
    const broken: string[] = [];
    let followed = 0;
    for (const [page, { links }] of read)
      for (const link of links.filter((href) => !/^[a-z]+:/.test(href))) {
        followed += 1;
        const [path = '', anchor] = link.split('#');
        const file = path === '' ? page : relative(root, join(root, dirname(page), path));
        if (!existsSync(join(root, file))) broken.push(`${page} leads to ${link}, which does not exist`);
        else if (anchor !== undefined && read.get(file)?.anchors.has(anchor) === false)
          broken.push(`${page} leads to ${link}: no such anchor`);
      }
    expect(broken).toEqual([]);
    expect(followed).toBeGreaterThan(300);
  });
});
