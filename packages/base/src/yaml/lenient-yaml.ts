/**
 * The YAML that people write at the head of a Markdown file. What is no YAML is read key by key, so that one
 * value costs no other. Imports the YAML parser: load this file dynamically.
 */
import { parse, YAMLParseError } from 'yaml';
import { isRecord } from '../json-values.ts';

interface ReadBlock {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Keys whose values could not be read. */
  readonly unread?: readonly string[];
  /** Why nothing was read: completes "its frontmatter …". */
  readonly problem?: string;
}

/** Never throws. */
export function readYaml(block: string): ReadBlock {
  try {
    const fields = parseYaml(block) ?? {};
    if (isRecord(fields)) return { fields };
    return { fields: {}, problem: 'is no list of keys and values' };
  } catch (error) {
    const repaired = isSyntaxError(error) ? readByKey(block) : undefined;
    if (repaired !== undefined) return repaired;
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { fields: {}, problem: `is no YAML: ${why}` };
  }
}

interface Entry {
  readonly key: string;
  readonly lines: string[];
}

const KEY = /^(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?=[ \t]|$)/;

/** undefined: the block does not begin with a key. */
function readByKey(block: string): ReadBlock | undefined {
  const entries: Entry[] = [];
  for (const line of block.split(/\r?\n/)) {
    const key = KEY.exec(line)?.[2];
    if (key !== undefined) entries.push({ key, lines: [line] });
    else if (entries.length > 0) entries.at(-1)?.lines.push(line);
    else if (!/^\s*(?:#|$)/.test(line)) return undefined;
  }
  if (entries.length === 0) return undefined;
  // A key that is there twice has its last value.
  const fields = new Map<string, unknown>();
  const unread = new Set<string>();
  for (const entry of entries) {
    const read = readValue(entry);
    fields.delete(entry.key);
    unread.delete(entry.key);
    if (read === undefined) unread.add(entry.key);
    else fields.set(entry.key, read.value);
  }
  return { fields: Object.fromEntries(fields), ...(unread.size > 0 && { unread: [...unread] }) };
}

/** As YAML; where it is none, as text, if the value begins beside its key. undefined: it cannot be read. */
function readValue({ lines }: Entry): { readonly value: unknown } | undefined {
  // YAML has no tabs as indentation, and people do.
  const text = lines
    .map((line) => line.replace(/^[ \t]+/, (blanks) => blanks.replaceAll('\t', '  ')))
    .join('\n');
  try {
    const parsed = parseYaml(text);
    if (isRecord(parsed) && Object.keys(parsed).length === 1) return { value: Object.values(parsed)[0] };
  } catch {}
  const [first = '', ...below] = lines;
  const more = below.filter((line) => !line.startsWith('#'));
  const own = first.replace(KEY, '').trim();
  const isEmpty = more.every((line) => line.trim() === '');
  if (own === '') return isEmpty ? { value: null } : undefined;
  if (/^[|>][+-]?\d?$/.test(own)) return { value: folded(more) };
  // A list that goes on over several lines is no text.
  if (/^[[{]/.test(own) && !isEmpty) return undefined;
  return { value: unquoted(folded([own, ...more])) };
}

/** As YAML folds plain text: a blank line is a line break, any other line goes on. */
function folded(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .reduce(
      (text, line) =>
        line === '' ? `${text}\n` : text === '' || text.endsWith('\n') ? text + line : `${text} ${line}`,
      '',
    )
    .trim();
}

/**
 * `'it's broken'`: what is between the quotes. `"[a]" "[b]"` stays as it is: its first and last quote are
 * no pair.
 */
function unquoted(text: string): string {
  if (/^(["'])(?:(?!\1)[\s\S])*\1\s(?:[\s\S]*\s)?\1(?:(?!\1)[\s\S])*\1$/.test(text)) return text;
  const quoted = /^(["'])([\s\S]*)\1$/.exec(text);
  return quoted?.[2] ?? text;
}

/** Throws for invalid YAML, and for YAML whose aliases expand without bound. */
export function parseYaml(text: string): unknown {
  return parse(text, { maxAliasCount: 20, prettyErrors: false, logLevel: 'error' });
}

/** Whether the text is invalid YAML, in contrast to YAML that is refused. */
export const isSyntaxError = (error: unknown): boolean => error instanceof YAMLParseError;
