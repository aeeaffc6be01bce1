/**
 * What is left of a task's budget (L2): each compaction lowers it by the tokens that it replaces, as its
 * boundary reports them.
 */
import type { CompactMetadata } from '../protocol/model/messages.ts';

export function afterCompactions(
  remaining: number | undefined,
  boundaries: readonly Pick<CompactMetadata, 'pre_tokens'>[],
): number | undefined {
  if (remaining === undefined) return undefined;
  return boundaries.reduce((left, { pre_tokens }) => Math.max(0, left - pre_tokens), remaining);
}
