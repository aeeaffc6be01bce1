/** What `/help <question>` finds in the documentation, and that the package has room for it. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bestSections, type GuideSection, snippetOf } from '../../../src/conversation/side/guide-search.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const { listSections } = (await import(new URL('scripts/guide.mjs', `file://${ROOT}`).href)) as {
  listSections(root: string): [string, string, string, string][];
};
const sections: readonly GuideSection[] = listSections(ROOT).map(([page, title, heading, text]) => ({
  page,
  title,
  heading,
  text,
}));

test.each([
  ['how do I allow a command without asking', 'permissions'],
  ['mcp server login', 'mcp'],
  ['change the status line', 'screen'],
  ['use ollama', 'models'],
  ['how do I go back to an earlier prompt', 'screen'],
  ['hook before a tool runs', 'hooks'],
  ['resume a session', 'sessions'],
  ['network in the sandbox', 'sandbox'],
  ['CLAUDE.md', 'memory'],
])('%s: %s', (question, page) => {
  const found = bestSections(question, sections, 8);
  expect(found.map((each) => each.page)).toContain(page);
  expect(snippetOf(found[0] as GuideSection, question)).not.toBe('');
});

test('a question of other words finds nothing', () => {
  expect(bestSections('xyzzy of the', sections, 4)).toEqual([]);
});
