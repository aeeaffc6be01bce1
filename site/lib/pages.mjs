// What the site consists of: which file becomes which page, with its title and its place in the navigation.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { SECTIONS, SHORT, UNLISTED } from '../navigation.mjs';

const markdownIn = (root, folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
        .sort()
    : [];

/**
 * `docs/recipes/x.md` → `recipes/x.html`, `README.md` → `index.html`, `examples/01-a.ts` → `examples/01-a.html`, and what
 * stands beside the README → `project/security.html`.
 */
export function outputOf(source) {
  if (source === 'README.md') return 'index.html';
  const path = source.replace(/\.(?:md|ts)$/, '.html');
  if (path.startsWith('docs/')) return path.slice('docs/'.length);
  if (path.includes('/')) return path.replace(/\/README\.html$/, '/index.html');
  return `project/${path.toLowerCase()}`;
}

/** GitHub's anchors, which the pages' links are written for. */
export const slug = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const titleOf = (source, text) =>
  (/^# (.+)$/m.exec(text)?.[1] ?? basename(source)).replaceAll('`', '').replaceAll('\\', '');

/** What each entry is for, by its folder in the sources, the most used first. */
const ENTRIES = {
  index: '`query()`, tools, sessions, settings, types of all messages and options',
  testing: 'a scripted model, doubles and a virtual clock for tests; checks for stores',
  rehearsal: 'the Messages API on loopback, with faults by name',
  page: 'an agent for pages in a browser, and the stream of the AI SDK',
  'page/browser': 'the page’s part of it',
  durable: 'sessions in Postgres, workers and the client that sends to them',
};

/** The reference names an entry after its file: as it is imported reads better. */
function named(source, text) {
  const [, entry] = /^api\/([\w/]+)\/README\.md$/.exec(source) ?? [];
  const specifier = (name) =>
    name === 'index'
      ? 'turnwright'
      : `turnwright/${name.replace(/^page\b/, 'web').replace('browser', 'client')}`;
  if (entry !== undefined) return text.replace(/^# .*/, `# ${specifier(entry)}`);
  if (source !== 'api/README.md') return text.replace(/^# (?:Type Alias|[A-Z][a-z]+): (.*)/, '# $1');
  const folders = [...text.matchAll(/\]\(([\w/]+)\/README\.md\)/g)].map(([, folder]) => folder);
  const unknown = folders.filter((folder) => ENTRIES[folder] === undefined);
  if (unknown.length > 0)
    throw new Error(`ENTRIES in site/lib/pages.mjs has no sentence for ${unknown.join(', ')}.`);
  const lines = Object.entries(ENTRIES).map(
    ([folder, meaning]) => `- [${specifier(folder)}](${folder}/README.md): ${meaning}`,
  );
  return `# API\n\nEvery name that an entry of the package exports, made from the sources.\n\n${lines.join('\n')}\n`;
}

/**
 * @param {string} root the repository
 * @param {string} api the folder with the generated reference, as Markdown
 */
export function collectPages(root, api) {
  const page = (source, text, section) => ({
    source,
    text,
    section,
    output: outputOf(source),
    title: titleOf(source, text),
    label: SHORT[source] ?? titleOf(source, text),
  });
  const read = (source) => readFileSync(join(root, source), 'utf8');
  const fromApi = markdownIn(api, '.').map((path) => {
    const source = posix.join('api', path);
    return page(source, named(source, readFileSync(join(api, path), 'utf8')), 'API');
  });
  const sections = SECTIONS.map(({ title, pages, folder }) => ({
    title,
    pages: [...pages, ...(folder ? markdownIn(root, folder) : [])]
      .filter((source) => source !== 'api.md')
      .map((source) => {
        if (!existsSync(join(root, source)))
          throw new Error(`site/navigation.mjs names ${source}, which does not exist.`);
        return page(source, read(source), title);
      }),
  }));
  const listed = new Set(sections.flatMap(({ pages }) => pages.map(({ source }) => source)));
  const further = markdownIn(root, 'docs').filter((source) => !listed.has(source));
  const lost = further.filter((source) => !UNLISTED.some((start) => source.startsWith(start)));
  if (lost.length > 0) throw new Error(`site/navigation.mjs does not name ${lost.join(', ')}.`);
  const programs = readdirSync(join(root, 'examples'))
    .filter((name) => /^\d.*\.ts$/.test(name))
    .map((name) => {
      const text = read(`examples/${name}`);
      return page(`examples/${name}`, `# ${name}\n\n\`\`\`\`ts\n${text}\`\`\`\`\n`, 'Example programs');
    });
  const reference = sections.find(({ title }) => title === 'Reference');
  const door = fromApi.find(({ source }) => source === 'api/README.md');
  if (door !== undefined) reference.pages.unshift({ ...door, label: 'API', section: 'Reference' });
  const all = [
    ...sections.flatMap(({ pages }) => pages),
    ...further.map((source) => page(source, read(source), 'Specification')),
    ...programs,
    ...fromApi.filter((each) => each !== door),
  ];
  return { sections, all };
}
