/**
 * Breakpoints of the prompt cache: at most four, all of the engine. One after system (or tools, if there is
 * no system prompt), one at the end of the request, and one where the previous request ended, because the API
 * looks back only 20 blocks from a breakpoint and a turn may add more. Breakpoints in a caller's blocks are
 * removed when blocks are serialised. So there are never more than four, and as all have one lifetime, a
 * longer one never follows a shorter one (F13).
 */

import type { CacheTtl } from '../../protocol/model/cache.ts';

/** JSON of a breakpoint; undefined: none is set. */
export type CacheMark = string | undefined;

export function cacheMark(ttl: CacheTtl): CacheMark {
  return ttl === '5m' ? FIVE_MINUTES : '"cache_control":{"type":"ephemeral","ttl":"1h"}';
}

const FIVE_MINUTES = '"cache_control":{"type":"ephemeral"}';

/** A block's JSON with a breakpoint inserted; its other bytes are unchanged. */
function markBlock(json: string, mark: string): string {
  return `${json.slice(0, -1)},${mark}}`;
}

/** Blocks as the inside of a JSON array, one of them, the last by default, with the breakpoint, if any. */
export function joinMarked(blocks: readonly string[], mark: CacheMark, at = blocks.length - 1): string {
  const marked = blocks[at];
  if (mark === undefined || marked === undefined) return blocks.join(',');
  return blocks.with(at, markBlock(marked, mark)).join(',');
}
