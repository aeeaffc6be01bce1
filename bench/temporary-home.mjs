import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is gone when the process is; its removal is not part of what is measured. */
export function temporaryHome() {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
