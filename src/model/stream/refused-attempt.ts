/** An attempt that is not made: the request cannot be put on this wire. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Attempt } from '../../protocol/model/provider-wire.ts';

export function refusedAttempt(failure: ModelFailure): Attempt {
  return {
    next: async () => ({ kind: 'failed', failure, facts: { started: false } }),
    close() {},
  };
}
