/** The memory files of folders, each read once, and the rules in them that wait for a file they are about. */

import { join, relative } from 'node:path';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { matchesGlob } from '@turnwright/base/search/name-pattern.ts';
import type { LoadReason } from '../protocol/tools/hook.ts';
import type { MemoryFile, MemoryType } from './memory-file.ts';
import { projectFiles, projectRules, userFiles } from './memory-places.ts';
import type { MemoryReader } from './read-memory.ts';
import type { MemoryGroup } from './relevant-memory.ts';

export interface FolderMemoryOptions {
  readonly files: Pick<PersistentFiles, 'exists' | 'stat' | 'realpath' | 'readDir'>;
  /** Only the named sources are read. */
  readonly sources: readonly ('user' | 'project' | 'local')[];
}

/** A rule for some files only, with its imports, until one is touched, by its own name or through a link. */
interface HeldRule {
  readonly folder: string;
  readonly group: MemoryGroup;
}

export class FolderMemory {
  readonly #options: FolderMemoryOptions;
  #visited = new Set<string>();
  #held: readonly HeldRule[] = [];

  constructor(options: FolderMemoryOptions) {
    this.#options = options;
  }

  /** The same, for another conversation. */
  branch(): FolderMemory {
    const other = new FolderMemory(this.#options);
    other.#visited = new Set(this.#visited);
    other.#held = this.#held;
    return other;
  }

  hasRead(folder: string): boolean {
    return this.#visited.has(folder);
  }

  /** Rules that wait for their files. */
  heldRules(): readonly MemoryGroup[] {
    return this.#held.map(({ group }) => group);
  }

  /** The user's own; their rules are about files below `root`. */
  async readUser(userFolder: string, root: string, reader: MemoryReader): Promise<readonly MemoryFile[]> {
    const groups: MemoryGroup[] = [];
    for (const path of await userFiles(userFolder, this.#options.files))
      groups.push(await reader.read({ path, type: 'User', reason: 'session_start' }));
    return this.#sift(root, groups);
  }

  async read(
    folder: string,
    reason: LoadReason,
    reader: MemoryReader,
    triggerPath?: string,
  ): Promise<readonly MemoryFile[]> {
    const { files, sources } = this.#options;
    this.#visited.add(folder);
    const trigger = triggerPath === undefined ? {} : { triggerPath };
    const groups: MemoryGroup[] = [];
    const read = async (paths: readonly string[], type: MemoryType) => {
      for (const path of paths) groups.push(await reader.read({ path, type, reason, ...trigger }));
    };
    if (sources.includes('project')) {
      await read(await projectFiles(folder, files), 'Project');
      await read(await projectRules(folder, files), 'Project');
    }
    if (sources.includes('local')) await read([join(folder, 'CLAUDE.local.md')], 'Local');
    return this.#sift(folder, groups);
  }

  /** The files of the rules that are about this path; they wait no longer. */
  async takeRules(path: string): Promise<readonly MemoryFile[]> {
    const { files } = this.#options;
    const names = this.#held.length === 0 ? [] : [path, await resolveLinks(files, path)];
    const matching = this.#held.filter(({ folder, group }) =>
      group[0]?.globs?.some((glob) => names.some((name) => matchesGlob(glob, relative(folder, name)))),
    );
    this.#held = this.#held.filter((rule) => !matching.includes(rule));
    return matching.flatMap(({ group }) =>
      group.map((file) => ({
        ...file,
        triggerPath: path,
        ...(file.reason !== 'include' && { reason: 'path_glob_match' as const }),
      })),
    );
  }

  /** Separates rules that apply to some files only. */
  #sift(folder: string, groups: readonly MemoryGroup[]): readonly MemoryFile[] {
    const about = groups.filter(([first]) => first?.globs !== undefined);
    this.#held = [...this.#held, ...about.map((group) => ({ folder, group }))];
    return groups.filter((group) => !about.includes(group)).flat();
  }
}
