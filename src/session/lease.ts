/** Who works on a session: `<id>.lock` beside its journal. A courtesy to people; the fence in the journal is the law. */
import { randomUUID } from 'node:crypto';
import { TurnwrightError } from '../protocol/errors.ts';
import type { AppendHandle, PersistentFiles } from '../protocol/files.ts';
import type { Clock, Lease, LeaseStore } from '../protocol/ports.ts';
import { livenessOf, type ProcessIdentity, thisProcess } from '../util/process-identity.ts';
import { journalPath } from './session-files.ts';
import { storageError } from './storage-error.ts';

export interface FileLeaseStoreOptions {
  readonly files: PersistentFiles;
  /** Folder of the journals. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'nowMs' | 'timer'>;
  /** How often an owner shows that it lives and looks whether the lock is still its own. Default 15 s. */
  readonly beatMs?: number;
  /** Without a beat for so long, an owner on another host counts as dead. Default 90 s. */
  readonly staleMs?: number;
  /** Who is asking; default this process. */
  readonly identity?: ProcessIdentity;
}

interface LockContent extends ProcessIdentity {
  readonly nonce: string;
}

export function createFileLeaseStore(options: FileLeaseStoreOptions): LeaseStore {
  const { files, directory, clock, beatMs = 15_000, staleMs = 90_000 } = options;
  const identity = options.identity ?? thisProcess();

  async function acquire(sessionId: string, how: { readonly takeOver?: boolean } = {}): Promise<Lease> {
    const path = lockPath(directory, sessionId);
    const mine: LockContent = { ...identity, nonce: randomUUID() };
    await files.makeDir(directory, 0o700);
    for (;;) {
      if (await isCreated(path, mine)) return holdLock(path, mine);
      const holder = await readLock(files, path);
      if (holder.kind === 'free') continue;
      const living = holder.kind === 'held' && (await isLiving(holder.content, holder.mtimeMs));
      if (living && how.takeOver !== true) throw inUse(sessionId, holder.content);
      await clear(path, holder, `${path}.${mine.nonce}`);
    }
  }

  /** false: there is a lock. */
  async function isCreated(path: string, mine: LockContent): Promise<boolean> {
    try {
      await files.createExclusive(path, JSON.stringify(mine), 0o600);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Moved aside, not removed: of several that find a lock stale, one gets it, and a fresh one is put back. */
  async function clear(path: string, judged: Holder, aside: string): Promise<void> {
    await files.rename(path, aside).catch(unlessMissing);
    const moved = await readLock(files, aside);
    if (moved.kind === 'held' && !(judged.kind === 'held' && judged.content.nonce === moved.content.nonce)) {
      await files.rename(aside, path);
    } else await files.remove(aside);
  }

  async function isLiving(content: LockContent, mtimeMs: number): Promise<boolean> {
    const liveness = livenessOf(content);
    return liveness === 'elsewhere' ? clock.nowMs() - mtimeMs < staleMs : liveness === 'alive';
  }

  async function holdLock(path: string, mine: LockContent): Promise<Lease> {
    const lost = new AbortController();
    /** Opened when it is first written to: most sessions are over by then. */
    let handle: AppendHandle | undefined;
    let released = false;
    let cancel = (): void => undefined;
    const isMine = async (): Promise<boolean> => {
      const holder = await readLock(files, path);
      return holder.kind === 'held' && holder.content.nonce === mine.nonce;
    };
    const beat = async (): Promise<void> => {
      try {
        // A blank behind the JSON renews the time of the file, of this one and not of a successor's.
        if (await isMine()) {
          handle ??= await files.openAppend(path, 0o600);
          await handle.append(BLANK);
        } else if (!released) {
          lost.abort('lease_lost');
          return;
        }
      } catch {
        // A disk that does not answer now is asked again; the fence decides meanwhile.
      }
      if (!released) cancel = clock.timer(beatMs, () => void beat());
    };
    cancel = clock.timer(beatMs, () => void beat());
    return {
      signal: lost.signal,
      async release() {
        if (released) return;
        released = true;
        cancel();
        await handle?.close();
        if (await isMine()) await files.remove(path);
      },
    };
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

/** Leases of one process. Taking one over aborts the signal of the one before at once. */
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

const BLANK = Buffer.from(' ');

const lockPath = (directory: string, sessionId: string): string =>
  journalPath(directory, sessionId).replace(/\.jsonl$/, '.lock');

type Holder =
  | { readonly kind: 'free' }
  | { readonly kind: 'held'; readonly content: LockContent; readonly mtimeMs: number }
  /** Not a lock of ours, or half of one. */
  | { readonly kind: 'broken' };

async function readLock(files: PersistentFiles, path: string): Promise<Holder> {
  const stat = await files.stat(path);
  if (stat === undefined) return { kind: 'free' };
  try {
    const content: unknown = JSON.parse(Buffer.from(await files.readFile(path)).toString('utf8'));
    return isLock(content) ? { kind: 'held', content, mtimeMs: stat.mtimeMs } : { kind: 'broken' };
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { kind: 'free' } : { kind: 'broken' };
  }
}

function isLock(value: unknown): value is LockContent {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, nonce } = value as Record<string, unknown>;
  return typeof pid === 'number' && typeof host === 'string' && typeof nonce === 'string';
}

function inUse(sessionId: string, { pid, host }: ProcessIdentity): TurnwrightError {
  return new TurnwrightError(
    'session_in_use',
    `Session ${sessionId} is in use by process ${pid} on ${host}. End that process, fork the session, or take it over (--take-over).`,
  );
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

function unlessMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
