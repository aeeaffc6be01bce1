/** Removes elements without text before a page is parsed, because they may be most of it. */
const ELEMENTS = /<(?:!--|(script|style|svg|noscript|template|iframe|object|canvas)(?=[\s/>]))/gi;

/** Linear in one pass: an element that is never closed extends to the end, as in a browser. */
export function withoutElements(html: string): string {
  let kept = '';
  let at = 0;
  ELEMENTS.lastIndex = 0;
  for (let match = ELEMENTS.exec(html); match !== null; match = ELEMENTS.exec(html)) {
    kept += html.slice(at, match.index);
    const close = match[1] === undefined ? /-->/g : new RegExp(`</${match[1]}[^>]*>`, 'gi');
    close.lastIndex = ELEMENTS.lastIndex;
    if (close.exec(html) === null) return kept;
    at = close.lastIndex;
    ELEMENTS.lastIndex = at;
  }
  return kept + html.slice(at);
}

/** The text between tags, for a page that cannot be parsed. */
export function textBetweenTags(html: string): string {
  let text = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) return text + html.slice(at);
    text += `${html.slice(at, open)} `;
    const close = html.indexOf('>', open);
    if (close < 0) return text;
    at = close + 1;
  }
  return text;
}

/** Elements that end with the next of their kind, or immediately. */
const UNNESTED =
  /^(?:p|li|d[dt]|t[dhr]|tbody|thead|tfoot|col|colgroup|caption|option|optgroup|r[pt]|area|base|br|embed|hr|img|input|link|meta|param|source|track|wbr|html|head|body)$/;

/** Upper bound of elements that are open at once. */
export function openElements(html: string): number {
  const open = new Map<string, number>();
  let now = 0;
  let most = 0;
  for (const [, slash, tag = ''] of html.matchAll(/<(\/?)([a-z][^\s/>]{0,30})/gi)) {
    const name = tag.toLowerCase();
    if (UNNESTED.test(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash === '/' && count === 0) continue;
    const step = slash === '/' ? -1 : 1;
    open.set(name, count + step);
    now += step;
    most = Math.max(most, now);
  }
  return most;
}
