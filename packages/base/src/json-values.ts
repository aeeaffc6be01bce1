/** Values of JSON whose shape is not known, and JSON as text. */
import { oncePer } from './collections/made-once.ts';

/** An object with fields, in contrast to a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The list itself. Throws TypeError when a damaged record holds something else. */
export function requireList<T>(value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value;
}

/** JSON of an immutable object, cached: the input of a call may be megabytes, and is serialised often. */
export const jsonOnce = (value: unknown): string =>
  typeof value === 'object' && value !== null ? ofObject(value) : JSON.stringify(value);

const ofObject = oncePer((value) => JSON.stringify(value));

/**
 * JSON in one line for every reader. JSON strings may contain U+2028 and U+2029, which the line reader of
 * Node 24 treats as line ends.
 */
export function withoutLineSeparators(json: string): string {
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
