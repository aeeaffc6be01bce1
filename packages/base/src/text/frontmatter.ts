/** The block between two lines of `---` at the head of a Markdown file. */

interface Frontmatter {
  /** Empty when there is none. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What follows. */
  readonly body: string;
  /** Why the block, or a part of it, was ignored. */
  readonly problem?: string;
  /** Keys whose values could not be read; the other fields were. */
  readonly unread?: readonly string[];
}

/** Maximum characters of a block. Generated ones keep their whole history in a field. */
const MAX_CHARS = 131_072;
/** Blank lines and a comment, such as a licence, may precede the block. */
const BEFORE = /^\uFEFF?(?:[ \t]*\r?\n|<!--[\s\S]{0,4000}?-->[ \t]*\r?\n)*/;
const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^-{3,}[ \t]*(?:\r?\n|$)/m;

/** Loads a parser only for a file whose block needs one. Never rejects. */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  const before = BEFORE.exec(text)?.[0] ?? '';
  const isFirst = before === '' || before === '\uFEFF';
  const rest = text.slice(before.length);
  const match = rest.startsWith('---') ? BLOCK.exec(rest) : null;
  if (match === null || match.index !== 0) return { fields: {}, body: text };
  const body = rest.slice(match[0].length);
  const block = match[1] ?? '';
  if (block.length > MAX_CHARS)
    return { fields: {}, body, problem: `its frontmatter has more than ${MAX_CHARS} characters` };
  if (block.trim() === '') return isFirst ? { fields: {}, body } : { fields: {}, body: text };
  const plain = plainScalars(block);
  if (plain !== undefined) return { fields: plain, body };
  const { readYaml } = await import('../yaml/lenient-yaml.ts');
  const { fields, unread = [], problem } = readYaml(block);
  // Two rulers behind other text are no frontmatter.
  if (problem !== undefined && !isFirst) return { fields: {}, body: text };
  if (problem !== undefined) return { fields: {}, body, problem: `its frontmatter ${problem}` };
  if (unread.length === 0) return { fields, body };
  return {
    fields,
    body,
    unread,
    problem: `its frontmatter has values that cannot be read: ${unread.join(', ')}`,
  };
}

/** A key, and a value that YAML reads as the literal text: no quotes, lists, numbers or comments. */
const PLAIN_LINE = /^([A-Za-z][\w-]*): +([A-Za-z](?:[\w ,.;!?'"()/*+=-]|:(?=\S))*)[ \t]*$/;
/** Words that YAML reads as something else than text. */
const NO_TEXT = /^(?:true|false|null)$/i;

/** The usual case. undefined: the parser is needed. */
function plainScalars(block: string): Readonly<Record<string, string>> | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const [, key, value] = PLAIN_LINE.exec(line) ?? [];
    if (key === undefined || value === undefined) return undefined;
    const text = value.trimEnd();
    if (NO_TEXT.test(key) || NO_TEXT.test(text) || text.endsWith(':') || fields.has(key)) return undefined;
    fields.set(key, text);
  }
  return Object.fromEntries(fields);
}

/**
 * A list in any usual form: `a, b`, `[a, b]` or one item per line. Commas inside parentheses and braces do
 * not separate.
 */
export function listField(value: unknown): readonly string[] {
  const items = Array.isArray(value)
    ? value.map(String)
    : typeof value === 'string'
      ? splitList(value.replace(/^\s*\[([^[\]]*)\]\s*$/, '$1'))
      : [];
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

function splitList(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = '';
  for (const char of text) {
    if (char === '(' || char === '{') depth += 1;
    else if (char === ')' || char === '}') depth = Math.max(0, depth - 1);
    if (depth === 0 && (char === ',' || char === '\n')) {
      items.push(item);
      item = '';
    } else item += char;
  }
  return [...items, item];
}

/**
 * A list of tools, which may also be separated by blanks: `Read Grep`. Blanks inside parentheses do not
 * separate.
 */
export function toolsField(value: unknown): readonly string[] {
  return listField(value).flatMap((text) => text.match(/(?:[^\s,()]|\([^)]*\))+/g) ?? []);
}
