/** What lies at a path and below it, to see later whether it has changed. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** A line for each file, link and folder: its path, mode and content. `except`: names in `path` that are left out. */
export function pictureOf(path: string, except?: RegExp): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return `no ${path}`;
  const line = `${path} ${stat.mode}`;
  if (stat.isSymbolicLink()) return `${line} → ${readlinkSync(path)}`;
  if (!stat.isDirectory())
    return `${line} ${stat.ino} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
  const names = readdirSync(path).filter((name) => except?.test(name) !== true);
  return [line, ...names.sort().map((name) => pictureOf(join(path, name)))].join('\n');
}
