/** Where a conversation goes line by line instead of having a screen. */
import type { World } from '../../world.ts';

/** The smallest window in which a live region makes sense. */
const SMALLEST = { columns: 40, rows: 10 } as const;

/** `asked`: by the flag or by the setting. */
export function wantsLineMode({ stdout, env }: Pick<World, 'stdout' | 'env'>, asked: boolean): boolean {
  // Some pseudo-terminals report 0: their size is not known.
  const { columns, rows } = stdout;
  const isTiny = (columns || SMALLEST.columns) < SMALLEST.columns || (rows || SMALLEST.rows) < SMALLEST.rows;
  return asked || env['TERM'] === 'dumb' || isTiny;
}
