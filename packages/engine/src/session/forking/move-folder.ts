/** Names of files in records, for a session that goes on in a copy of its folder. */

export interface FolderMove {
  /** Both absolute. */
  readonly from: string;
  readonly to: string;
}

/**
 * Every text of a record, with the one folder in place of the other. Thinking is left as it is: it is signed.
 * `/work/app` is not found in `/work/app2`, `/work/app.old` or `/tmp/work/app`.
 */
export function moveFolder<T>(value: T, { from, to }: FolderMove): T {
  const escaped = from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(?<![\\w.~-])${escaped}(?![\\w-]|\\.[\\w-])`, 'g');
  return moved(value, (text) => (text.includes(from) ? text.replace(pattern, () => to) : text)) as T;
}

function moved(value: unknown, inText: (text: string) => string): unknown {
  if (typeof value === 'string') return inText(value);
  if (Array.isArray(value)) return value.map((each) => moved(each, inText));
  if (typeof value !== 'object' || value === null) return value;
  if ('type' in value && (value.type === 'thinking' || value.type === 'redacted_thinking')) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [inText(key), moved(each, inText)]));
}
