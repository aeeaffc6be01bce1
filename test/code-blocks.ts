/**
 * The code blocks of README and docs. A comment that readers do not see may stand directly before a block:
 * `<!-- given: … -->` is code that the block needs and its reader has, `<!-- only compiled: … -->` says why it cannot be
 * run on its own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Pages whose blocks another test compiles and runs, because they need other packages. */
export const TESTED_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/web.md': 'test/bundlers/web-page.test.ts',
  'docs/recipes/next-js.md': 'test/runtimes',
  'docs/recipes/choose-a-model.md': 'test/front-door/recipes.test.ts',
};

export interface CodeBlock {
  readonly page: string;
  /** Number of the line of the fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The file that the page has its reader write: a paragraph before the block ends with its name and a colon. */
  readonly file: string | undefined;
  readonly given: string;
  readonly onlyCompiled: string | undefined;
}

/** `agent.mjs`, or `Dockerfile`: at the end of what comes before a block. Another word without an ending is no file. */
export const fileNamed = (before: string) => /`([\w./-]+\.\w+|[A-Z]\w+file)`:$/.exec(before.trimEnd())?.[1];

export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export function codeBlocks(...languages: readonly string[]): readonly CodeBlock[] {
  return PAGES.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [
      ...text.matchAll(/((?:^<!-- (?:given|only compiled): .*? -->\n)*)^```(\w+)\n([\s\S]*?)^```$/gm),
    ].map(([, comments = '', language = '', block = ''], at, all) => ({
      page,
      line: text.slice(0, (all[at]?.index ?? 0) + comments.length).split('\n').length,
      language,
      text: block,
      file: fileNamed(text.slice(0, all[at]?.index)),
      given: /<!-- given: (.*?) -->/.exec(comments)?.[1] ?? '',
      onlyCompiled: /<!-- only compiled: (.*?) -->/.exec(comments)?.[1],
    }));
  }).filter(({ language }) => languages.includes(language));
}
