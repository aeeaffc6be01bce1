/** HTML to Markdown. Imports turndown: load this file dynamically, with the first page. */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import TurndownService from 'turndown';
import { openElements, textBetweenTags, withoutElements } from './strip-elements.ts';

/** Characters of HTML that are parsed, after stripping: parsing is synchronous. */
const MAX_HTML_CHARS = 1_000_000;
/** Limit of open elements. The cost of parsing grows with them: a small page could take minutes. */
const MAX_OPEN = 150;

/** Links and images are resolved against `base`; of those with data or script only the text is kept. */
export function htmlToMarkdown(html: string, base: URL): string {
  const whole = withoutElements(html);
  const body = takeStart(whole, MAX_HTML_CHARS);
  const isSound = openElements(body) <= MAX_OPEN;
  const text = tidy(isSound ? serviceFor(base).turndown(body) : textBetweenTags(body));
  return body === whole ? text : `${text}\n\n(The page goes on; the rest was not read.)`;
}

function serviceFor(base: URL): TurndownService {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  service.remove(['title', 'meta', 'link', 'button', 'input', 'select', 'textarea']);
  service.addRule('links', {
    filter: (node) => node.nodeName === 'A' && node.hasAttribute('href'),
    replacement(content, node) {
      const target = resolveTarget(
        (node as { getAttribute(name: string): string | null }).getAttribute('href'),
        base,
      );
      const text = content.trim();
      return target === undefined || text === '' ? text : `[${text}](${target})`;
    },
  });
  service.addRule('pictures', {
    filter: 'img',
    replacement(_, node) {
      const picture = node as { getAttribute(name: string): string | null };
      const alt = (picture.getAttribute('alt') ?? '').trim();
      const target = resolveTarget(picture.getAttribute('src'), base);
      if (alt === '') return '';
      return target === undefined ? alt : `![${alt.replaceAll(/\s+/g, ' ')}](${target})`;
    },
  });
  return service;
}

function resolveTarget(given: string | null, base: URL): string | undefined {
  if (given === null || !URL.canParse(given, base.href)) return undefined;
  const { protocol, href } = new URL(given, base.href);
  return /^(?:https?|mailto|ftp):$/.test(protocol) ? href : undefined;
}

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
