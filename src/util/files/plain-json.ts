/** JSON that people write by hand: with comments, commas behind a last element, and a byte order mark. */

/** Deeper values are refused: what is read here is walked with recursion later. */
const MAX_DEPTH = 500;

/** Plain JSON in which everything is where it was: blanks replace what JSON does not have. */
export const plainJson = (text: string): string =>
  text
    .replace(/^\uFEFF/, ' ')
    .replace(
      /("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g,
      (part, string) => string ?? part.replace(/\S/g, ' '),
    )
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, string) => string ?? ' ');

/** A text of nothing but blanks and comments is an empty object. Throws a SyntaxError. */
export function readHandWrittenJson(text: string): unknown {
  const plain = plainJson(text);
  if (plain.trim() === '') return {};
  if (isDeeperThan(plain, MAX_DEPTH))
    throw new SyntaxError(`it is nested more than ${MAX_DEPTH} levels deep`);
  return JSON.parse(plain);
}

function isDeeperThan(plain: string, limit: number): boolean {
  if (plain.length <= limit) return false;
  let depth = 0;
  for (const [part] of plain.matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/g)) {
    if (part === '[' || part === '{') depth += 1;
    else if (part === ']' || part === '}') depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}
