/** Each error that docs/troubleshooting.md quotes is one that the program writes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles } from './sources.ts';

const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
const quoted = [...page.matchAll(/^### `(.+)`$/gm)].map(([, text = '']) => text);
const sources = sourceFiles().map((path) =>
  readFileSync(join(ROOT, path), 'utf8').replaceAll('\\u00b7', '·'),
);

describe('docs/troubleshooting.md', () => {
  it('quotes errors', () => {
    expect(quoted.length).toBeGreaterThanOrEqual(20);
  });

  it.each(quoted)('%s', (text) => {
    // What differs from run to run is `…` on the page and a value in the source, which has all parts in one file.
    const parts = text
      .split('…')
      .map((part) => part.trim())
      .filter((part) => part.length > 3);
    expect(sources.some((source) => parts.every((part) => source.includes(part)))).toBe(true);
  });
});
