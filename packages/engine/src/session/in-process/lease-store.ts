import { type ProcessIdentity, thisProcess } from '@turnwright/base/process/process-identity.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { LeaseStore } from '../../protocol/ports.ts';

/** Leases of one process. A takeover aborts the previous signal synchronously. */
export function createMemoryLeaseStore(): LeaseStore {
  const held = new Map<string, AbortController>();
  return {
    async acquire(sessionId, how = {}) {
      const before = held.get(sessionId);
      if (before !== undefined && how.takeOver !== true) throw inUse(sessionId, thisProcess());
      const mine = new AbortController();
      held.set(sessionId, mine);
      before?.abort('lease_lost');
      return {
        signal: mine.signal,
        async release() {
          if (held.get(sessionId) === mine) held.delete(sessionId);
        },
      };
    },
  };
}

export function inUse(sessionId: string, { pid, host }: ProcessIdentity): TurnwrightError {
  return new TurnwrightError(
    'session_in_use',
    `Session ${sessionId} is in use by process ${pid} on ${host}. End that process, fork the session, or take it over (--take-over).`,
  );
}
