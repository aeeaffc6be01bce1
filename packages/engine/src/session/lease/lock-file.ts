/**
 * The content of a lock, and the locks of this process in one folder: hard links of one file, so that further
 * sessions need no file of their own, and one renewal covers them all.
 */

import { withSignal } from '@turnwright/base/async/lazy-signal.ts';
import { openScope, type Scope } from '@turnwright/base/async/scope.ts';
import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { type ProcessIdentity, thisProcess } from '@turnwright/base/process/process-identity.ts';
import { codeOf } from '@turnwright/base/text/error-text.ts';
import type { Clock, Lease } from '../../protocol/ports.ts';

export interface LockFileOptions {
  readonly files: PersistentFiles;
  /** Folder of the journals. */
  readonly directory: string;
  readonly clock: Pick<Clock, 'nowMs' | 'timer'>;
}

interface LockContent extends ProcessIdentity {
  readonly nonce: string;
}

export type Holder =
  | { readonly kind: 'free' }
  | { readonly kind: 'held'; readonly content: LockContent }
  /** Not a valid lock. */
  | { readonly kind: 'broken' };

const BLANK = Buffer.from(' ');
/** Interval at which an owner renews its locks and checks that it still has them. */
const BEAT_MS = 15_000;

/** Lock files that hold a lock, or are about to. */
const open = new Set<LockFile>();

/** undefined: there is a lock already. Other errors are those of the disk. */
export async function hold(path: string, options: LockFileOptions): Promise<Lease | undefined> {
  for (const file of open) {
    const lease = file.serves(options) ? await file.alsoAs(path) : 'apart';
    if (lease !== 'apart') return lease;
  }
  return new LockFile(options).create(path);
}

class LockFile {
  readonly #options: LockFileOptions;
  readonly #content: LockContent = { ...thisProcess(), nonce: uuid() };
  /** By path; aborted when another owner took the lock. */
  readonly #held = new Map<string, Scope>();
  #created: Promise<unknown> = Promise.resolve();
  /** Opened on the first renewal: most sessions have ended by then. */
  #handle: AppendHandle | undefined;
  #cancel = (): void => undefined;

  constructor(options: LockFileOptions) {
    this.#options = options;
  }

  serves({ files, directory, clock }: LockFileOptions): boolean {
    const own = this.#options;
    return own.directory === directory && own.files === files && own.clock === clock;
  }

  async create(path: string): Promise<Lease | undefined> {
    open.add(this);
    const creating = this.#options.files.createExclusive(path, JSON.stringify(this.#content), 0o600);
    this.#created = creating.catch(() => undefined);
    try {
      await creating;
      return this.#leaseOf(path);
    } catch (error) {
      open.delete(this);
      if (codeOf(error) === 'EEXIST') return undefined;
      throw error;
    }
  }

  /** `apart`: it needs a file of its own. */
  async alsoAs(path: string): Promise<Lease | undefined | 'apart'> {
    await this.#created;
    const [known] = this.#held.keys();
    if (known === undefined) return 'apart';
    const { files } = this.#options;
    try {
      await files.link(known, path);
      if (await this.#isOurs(path)) return this.#leaseOf(path);
      // The file belongs to another owner now.
      await files.removeSmall(path);
      return 'apart';
    } catch (error) {
      return codeOf(error) === 'EEXIST' ? undefined : 'apart';
    }
  }

  #leaseOf(path: string): Lease {
    const lost = openScope();
    this.#held.get(path)?.abort('lease_lost');
    if (this.#held.size === 0) this.#rest();
    this.#held.set(path, lost);
    const release = async () => {
      if (!this.#letGo(path, lost)) return;
      if (await this.#isOurs(path)) await this.#options.files.removeSmall(path);
    };
    return withSignal({ life: lost, release }, lost);
  }

  #rest(): void {
    this.#cancel();
    this.#cancel = this.#options.clock.timer(BEAT_MS, () => void this.#beat());
  }

  /** A blank behind the JSON renews the time of this file, and not that of a successor's. */
  async #beat(): Promise<void> {
    try {
      for (const [path, lost] of this.#held)
        if (!(await this.#isOurs(path)) && this.#letGo(path, lost)) lost.abort('lease_lost');
      const [path] = this.#held.keys();
      if (path === undefined) return;
      this.#handle ??= await this.#options.files.openAppend(path, 0o600);
      await this.#handle.append(BLANK);
    } catch {
      // A disk error is retried with the next renewal; meanwhile the fence decides.
    }
    if (this.#held.size > 0) this.#rest();
    else await this.#end();
  }

  async #isOurs(path: string): Promise<boolean> {
    const holder = parseLock(await this.#options.files.readSmall(path));
    return holder.kind === 'held' && holder.content.nonce === this.#content.nonce;
  }

  /** false: it was released before. */
  #letGo(path: string, lost: Scope): boolean {
    if (this.#held.get(path) !== lost) return false;
    this.#held.delete(path);
    if (this.#held.size === 0) void this.#end();
    return true;
  }

  async #end(): Promise<void> {
    open.delete(this);
    this.#cancel();
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

export function parseLock(bytes: Uint8Array | undefined): Holder {
  if (bytes === undefined) return { kind: 'free' };
  try {
    const content: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isLock(content) ? { kind: 'held', content } : { kind: 'broken' };
  } catch {
    return { kind: 'broken' };
  }
}

function isLock(value: unknown): value is LockContent {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, nonce } = value as Record<string, unknown>;
  return typeof pid === 'number' && typeof host === 'string' && typeof nonce === 'string';
}
