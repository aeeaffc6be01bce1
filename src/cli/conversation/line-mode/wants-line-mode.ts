/** Where a conversation goes line by line instead of having a screen. */
import type { World } from '../../world.ts';

/** The smallest window in which a live region makes sense. */
const SMALLEST = { columns: 40, rows: 10 } as const;

/** `asked`: by the flag or by the setting. */
export function wantsLineMode({ stdout, env }: Pick<World, 'stdout' | 'env'>, asked: boolean): boolean {
  const { columns = SMALLEST.columns, rows = SMALLEST.rows } = stdout;
  return asked || env['TERM'] === 'dumb' || columns < SMALLEST.columns || rows < SMALLEST.rows;
}
