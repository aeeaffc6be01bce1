// The pages of the repository as a site: each becomes a page of plain HTML whose addresses are relative.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layout } from './lib/layout.mjs';
import { configureMarkdown } from './lib/markdown.mjs';
import { collectPages } from './lib/pages.mjs';
import { searchEntries } from './lib/search-entries.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const PICTURES = new Map([
  ['docs/assets/screen.svg', 'assets/screen.svg'],
  ['docs/performance.svg', 'assets/performance.svg'],
]);

export default function configure(eleventy) {
  const { sections, all } = collectPages(root, join(here, '.cache/api'));
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const repositoryUrl = /https:\/\/[^#]+?(?=\.git|$)/.exec(repository?.url ?? '')?.[0];
  const outputs = new Map(all.map(({ source, output }) => [source, output]));
  const titles = new Map(all.map(({ source, label }) => [source, label]));
  const inOrder = sections.flatMap(({ pages }) => pages);

  eleventy.setQuietMode(true);
  eleventy.setUseGitIgnore(false);
  eleventy.amendLibrary('md', (markdown) =>
    configureMarkdown(markdown, { root, outputs, titles, assets: PICTURES, repository: repositoryUrl }),
  );
  for (const page of all) {
    eleventy.addTemplate(`${page.output.replace(/\.html$/, '')}.md`, page.text, {
      sourceFile: page.source,
      permalink: page.output,
    });
  }
  const byOutput = new Map(all.map((page) => [page.output, page]));
  eleventy.addTransform('layout', function frame(content) {
    const page = byOutput.get(posix.relative('dist', this.page.outputPath || '.'));
    if (page === undefined) return content;
    const at = inOrder.findIndex(({ source }) => source === page.source);
    const near = at < 0 ? {} : { previous: inOrder[at - 1], next: inOrder[at + 1] };
    return layout({ page, sections, content, ...near });
  });
  eleventy.addPassthroughCopy({
    assets: 'assets',
    'node_modules/minisearch/dist/umd/index.js': 'assets/minisearch.js',
  });
  for (const [from, to] of PICTURES) eleventy.addPassthroughCopy({ [`../${from}`]: to });
  eleventy.addTemplate('search-index.11ty.js', {
    data: { permalink: 'assets/search-index.js' },
    render: () => `window.SEARCH_ENTRIES = ${JSON.stringify(searchEntries(all))};\n`,
  });
  return {
    dir: { input: 'pages', output: 'dist' },
    markdownTemplateEngine: false,
    templateFormats: ['md', '11ty.js'],
  };
}
