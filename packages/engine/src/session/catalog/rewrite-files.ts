/** Rewrites the files of a session that is not running, each one atomically. */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { resealed } from '../journal/envelope.ts';
import { readLines } from '../journal/read-lines.ts';
import { entryOfLine } from './file-summary.ts';
import type { Erasure } from './transcripts.ts';

/** Kept file contents are restored by a rewind: they are not part of the conversation. */
const CHECKPOINTS = 'file-history';

/**
 * Rewrites the journal, and the files in the folder of its name. Resolves to the number of changed records.
 */
export async function rewriteSessionFiles(
  files: PersistentFiles,
  journal: string,
  beside: string,
  erasure: Erasure,
): Promise<number> {
  // It repeats the journal, and is created anew when missing.
  await files.remove(join(beside, 'digest.jsonl'));
  let changed = await rewriteRecords(files, journal, erasure);
  for (const path of await filesUnder(files, beside)) {
    if (path.endsWith('.jsonl')) changed += await rewriteRecords(files, path, erasure);
    else await rewriteText(files, path, erasure);
  }
  return changed;
}

async function rewriteRecords(files: PersistentFiles, path: string, { record }: Erasure): Promise<number> {
  const lines: string[] = [];
  let changed = 0;
  for await (const { bytes, complete, tooLong } of readLines(files, path)) {
    // Not readable as a record, so it does not count, and its content is unknown.
    if (tooLong) continue;
    const before = entryOfLine(bytes);
    const after = before && record(before);
    if (after === before) lines.push(bytes.toString('utf8') + (complete ? '\n' : ''));
    else if (after !== undefined) {
      lines.push(`${resealed(after)}\n`);
      changed++;
    }
  }
  if (changed > 0) await files.writeAtomic(path, lines.join(''), { mode: 0o600, sync: true });
  return changed;
}

async function rewriteText(files: PersistentFiles, path: string, { text }: Erasure): Promise<void> {
  const before = Buffer.from(await files.readFile(path)).toString('utf8');
  const after = text(before);
  if (after !== before) await files.writeAtomic(path, after, { mode: 0o600, sync: true });
}

async function filesUnder(files: PersistentFiles, folder: string): Promise<readonly string[]> {
  if ((await files.lstat(folder))?.kind !== 'directory') return [];
  const found: string[] = [];
  for (const name of (await files.readDir(folder)).filter((each) => each !== CHECKPOINTS)) {
    const path = join(folder, name);
    const stat = await files.lstat(path);
    if (stat?.kind === 'directory') found.push(...(await filesUnder(files, path)));
    else if (stat?.kind === 'file') found.push(path);
  }
  return found;
}
