/** The user's own notes about a project: one folder of Markdown, looked through when a prompt may have to do with them. */
import { dirname } from 'node:path';
import { markdownIn } from '../util/files/folders.ts';
import { createMemoryReader, type MemoryReaderOptions } from './read-memory.ts';
import type { MemoryGroup } from './relevant-memory.ts';

export interface Notes {
  has(path: string): boolean;
  read(path: string): Promise<MemoryGroup>;
  /** As they are now, each with what it imports. */
  all(): Promise<readonly MemoryGroup[]>;
}

/** They import what is beside them, and nothing else; a project's files do not import them. */
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
