// What the search knows: each page by its sections; of the generated reference, names and first sentences.
import { summaryOf } from './layout.mjs';
import { slug } from './pages.mjs';

/** Words of readers that the page about them does not have in a heading. */
const SOUGHT = {
  'docs/memory.md': 'CLAUDE.md CLAUDE.local.md AGENTS.md instructions',
  'docs/hooks.md': 'webhook webhooks http hook',
};

const plain = (text) =>
  text
    // The head of a table, and the line below it.
    .replace(/^\|.*\|\n\|[\s:|-]+\|$/gm, ' ')
    .replace(/(?<!\\)\|\n\|/g, '; ')
    .replace(/\\\|/g, '¦')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|#]/g, ' ')
    .replaceAll('¦', '|')
    .replace(/\s+/g, ' ')
    .trim();

export function searchEntries(pages) {
  const entries = pages.flatMap((page) => {
    const { output, title, source, text } = page;
    if (source.endsWith('.ts'))
      return [{ url: output, page: 'Example', title, text: plain(text).slice(0, 400) }];
    if (source.startsWith('api/')) return [{ url: output, page: 'API', title, text: summaryOf(text) }];
    const [head, ...sections] = withoutFencedHeadings(text).split(/^(?=##+ )/m);
    return [
      { url: output, page: title, title, text: plain(head).slice(0, 1500), sought: SOUGHT[source] },
      ...sections.flatMap((section) => {
        const heading = /^##+ (.+)$/m.exec(section)?.[1] ?? '';
        const url = `${output}#${slug(heading)}`;
        const entry = {
          url,
          page: title,
          title: plain(heading),
          text: plain(section.slice(section.indexOf('\n'))).slice(0, 1500),
        };
        // Options are looked up by name.
        const rows = source === 'docs/options.md' ? [...section.matchAll(/^\| `(\w+)`<br>(.*)\|$/gm)] : [];
        return [
          entry,
          ...rows.map(([, name, cells]) => ({
            url,
            page: title,
            title: name,
            text: plain(cells).slice(0, 300),
          })),
        ];
      }),
    ];
  });
  return entries.map((entry, id) => ({ id, ...entry }));
}

/** A comment in a shell block is no heading. */
function withoutFencedHeadings(text) {
  return text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/^#/gm, ' #'));
}
