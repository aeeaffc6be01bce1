// Markdown as the site shows it: GitHub's anchors, highlighted code, and links that lead to pages of the site.
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import hljs from 'highlight.js';
import anchor from 'markdown-it-anchor';
import { slug } from './pages.mjs';

const LANGUAGES = { sh: 'bash', ts: 'typescript', js: 'javascript', md: 'markdown', text: 'plaintext' };

/** From one output to another, as a relative address: the same on a server and on a disk. */
export function relativeUrl(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return path === '' ? posix.basename(to) : path;
}

/**
 * @param {import('markdown-it')} markdown
 * @param {{ root: string, outputs: Map<string, string>, titles: Map<string, string>, assets: Map<string, string>, repository?: string }} site
 */
export function configureMarkdown(markdown, site) {
  markdown.set({ html: true, linkify: false, highlight });
  markdown.use(anchor, {
    slugify: slug,
    permalink: anchor.permalink.linkInsideHeader({ symbol: '#', placement: 'after' }),
  });
  markdown.core.ruler.push('links', (state) => {
    const from = state.env.sourceFile;
    for (const { children } of state.tokens) {
      const dropped = [];
      for (const token of children ?? []) {
        if (token.type === 'image') token.attrSet('src', target(from, token.attrGet('src'), site));
        if (token.type === 'link_close' && dropped.pop()) token.hidden = true;
        if (token.type !== 'link_open') continue;
        const href = token.attrGet('href');
        if (href === null || href.startsWith('#')) {
          dropped.push(false);
          continue;
        }
        const to = target(from, href, site);
        const text = children[children.indexOf(token) + 1];
        const title = site.titles.get(posix.normalize(posix.join(posix.dirname(from), href.split('#')[0])));
        if (title !== undefined && /^[\w/-]+\.md$/.test(text?.content ?? '')) text.content = title;
        dropped.push(to === undefined);
        if (to === undefined) token.hidden = true;
        else token.attrSet('href', to);
      }
    }
  });
  const plain = {
    link_open: markdown.renderer.rules.link_open,
    link_close: markdown.renderer.rules.link_close,
  };
  for (const [rule, before] of Object.entries(plain)) {
    markdown.renderer.rules[rule] = (tokens, at, options, env, self) => {
      if (tokens[at].hidden) return '';
      return before ? before(tokens, at, options, env, self) : self.renderToken(tokens, at, options);
    };
  }
  // Wide tables scroll within themselves, not the page.
  markdown.renderer.rules.table_open = () => '<div class="table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
}

function highlight(code, language) {
  const name = LANGUAGES[language] ?? language;
  return hljs.getLanguage(name) ? hljs.highlight(code, { language: name }).value : '';
}

/** Where a link of a page leads on the site; undefined if the site does not have it. */
function target(from, href, { root, outputs, assets, repository }) {
  if (/^[a-z]+:/.test(href)) return href;
  const [path, hash] = href.split('#');
  const source = posix.normalize(posix.join(posix.dirname(from), path));
  const to = outputs.get(source) ?? assets.get(source);
  if (to !== undefined) return relativeUrl(outputs.get(from), to) + (hash === undefined ? '' : `#${hash}`);
  if (!existsSync(join(root, source))) throw new Error(`${from} links ${href}, which does not exist.`);
  return repository === undefined ? undefined : `${repository}/blob/main/${source}`;
}
