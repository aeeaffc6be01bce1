/** A module of the tests with all that it imports as one file, for a process of its own and without real time for loading. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOneFile } from '../one-file.ts';

/** `entry`: below this folder. `remove` deletes the file. */
export function bundled(entry: string): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-'));
  const file = join(folder, 'program.mjs');
  // What is not in the bundle (ripgrep, which is a program) is found from here.
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  writeOneFile(join(import.meta.dirname, entry), file);
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
