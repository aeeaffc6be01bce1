/**
 * The record beside the files of a working copy. It is replaced in one piece, so a copy whose record does not
 * say `ready` was never finished, whatever its process died of.
 */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../bounded-json.ts';
import { writeAtomic } from '../files/write-atomic.ts';
import { isRecord } from '../json-values.ts';
import { checkLiveness, type ProcessIdentity } from '../process/process-identity.ts';

export interface CopyRecord {
  readonly version: 1;
  /** `making`: not finished, so no agent has worked in it. `removing`: unused, or discarded. */
  readonly state: 'making' | 'ready' | 'removing';
  /** The folder that it is a copy of; absolute. */
  readonly folder: string;
  /** What `files` is a copy of: the root of the folder's repository, or the folder. */
  readonly root: string;
  readonly kind: 'worktree' | 'copy';
  /** For a worktree: the folder of git that all working trees of the repository share. */
  readonly repository?: string;
  /** Where it began: commit of a worktree, tree of its files, and a fingerprint of its ignored files. */
  readonly commit?: string;
  readonly tree?: string;
  readonly ignored?: string;
  /** ISO time. */
  readonly madeAt: string;
  readonly owner: ProcessIdentity;
  /** The owner has left it behind. */
  readonly released?: true;
}

const RECORD_NAME = 'copy.json';

export const writeCopyRecord = (container: string, record: CopyRecord): Promise<void> =>
  writeAtomic(join(container, RECORD_NAME), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });

/** undefined: the folder is no working copy, or its record cannot be read. */
export async function readCopyRecord(container: string): Promise<CopyRecord | undefined> {
  try {
    const record: unknown = parseJson(await fs.readFile(join(container, RECORD_NAME), 'utf8'));
    return isRecord(record) && record['version'] === 1 && isRecord(record['owner'])
      ? (record as unknown as CopyRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the process that made it has ended, or left it. One of another machine counts as running. */
export const isAbandoned = ({ owner, released }: CopyRecord): boolean =>
  released === true || checkLiveness(owner) === 'dead';
