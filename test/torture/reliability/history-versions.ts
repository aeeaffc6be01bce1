/** R14: transcripts that versions of this program and of others have written open, whole and cut off at any byte. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { createFileJournalStore } from '../../../packages/engine/src/session/journal/file-store.ts';
import { readEntries } from '../../../packages/engine/src/session/journal/read-journal.ts';
import { checkPrefix } from '../../session/check-prefix.ts';
import { CWD, fixedClock } from '../../session/sample-journal.ts';
import { memoryFolder } from '../memory-folder.ts';
import { row } from '../row.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/transcripts');
const SESSION = 'x1';

row('R14', async ({ figures, size }) => {
  const names = (await readdir(FIXTURES)).filter((name) => name.endsWith('.jsonl'));
  const directory = memoryFolder();
  const file = join(directory, `${SESSION}.jsonl`);

  /** Opens it for reading, as a resume does, and for writing. Returns the number of its records. */
  const open = async (bytes: Uint8Array): Promise<number> => {
    await writeFile(file, bytes);
    const store = createFileJournalStore({ files: nodeFiles, directory, cwd: CWD, clock: fixedClock });
    checkPrefix(await readEntries(store, SESSION));
    const { head } = await store.takeOver(SESSION);
    checkPrefix(await readEntries(store, SESSION));
    await store.close(SESSION);
    return head;
  };

  const failed: string[] = [];
  let opened = 0;
  for (const name of names) {
    const bytes = await readFile(join(FIXTURES, name));
    let atLeast = 0;
    const step = size(14, 1);
    const lengths = [...bytes.keys()].filter((at) => at % step === 0 || bytes[at] === 10).map((at) => at + 1);
    // From the beginning: what a whole line added must be there at every longer length.
    for (const length of lengths) {
      const part = bytes.subarray(0, length);
      try {
        const records = await open(part);
        opened++;
        if (records < atLeast) failed.push(`${name} cut at ${length}: ${records} of ${atLeast} records`);
        if (part.at(-1) === 10) atLeast = records;
      } catch (error) {
        failed.push(`${name} cut at ${length}: ${error}`);
      }
    }
    for (const left of await readdir(directory)) await rm(join(directory, left));
  }
  figures.atLeast('versions with a transcript', names.length, 2);
  figures.atLeast('openings, whole and cut off at a byte', opened, size(500, 5000));
  figures.none('transcripts that do not open, or lose a whole line', failed);
});
