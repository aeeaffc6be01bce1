import { TurnwrightError } from '../../protocol/errors.ts';
import { withoutLineSeparators } from '../../util/text/line-separators.ts';

/**
 * JSON of a record. Data of tools may contain big integers or cycles, which are replaced. Throws
 * `storage_error` when nothing can be written.
 */
export function stringifySafely(value: object): string {
  try {
    return withoutLineSeparators(JSON.stringify(value));
  } catch {
    try {
      return withoutLineSeparators(JSON.stringify(value, withoutCycles()));
    } catch (cause) {
      throw new TurnwrightError('storage_error', 'A record cannot be written as JSON.', { cause });
    }
  }
}

function withoutCycles(): (this: unknown, key: string, value: unknown) => unknown {
  const path: unknown[] = [];
  return function replace(_key, value) {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    // `this` holds the value: what is above it on the path are its ancestors.
    while (path.length > 0 && path.at(-1) !== this) path.pop();
    if (path.includes(value)) return '[circular]';
    path.push(value);
    return value;
  };
}
