/**
 * Where the prompt cache is written and read: at most four marks. One after system (or tools, if there is no
 * system prompt), one at the end of the request, and one where the request before ended, since the API looks
 * back only 20 blocks from a mark and a turn may add more.
 */

const MARK = '"cache_control":{"type":"ephemeral"}';

/** A block's JSON with a mark spliced in; the rest of its bytes stays. */
export function markBlock(json: string): string {
  return `${json.slice(0, -1)},${MARK}}`;
}

/** Blocks as the inside of a JSON array, the last one marked. */
export function joinMarked(blocks: readonly string[], marked: boolean): string {
  const last = blocks.at(-1);
  if (!marked || last === undefined) return blocks.join(',');
  return [...blocks.slice(0, -1), markBlock(last)].join(',');
}
