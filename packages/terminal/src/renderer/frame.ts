/** What is drawn: rows of text, and the place of the cursor. */

/** Text of one row: sanitised, without control characters, SGR sequences only. */
export type Row = string;

/** The live region: rows from the top down. */
export interface ScreenFrame {
  readonly rows: readonly Row[];
  /** The real cursor, in rows and cells of `rows`, from 0; undefined: hidden. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** Of the window, in cells. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}
