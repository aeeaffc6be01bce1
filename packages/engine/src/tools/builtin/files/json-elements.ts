/** Locates the elements of a list in a JSON text, so that one can be changed and every other byte stays. */

interface ListSpan {
  /** Offset behind `[`. */
  readonly start: number;
  /** Offset of `]`. */
  readonly end: number;
  readonly elements: readonly { readonly start: number; readonly end: number }[];
}

/** The list under a key of the outermost object; undefined when it has none. The text must be valid JSON. */
export function findList(json: string, key: string): ListSpan | undefined {
  let at = afterSpace(json, afterSpace(json, 0) + 1);
  let found: ListSpan | undefined;
  while (json[at] === '"') {
    const keyEnd = valueEnd(json, at);
    const value = afterSpace(json, afterSpace(json, keyEnd) + 1);
    // Of two keys with one name the last counts, as for every JSON parser.
    if (JSON.parse(json.slice(at, keyEnd)) === key)
      found = json[value] === '[' ? listAt(json, value) : undefined;
    at = afterSpace(json, valueEnd(json, value));
    if (json[at] === ',') at = afterSpace(json, at + 1);
  }
  return found;
}

function listAt(json: string, open: number): ListSpan {
  const elements: { start: number; end: number }[] = [];
  let at = afterSpace(json, open + 1);
  while (json[at] !== ']') {
    const end = valueEnd(json, at);
    elements.push({ start: at, end });
    at = afterSpace(json, end);
    if (json[at] === ',') at = afterSpace(json, at + 1);
  }
  return { start: open + 1, end: at, elements };
}

function afterSpace(json: string, from: number): number {
  let at = from;
  while (/\s/.test(json[at] ?? '')) at++;
  return at;
}

/** Behind the value that begins at `from`. */
function valueEnd(json: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < json.length) {
    const char = json[at];
    if (char === '"') at = stringEnd(json, at);
    else {
      if (depth === 0 && at > from && /[\s,\]}]/.test(char ?? '')) return at;
      if (char === '{' || char === '[') depth++;
      if (char === '}' || char === ']') depth--;
      at++;
    }
    if (depth === 0 && /["}\]]/.test(char ?? '')) return at;
  }
  return at;
}

function stringEnd(json: string, quote: number): number {
  let at = quote + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}
