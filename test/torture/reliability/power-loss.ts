/**
 * R1b: what the disk may hold after each call of a session at `durability: 'power'` is opened. It has all
 * that was committed, whatever became of the rest.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { seededRandom } from '@turnwright/testing';
import { createFileJournalStore } from '../../../packages/engine/src/session/journal/file-store.ts';
import { readEntries } from '../../../packages/engine/src/session/journal/read-journal.ts';
import { checkPrefix } from '../../session/check-prefix.ts';
import { fixedClock } from '../../session/sample-journal.ts';
import { memoryFolder } from '../memory-folder.ts';
import { type Row, row } from '../row.ts';
import { readTrace, type TraceLine } from './crash/disk-trace.ts';
import { Disk, type Image } from './crash/images.ts';
import { memoryFiles } from './crash/memory-files.ts';
import { sessionProcesses } from './crash/processes.ts';
import { isWholeContent, placesOf, type Script, SESSION } from './crash/scripted-session.ts';

interface Found {
  images: number;
  readonly unreadable: string[];
  readonly lost: string[];
  readonly torn: string[];
}

row('R1b', async ({ figures, size, seed, replay, corpus, keep }: Row) => {
  const folder = memoryFolder();
  const run = await sessionProcesses();
  const found: Found = { images: 0, unreadable: [], lost: [], torn: [] };
  const seeds = replay
    ? [seed]
    : [
        ...corpus<{ seed: number }>().map((one) => one.seed),
        ...Array.from({ length: size(1, 6) }, (_, n) => seed + n),
      ];
  let points = 0;
  for (const of of seeds) {
    const script: Script = {
      folder: join(folder, String(of)),
      iterations: size(10, 24),
      seed: of,
      durability: 'power',
    };
    const trace = join(folder, `${of}.trace`);
    await run({ script, trace });
    const lines = readTrace(trace);
    points += lines.length;
    const before = found.unreadable.length + found.lost.length + found.torn.length;
    await judgeAll(script, lines, size(15, 80), found);
    if (found.unreadable.length + found.lost.length + found.torn.length > before) keep({ seed: of });
    rmSync(script.folder, { recursive: true, force: true });
  }
  figures.atLeast('moments at which the power fails', points, size(80, 1000));
  figures.atLeast('images of a disk opened', found.images, size(1000, 100_000));
  figures.none('sessions that cannot be read', found.unreadable);
  figures.none('committed records lost', found.lost);
  figures.none('files of the user that are neither old nor new', found.torn);
});

async function judgeAll(
  script: Script,
  lines: readonly TraceLine[],
  each: number,
  found: Found,
): Promise<void> {
  const disk = new Disk();
  const random = seededRandom(script.seed);
  const { sessions, cwd, effects } = placesOf(script);
  const journal = join(sessions, `${SESSION}.jsonl`);
  /** Calls whose effect has begun, and whether the consumer has the result. */
  const begun = new Set<string>();
  let hasResult = false;
  const checked = new Set<string>();

  for (const [at, line] of lines.entries()) {
    disk.apply(line);
    if (line.op === 'result') hasResult = true;
    if (line.op === 'append' && line.path === effects) {
      const id = /begun (\w+);/.exec(Buffer.from(line.data, 'base64').toString())?.[1];
      if (id !== undefined) begun.add(id);
    }
    const certain = disk.certain(journal)?.toString().split('\n').length ?? 1;
    for (const image of disk.images(each, random)) {
      found.images++;
      const where = `seed ${script.seed}, after call ${at}`;
      try {
        const entries = await opened(image, sessions, cwd);
        // The takeover line is no record.
        if (entries.length < certain - 2)
          found.lost.push(`${where}: ${entries.length} of ${certain - 2} records`);
        const intents = new Set(
          entries.flatMap((entry) => (entry.type === 'intent' ? [entry.toolUseId] : [])),
        );
        for (const id of begun) if (!intents.has(id)) found.lost.push(`${where}: the intent of ${id}`);
        if (hasResult && !entries.some(({ type }) => type === 'result'))
          found.lost.push(`${where}: the result`);
        const key = `${entries.length} ${entries.at(-1)?.seq}`;
        if (!checked.has(key)) checkPrefix(entries);
        checked.add(key);
      } catch (error) {
        found.unreadable.push(`${where}: ${error}`);
      }
      for (const [path, bytes] of image)
        if (path.startsWith(join(cwd, 'file-')) && !isWholeContent(bytes.toString()))
          found.torn.push(`${where}: ${path} has ${bytes.length} bytes`);
    }
  }
}

/** Takes the session over, as a resume does, and returns its records. */
async function opened(image: Image, directory: string, cwd: string): Promise<readonly JournalEntry[]> {
  const files = memoryFiles(image);
  const store = createFileJournalStore({ files, directory, cwd, clock: fixedClock, durability: 'power' });
  await store.takeOver(SESSION);
  return readEntries(store, SESSION);
}
