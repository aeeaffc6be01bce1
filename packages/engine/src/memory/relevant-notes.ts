/**
 * The user's notes about a project: folders of Markdown, searched for notes that are relevant for a prompt.
 */
import { dirname } from 'node:path';
import { markdownIn } from '@turnwright/base/files/folders.ts';
import { createMemoryReader, type MemoryReaderOptions } from './read-memory.ts';
import type { MemoryGroup } from './relevant-memory.ts';

interface Notes {
  /** The note at this path, with its imports; undefined: it is none. */
  find(path: string): Promise<MemoryGroup | undefined>;
  /** The current notes, each with its imports. */
  all(): Promise<readonly MemoryGroup[]>;
}

/** Notes import files beside them only; a project's files do not import notes. */
export function notesIn(
  folders: () => Promise<readonly string[]>,
  options: Omit<MemoryReaderOptions, 'roots'>,
): Notes {
  const open = (folder: string) =>
    createMemoryReader({ ...options, roots: [folder], importsAnywhere: false });
  const readBy = (reader: ReturnType<typeof open>) => (path: string) =>
    reader.read({ path, type: 'Local', reason: 'recall' });
  return {
    async find(path) {
      const folder = dirname(path);
      return (await folders()).includes(folder) ? readBy(open(folder))(path) : undefined;
    },
    async all() {
      const groups: MemoryGroup[] = [];
      for (const folder of await folders()) {
        const read = readBy(open(folder));
        for (const path of await markdownIn(folder, options.files)) groups.push(await read(path));
      }
      return groups;
    },
  };
}
