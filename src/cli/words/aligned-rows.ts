/** Rows of cells as lines with aligned columns: words to the left, the figures after them to the right. */
export function alignedRows(rows: readonly (readonly string[])[], wordColumns: number): readonly string[] {
  const columns = Math.max(...rows.map((cells) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const padded = (cell: string, column: number) =>
    column < wordColumns ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(padded).join('  ').trimEnd());
}
