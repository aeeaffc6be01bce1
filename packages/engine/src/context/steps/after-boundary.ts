/** Step 1: the view starts at the last compaction. */
import type { ContextStep } from '../../protocol/model/context.ts';
import { estimateTokens } from '../estimate/token-estimate.ts';
import { isSummary } from '../rounds.ts';

/**
 * A view that the engine compacted starts with its summary already. Another one (messages from a host, an
 * imported transcript) may still contain what its summary covers, which is removed here. O(fresh).
 */
export const afterBoundary: ContextStep = {
  name: 'after-boundary',
  run({ view, fresh }) {
    const behind = fresh.length - 1 - fresh.findLastIndex(isSummary);
    if (behind === fresh.length) return { kind: 'skip', why: 'no new boundary' };
    const at = view.length - 1 - behind;
    if (at === 0) return { kind: 'skip', why: 'the view starts at the last boundary' };
    const before = view.slice().slice(0, at);
    return {
      kind: 'edits',
      source: 'boundary',
      edits: [{ kind: 'remove', uuids: before.map((message) => message.uuid) }],
      why: `${at} messages stood before the last boundary`,
      tokensFreed: estimateTokens(before),
    };
  },
};
