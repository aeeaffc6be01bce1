/** Real files with a fault in them, and files that report what is done to them. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { AppendHandle, PersistentFiles } from '@turnwright/base/persistent-files.ts';

export function diskError(code: 'ENOSPC' | 'EROFS'): Error {
  const words = { ENOSPC: 'no space left on device', EROFS: 'read-only file system' };
  return Object.assign(new Error(`${code}: ${words[code]}`), { code });
}

/** Appends for which `fails` holds (the bytes as text) are refused as on a full disk. */
export function filesThatFill(fails: (text: string) => boolean): PersistentFiles {
  return {
    ...nodeFiles,
    async openAppend(path, mode) {
      const handle = await nodeFiles.openAppend(path, mode);
      return {
        ...handle,
        async append(data) {
          if (fails(Buffer.from(data).toString('utf8'))) throw diskError('ENOSPC');
          await handle.append(data);
        },
      };
    },
  };
}

const WRITES = new Set([
  'makeDir',
  'writeAtomic',
  'createExclusive',
  'link',
  'openAppend',
  'truncate',
  'remove',
  'removeSmall',
  'rename',
]);

/** Reads work, every write is refused. */
export function readOnlyFiles(): PersistentFiles {
  return watchedFiles((operation) => {
    if (WRITES.has(operation)) throw diskError('EROFS');
  });
}

/** Tells of each operation and its path before it is done. */
export function watchedFiles(
  onOperation: (operation: keyof PersistentFiles, path: string) => void,
): PersistentFiles {
  return new Proxy(nodeFiles, {
    get(target, name: keyof PersistentFiles) {
      const operation = target[name] as (...args: unknown[]) => unknown;
      return async (...args: unknown[]) => {
        onOperation(name, String(args[0]));
        return operation.apply(target, args);
      };
    },
  });
}

export interface FaultPlan {
  /** The n-th call (from 1) that could change the disk fails. */
  readonly at: number;
  readonly code: 'ENOSPC' | 'EIO' | 'EDQUOT' | 'EACCES' | 'EMFILE';
  /** Every later call fails too, until `repair`. */
  readonly sticky?: boolean;
  /** A failing append writes this part of its bytes first. */
  readonly part?: number;
  readonly onFault?: () => void;
}

export interface FaultyFiles {
  readonly files: PersistentFiles;
  /** Calls made so far. */
  calls(): number;
  repair(): void;
}

export function faultyFiles(plan: FaultPlan): FaultyFiles {
  let calls = 0;
  let broken = true;
  const fails = (): boolean => {
    calls++;
    const isFault = broken && (calls === plan.at || (plan.sticky === true && calls > plan.at));
    if (isFault) plan.onFault?.();
    return isFault;
  };
  const error = (): Error => Object.assign(new Error(`${plan.code}: injected`), { code: plan.code });
  const check = (): void => {
    if (fails()) throw error();
  };

  const files: PersistentFiles = {
    ...nodeFiles,
    async makeDir(...args) {
      check();
      await nodeFiles.makeDir(...args);
    },
    async writeAtomic(...args) {
      check();
      await nodeFiles.writeAtomic(...args);
    },
    async createExclusive(...args) {
      check();
      await nodeFiles.createExclusive(...args);
    },
    async truncate(...args) {
      check();
      await nodeFiles.truncate(...args);
    },
    async rename(...args) {
      check();
      await nodeFiles.rename(...args);
    },
    async openAppend(...args) {
      check();
      const handle = await nodeFiles.openAppend(...args);
      const faulty: AppendHandle = {
        ...handle,
        async append(data) {
          if (!fails()) return handle.append(data);
          const bytes = Buffer.from(data as string);
          await handle.append(bytes.subarray(0, Math.floor(bytes.length * (plan.part ?? 0))));
          throw error();
        },
        async sync() {
          check();
          await handle.sync();
        },
      };
      return faulty;
    },
  };
  return {
    files,
    calls: () => calls,
    repair() {
      broken = false;
    },
  };
}
