/** The size of the window, asked of the terminal itself. */
import type { Size } from './frame.ts';

interface SizedOutput {
  readonly columns?: number;
  readonly rows?: number;
  /** Node's own way to ask again, which it takes when the window changes; a moment too late for a frame. */
  _refreshSize?(): void;
}

const DEFAULT_SIZE: Size = { columns: 80, rows: 24 };

/**
 * A stream that does not know its size, or says 0 as some pseudo-terminals do, has 80 columns and 24 rows.
 */
export function askSize(output: SizedOutput): Size {
  output._refreshSize?.();
  return { columns: output.columns || DEFAULT_SIZE.columns, rows: output.rows || DEFAULT_SIZE.rows };
}
