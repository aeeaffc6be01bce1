/** JSON that people write by hand: with comments, commas behind a last element, and a byte order mark. */

import { parseJson } from '../bounded-json.ts';

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
  return parseJson(plain);
}
