/**
 * Where the prompt cache is written and read: at most four marks, all of them ours. One after system (or tools, if
 * there is no system prompt), one at the end of the request, and one where the request before ended, since the API
 * looks back only 20 blocks from a mark and a turn may add more. Marks that came with a caller's blocks are taken out
 * where the blocks become bytes: so there are never more than these, and as all have one time to live, none of a
 * longer one stands behind a shorter (F13).
 */

/** How long an entry lives after its last use. */
export type CacheTtl = '5m' | '1h';

/** The text of a mark; undefined: nothing is marked. */
export type CacheMark = string | undefined;

export function cacheMark(ttl: CacheTtl): CacheMark {
  return ttl === '5m' ? FIVE_MINUTES : '"cache_control":{"type":"ephemeral","ttl":"1h"}';
}

const FIVE_MINUTES = '"cache_control":{"type":"ephemeral"}';

/** A block's JSON with a mark spliced in; the rest of its bytes stays. */
export function markBlock(json: string, mark: string): string {
  return `${json.slice(0, -1)},${mark}}`;
}

/** Blocks as the inside of a JSON array, the last one with the mark, if there is one. */
export function joinMarked(blocks: readonly string[], mark: CacheMark): string {
  const last = blocks.at(-1);
  if (mark === undefined || last === undefined) return blocks.join(',');
  return [...blocks.slice(0, -1), markBlock(last, mark)].join(',');
}
