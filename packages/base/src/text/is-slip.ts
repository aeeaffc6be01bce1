/** Whether a name is a slip of the keyboard for another one. */

/** One letter changed, added, left out or swapped; two in a long word with the same first letter. */
export function isSlip(word: string, name: string): boolean {
  const slips = distance(word.toLowerCase(), name.toLowerCase());
  return slips <= 1 || (slips === 2 && name.length > 5 && word[0] === name[0]);
}

/** Edit distance in which two neighbours that change places count as one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = at(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(rows, i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, change, swap));
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
