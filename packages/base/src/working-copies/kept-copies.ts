/** Working copies that are there: listed, opened again, and taken over from a process that has ended. */
import * as fs from 'node:fs/promises';
import { join, relative } from 'node:path';
import { thisProcess } from '../process/process-identity.ts';
import { type CopyRecord, isAbandoned, readCopyRecord, writeCopyRecord } from './copy-record.ts';
import type { GitPlace } from './run-git-here.ts';
import { openWorkingCopy, type WorkingCopy } from './working-copy.ts';

export interface KeptCopy {
  readonly name: string;
  /** `<parent>/<name>`; absolute. */
  readonly container: string;
  /** The copy of the folder; absolute. */
  readonly path: string;
  /** The folder that it is a copy of. */
  readonly folder: string;
  readonly kind: CopyRecord['kind'];
  /** ISO time. */
  readonly madeAt: string;
  /** `unfinished`: its process ended while it was made or removed, so nothing is lost with it. */
  readonly state: 'in use' | 'left' | 'unfinished';
}

/** Those in `parent`, by name; [] if there is no such folder. Reads only. */
export async function listKeptCopies(parent: string): Promise<readonly KeptCopy[]> {
  const names = (await fs.readdir(parent).catch(() => [])).sort();
  const found = await Promise.all(
    names.map(async (name) => {
      const container = join(parent, name);
      const record = await readCopyRecord(container);
      return record === undefined ? [] : [describeCopy(name, container, record)];
    }),
  );
  return found.flat();
}

function describeCopy(name: string, container: string, record: CopyRecord): KeptCopy {
  const { folder, root, kind, madeAt, state } = record;
  const ended = state === 'ready' ? 'left' : 'unfinished';
  return {
    name,
    container,
    path: join(container, 'files', relative(root, folder)),
    folder,
    kind,
    madeAt,
    state: isAbandoned(record) ? ended : 'in use',
  };
}

/** undefined: it was never finished, or is none. `takeOver`: it becomes one of this process. */
export async function openKeptCopy(
  { container }: Pick<KeptCopy, 'container'>,
  env: GitPlace['env'],
  { takeOver = false }: { readonly takeOver?: boolean } = {},
): Promise<WorkingCopy | undefined> {
  const found = await readCopyRecord(container);
  if (found?.state !== 'ready') return undefined;
  const { released: _, ...taken } = found;
  const record = takeOver ? { ...taken, owner: thisProcess() } : found;
  if (takeOver) await writeCopyRecord(container, record);
  return openWorkingCopy({ container, record, prefix: relative(record.root, record.folder), env, notes: [] });
}

/** The process no longer works in it: others may take it over. Called when it stays behind. */
export async function letGoOfCopy({ container }: Pick<KeptCopy, 'container'>): Promise<void> {
  const record = await readCopyRecord(container);
  if (record !== undefined) await writeCopyRecord(container, { ...record, released: true });
}
