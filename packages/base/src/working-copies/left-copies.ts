/** Working copies that earlier processes left, and how one is removed. */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { type CopyRecord, isAbandoned, readCopyRecord, writeCopyRecord } from './copy-record.ts';
import { runGitHere } from './run-git-here.ts';

/** A working copy whose process has ended. */
interface LeftCopy {
  readonly container: string;
  /** The folder that it is a copy of. */
  readonly folder: string;
  /** ISO time. */
  readonly madeAt: string;
  /** false: its process ended while it was made or removed, so nothing is lost with it. */
  readonly finished: boolean;
}

/** Those in `parent` whose process has ended; [] if there is no such folder. Reads only. */
export async function findLeftCopies(parent: string): Promise<readonly LeftCopy[]> {
  const names = await fs.readdir(parent).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const container = join(parent, name);
      const record = await readCopyRecord(container);
      if (record === undefined || !isAbandoned(record)) return [];
      const { folder, madeAt, state } = record;
      return [{ container, folder, madeAt, finished: state === 'ready' }];
    }),
  );
  return found.flat();
}

/** Removes those that were never finished. Resolves to the ones that stay, in which an agent has worked. */
export async function sweepUnfinishedCopies(
  parent: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly LeftCopy[]> {
  const left = await findLeftCopies(parent);
  for (const { container, finished } of left) {
    const record = finished ? undefined : await readCopyRecord(container);
    if (record !== undefined) await discardContainer(container, record, env);
  }
  return left.filter(({ finished }) => finished);
}

/** Removes a copy, and what its repository knows of it. */
export async function discardContainer(
  container: string,
  record: CopyRecord,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await writeCopyRecord(container, { ...record, state: 'removing' });
  if (record.repository !== undefined) {
    // Twice forced: git locks one that it was adding. It may not know it, or not exist any more.
    const args = ['worktree', 'remove', '--force', '--force', join(container, 'files')];
    await runGitHere(args, { cwd: record.repository, env }).catch(() => undefined);
  }
  // The record goes last: a removal that is cut off is found again.
  for (const name of ['files', 'compare'])
    await fs.rm(join(container, name), { recursive: true, force: true });
  await fs.rm(container, { recursive: true, force: true });
}
