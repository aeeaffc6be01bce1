// The reference of every public symbol of every entry in package.json, as Markdown that Eleventy makes pages of.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the sources of an entry are that is not a package of its name. */
const NAMED_OTHERWISE = {
  '.': 'engine/src',
  './rehearsal': 'testing/src/rehearsal',
  './testing': 'testing/src/testing',
  './web/client': 'web/src/browser',
};

const { exports: entries } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const sources = Object.keys(entries)
  .filter((entry) => !entry.endsWith('.json'))
  .map((entry) => join('../packages', NAMED_OTHERWISE[entry] ?? join(entry, 'src'), 'index.ts'));
const missing = sources.filter((path) => !existsSync(new URL(path, import.meta.url)));
if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')}: name its folder in typedoc.mjs.`);

export default {
  plugin: ['typedoc-plugin-markdown'],
  entryPoints: sources,
  tsconfig: 'tsconfig.json',
  out: '.cache/api',
  router: 'member',
  readme: 'none',
  name: 'API',
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  githubPages: false,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  enumMembersFormat: 'table',
  useCodeBlocks: true,
  expandObjects: false,
  entryFileName: 'README',
  validation: { notExported: false, invalidLink: true },
  logLevel: 'Warn',
};
