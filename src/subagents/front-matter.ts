/** Brings the YAML parser along: import it dynamically. */
import { parse } from 'yaml';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** What stands below the second line of dashes, trimmed. */
  readonly body: string;
}

/** A Markdown file that begins with fields between two lines of dashes. Throws an Error with a sentence. */
export function readFrontMatter(source: string): FrontMatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(source);
  if (match === null) throw new Error('it does not begin with fields between two lines of "---"');
  const fields: unknown = parse(match[1] ?? '', { prettyErrors: false });
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new Error('the fields at its head are no list of "name: value"');
  return { fields: fields as Record<string, unknown>, body: (match[2] ?? '').trim() };
}
