/** A folder whose files are in memory where the system has such a place: many small files, without waits for a disk. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Removed at the end of the row. */
export function memoryFolder(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'torture-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
