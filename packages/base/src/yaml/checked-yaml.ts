/**
 * A YAML file that people write, checked against a schema, with the place of each problem. JSON is valid
 * YAML. Imports the YAML parser: load this file dynamically.
 */
import { type Document, LineCounter, parseDocument } from 'yaml';

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/** What zod's schemas are. */
interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly unknown[] } };
}

type Checked<T> =
  | {
      readonly kind: 'read';
      readonly value: T;
      /** Number of the line of what is at a path, from 1. */
      lineAt(path: readonly PropertyKey[]): number;
    }
  /** One line each: `file:line:column: path: what was expected`. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** `file` names the source in problems, `whole` what the file is. */
export function readCheckedYaml<T>(
  source: string,
  schema: Schema<T>,
  { file, whole }: { readonly file: string; readonly whole: string },
): Checked<T> {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    return {
      kind: 'refused',
      problems: document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`),
    };
  const parsed = schema.safeParse(document.toJS());
  if (parsed.success) {
    const lineAt = (path: readonly PropertyKey[]) => lines.linePos(findOffset(document, path)).line;
    return { kind: 'read', value: parsed.data, lineAt };
  }
  const problems = (parsed.error.issues as readonly Issue[]).map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? (issue.keys ?? []) : [];
    const path = [...issue.path, ...keys.slice(0, 1)];
    return `${at(findOffset(document, path))}: ${path.length === 0 ? whole : path.join('.')}: ${issue.message}`;
  });
  return { kind: 'refused', problems };
}

/** The offset of the node at a path, or of the nearest existing node around it. */
function findOffset(document: Document.Parsed, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = findStart(node);
    if (range !== undefined) return range;
  }
  return findStart(document.contents) ?? 0;
}

function findStart(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range))
    return undefined;
  const start: unknown = node.range[0];
  return typeof start === 'number' ? start : undefined;
}
