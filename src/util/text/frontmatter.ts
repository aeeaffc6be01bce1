/** The block between two lines of `---` at the head of a Markdown file. */

interface Frontmatter {
  /** Empty when there is none. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What follows. */
  readonly body: string;
  /** Why the block was ignored; `fields` is then empty. */
  readonly problem?: string;
}

/** Maximum characters of a block. */
const MAX_CHARS = 16_384;
/** Blank lines may stand in front of it, and more dashes behind. */
const BLOCK = /^\uFEFF?(?:[ \t]*\r?\n)*---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^-{3,}[ \t]*(?:\r?\n|$)/m;

/** Loads a parser only for a file whose block needs one. Never rejects. */
export async function readFrontmatter(text: string): Promise<Frontmatter> {
  const match = /^\uFEFF?\s*---/.test(text) ? BLOCK.exec(text) : null;
  if (match === null || match.index !== 0) return { fields: {}, body: text };
  const body = text.slice(match[0].length);
  const block = match[1] ?? '';
  if (block.length > MAX_CHARS)
    return { fields: {}, body, problem: `its frontmatter has more than ${MAX_CHARS} characters` };
  if (block.trim() === '') return { fields: {}, body };
  const plain = plainScalars(block);
  if (plain !== undefined) return { fields: plain, body };
  const { parseYaml, isSyntaxError } = await import('./parse-yaml.ts');
  try {
    const fields = parseYaml(block) ?? {};
    if (typeof fields !== 'object' || Array.isArray(fields))
      return { fields: {}, body, problem: 'its frontmatter is no list of keys and values' };
    return { fields: fields as Record<string, unknown>, body };
  } catch (error) {
    const lines = isSyntaxError(error) ? plainLines(block) : undefined;
    if (lines !== undefined) return { fields: lines, body };
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { fields: {}, body, problem: `its frontmatter is no YAML: ${why}` };
  }
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
 * `key: value` on every line, taken literally: files often contain `[file] [line]` and `Fix: this`, which is
 * not valid YAML.
 */
function plainLines(block: string): Readonly<Record<string, string>> | undefined {
  const lines = block.split(/\r?\n/).filter((line) => !/^\s*(?:#|$)/.test(line));
  const pairs = lines.map((line) => /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', (pair?.[2] ?? '').trim()]));
}

/**
 * A list in any usual form: `a, b`, `[a, b]` or one item per line. Commas inside parentheses do not separate.
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
    if (char === '(') depth += 1;
    else if (char === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && (char === ',' || char === '\n')) {
      items.push(item);
      item = '';
    } else item += char;
  }
  return [...items, item];
}
