/**
 * The user's notes about a project: one folder of Markdown, searched for notes that are relevant for a
 * prompt.
 */
import { dirname } from 'node:path';
import { markdownIn } from '../util/files/folders.ts';
import { createMemoryReader, type MemoryReaderOptions } from './read-memory.ts';
import type { MemoryGroup } from './relevant-memory.ts';

interface Notes {
  has(path: string): boolean;
  read(path: string): Promise<MemoryGroup>;
  /** The current notes, each with its imports. */
  all(): Promise<readonly MemoryGroup[]>;
}

/** Notes import files beside them only; a project's files do not import notes. */
export function notesIn(folder: string, options: Omit<MemoryReaderOptions, 'roots'>): Notes {
  const open = () => createMemoryReader({ ...options, roots: [folder], importsAnywhere: false });
  const readBy = (reader: ReturnType<typeof open>) => (path: string) =>
    reader.read({ path, type: 'Local', reason: 'recall' });
  return {
    has: (path) => dirname(path) === folder,
    read: (path) => readBy(open())(path),
    async all() {
      const read = readBy(open());
      const groups: MemoryGroup[] = [];
      for (const path of await markdownIn(folder, options.files)) groups.push(await read(path));
      return groups;
    },
  };
}
