/** Step 7: a request that would certainly be refused is not made. */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import type { ContextStep } from '../../protocol/model/context.ts';

/** `recoveryEnabled`: an overflow can be recovered from afterwards, so the request is made. */
export function blockingLimit(recoveryEnabled: boolean): ContextStep {
  return {
    name: 'blocking-limit',
    run({ estimateTokens: tokens, compactedInThisPass, limits, querySource }) {
      if (recoveryEnabled) return { kind: 'skip', why: 'an overflow can be recovered from' };
      if (compactedInThisPass) return { kind: 'skip', why: 'this pass has compacted' };
      if (querySource === 'compact') return { kind: 'skip', why: 'this is a compaction itself' };
      if (tokens < limits.blockingAt)
        return { kind: 'skip', why: `${tokens} tokens, below ${limits.blockingAt}` };
      return {
        kind: 'stop',
        reason: 'blocking_limit',
        message:
          `Prompt is too long: about ${grouped(tokens)} tokens, and the limit without compaction is ` +
          `${grouped(limits.blockingAt)}. Allow automatic compaction, or go on in a new session.`,
      };
    },
  };
}
