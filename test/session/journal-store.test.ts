import { join } from 'node:path';
import { createFileJournalStore } from '../../src/session/file-store.ts';
import { createMemoryJournalStore } from '../../src/session/memory-store.ts';
import { nodeFiles } from '../../src/util/node-files.ts';
import { journalStoreConformance } from './journal-store-conformance.ts';
import { CWD, fixedClock } from './sample-journal.ts';
import { tempDir } from './temp-dir.ts';

journalStoreConformance('memory', async () => ({
  store: createMemoryJournalStore({ cwd: CWD, clock: fixedClock }),
  dispose: async () => undefined,
}));

for (const durability of ['process', 'power'] as const) {
  journalStoreConformance(`file (${durability})`, async () => {
    const { path, dispose } = await tempDir();
    const directory = join(path, 'projects', '-work-project');
    return {
      store: createFileJournalStore({ files: nodeFiles, directory, cwd: CWD, clock: fixedClock, durability }),
      dispose,
    };
  });
}
