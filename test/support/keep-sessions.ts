/**
 * With `TURNWRIGHT_KEEP_SESSIONS=<folder>`, tests leave every session that they have made in that folder, and
 * `scripts/replay-kept.mjs` replays them: sessions in files are copied before a test removes them, those in memory are
 * written as they grow.
 */
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';

export const keptIn = process.env['TURNWRIGHT_KEEP_SESSIONS'];

let kept = 0;
const nextName = (): string => `${process.pid}-${++kept}`;

/** Copies the session files below a folder that is about to go. */
export function keepSessionsBelow(folder: string): void {
  if (
    keptIn === undefined ||
    folder.startsWith(keptIn) ||
    !existsSync(folder) ||
    !statSync(folder).isDirectory()
  )
    return;
  const found =
    basename(folder) === 'projects' ? [''] : readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of found)
    if (name === '' || basename(name) === 'projects')
      cpSync(join(folder, name), join(keptIn, nextName(), 'projects'), { recursive: true });
}

/** A journal in memory, record by record. */
export function keepRecords(store: string, sessionId: string, entries: readonly JournalEntry[]): void {
  if (keptIn === undefined) return;
  const folder = join(keptIn, store, 'memory');
  mkdirSync(folder, { recursive: true });
  appendFileSync(
    join(folder, `${sessionId.replaceAll(/[^\w.-]/g, '_')}.jsonl`),
    entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  );
}

export const nameStore = nextName;

/** Every removal of a folder keeps the sessions in it first. */
export function keepBeforeRemoval(): void {
  const require = createRequire(import.meta.url);
  const fs = require('node:fs');
  const keep = (path: unknown) => {
    try {
      keepSessionsBelow(String(path));
    } catch {
      // What cannot be read any more is not kept.
    }
  };
  const before = <F extends (...given: never[]) => unknown>(remove: F) =>
    ((...given: Parameters<F>) => {
      keep(given[0]);
      return remove(...given);
    }) as F;
  fs.rmSync = before(fs.rmSync);
  fs.promises.rm = before(fs.promises.rm);
  syncBuiltinESMExports();
}
