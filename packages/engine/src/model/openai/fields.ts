/** Reading JSON of unknown shape. */

import { isRecord } from '@turnwright/base/json-values.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An object with fields; undefined for anything else. */
export function fieldsIn(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a field; '' if it has none. */
export function textIn(of: Fields | undefined, name: string): string {
  const value = of?.[name];
  return typeof value === 'string' ? value : '';
}

/** The first of these fields that holds a count or a size: a number that is not negative. */
export function numberIn(of: Fields | undefined, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = of?.[name];
    if (typeof value === 'number' && value >= 0 && value < Infinity) return value;
  }
  return undefined;
}
