/** Assertions of the checks. Each throws an error that shows both sides. */

/** Deeply equal: same fields, same order of lists. */
export function equal(actual: unknown, expected: unknown, what = 'value'): void {
  if (!isSame(actual, expected))
    throw new Error(`${what}: got ${shown(actual)}, expected ${shown(expected)}`);
}

/** Compares the fields of `expected` only. */
export function hasFields(actual: object | undefined, expected: object): void {
  for (const [field, value] of Object.entries(expected))
    equal((actual as Readonly<Record<string, unknown>> | undefined)?.[field], value, field);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`Expected ${what}.`);
}

/** Throws, or rejects with, an error of this `code`. */
export async function refuses(work: () => unknown, code: string): Promise<void> {
  const outcome = await (async () => work())().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`Expected a refusal (${code}), got ${shown(outcome.value)}`);
  equal((outcome.error as { readonly code?: unknown } | null)?.code, code, 'code of the refusal');
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isSame(value, (b as Record<string, unknown>)[key]))
  );
}

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 500) ?? String(value);
