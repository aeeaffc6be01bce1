/** What a version's section in CHANGELOG.md is made of. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error The scripts are written in JavaScript.
import { fragmentsIn, gathered, readFragment } from '../../scripts/changes.mjs';

const OLD = '# Changelog\n\n## 0.1.0 (2026-01-01)\n\n### Tools\n\n- Old.\n';

describe('a change', () => {
  it.each([
    ['### Tools\n\n- One.\n- Two,\n  longer.\n', undefined],
    ['- One.\n', /does not begin with "### <section>"/],
    ['### Tolls\n\n- One.\n', /section "Tolls"\. There are: The loop/],
    ['### Tools\n\nOne.\n', /is no list/],
  ])('%j', (text, problem) => {
    const read = () => readFragment('mine.md', text);
    if (problem === undefined) expect(read().section).toBe('Tools');
    else expect(read).toThrow(problem);
  });

  it('each one of this project can be read', () => {
    for (const path of fragmentsIn(join(import.meta.dirname, '../../changes')) as string[])
      readFragment(basename(path), readFileSync(path, 'utf8'));
  });
});

describe('the changelog', () => {
  const tool = { section: 'Tools', entries: '- New.\n' };
  const session = { section: 'Sessions', entries: '- Also new.\n' };

  it('gets a section for a new version, above the others', () => {
    expect(gathered(OLD, '0.2.0', '2026-02-02', [session, tool])).toBe(
      '# Changelog\n\n## 0.2.0 (2026-02-02)\n\n### Tools\n\n- New.\n\n### Sessions\n\n- Also new.\n\n## 0.1.0 (2026-01-01)\n\n### Tools\n\n- Old.\n',
    );
  });

  it('adds to the section of a version that is there, and dates it anew', () => {
    expect(gathered(OLD, '0.1.0', '2026-02-02', [session, tool])).toBe(
      '# Changelog\n\n## 0.1.0 (2026-02-02)\n\n### Tools\n\n- New.\n- Old.\n\n### Sessions\n\n- Also new.\n',
    );
  });
});
