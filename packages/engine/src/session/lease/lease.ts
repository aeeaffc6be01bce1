/** The lock of a session: `<id>.lock` beside its journal. Advisory; the fence in the journal decides. */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { checkLiveness, type ProcessIdentity } from '@turnwright/base/process/process-identity.ts';
import { codeOf } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Lease, LeaseStore } from '../../protocol/ports.ts';
import { inUse } from '../in-process/lease-store.ts';
import { storageError } from '../journal/storage-error.ts';
import { lockPath } from '../session-files.ts';
import { type Holder, hold, type LockFileOptions, parseLock } from './lock-file.ts';

/** ms without a renewal after which an owner on another host counts as dead. */
const STALE_MS = 90_000;

export function createFileLeaseStore(options: LockFileOptions): LeaseStore {
  const { files, directory, clock } = options;

  async function acquire(sessionId: string, how: { readonly takeOver?: boolean } = {}): Promise<Lease> {
    const path = lockPath(directory, sessionId);
    await files.makeDir(directory, 0o700);
    for (;;) {
      const lease = await hold(path, options);
      if (lease !== undefined) return lease;
      const holder = parseLock(await files.readSmall(path));
      if (holder.kind === 'free') continue;
      const living = holder.kind === 'held' && (await isLiving(holder.content, path));
      if (living && how.takeOver !== true) throw inUse(sessionId, holder.content);
      await clear(path, holder);
    }
  }

  /**
   * Renamed, not removed: of several processes that find a lock stale, one gets it, and a fresh one is
   * restored.
   */
  async function clear(path: string, judged: Holder): Promise<void> {
    const aside = `${path}.${uuid()}`;
    await files.rename(path, aside).catch(unlessMissing);
    const moved = parseLock(await files.readSmall(aside));
    if (moved.kind === 'held' && !(judged.kind === 'held' && judged.content.nonce === moved.content.nonce)) {
      await files.rename(aside, path);
    } else await files.removeSmall(aside);
  }

  async function isLiving(owner: ProcessIdentity, path: string): Promise<boolean> {
    const liveness = checkLiveness(owner);
    if (liveness !== 'elsewhere') return liveness === 'alive';
    return clock.nowMs() - ((await files.stat(path))?.mtimeMs ?? 0) < STALE_MS;
  }

  return {
    async acquire(sessionId, how) {
      try {
        return await acquire(sessionId, how);
      } catch (error) {
        if (error instanceof TurnwrightError) throw error;
        throw storageError(`The lock of session ${sessionId} cannot be written (${directory}).`, error);
      }
    },
  };
}

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
