/**
 * Where the user's notes about a project are: in a folder of its own, and in the one that others keep them in
 * too, unless another project has sessions there (`/a-b` and `/a/b` have one name).
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { sessionsDirectory, sharingProject } from '../../session/paths.ts';
import type { QueryEngineConfig } from '../config.ts';

/** Where others keep them. */
export const notesFolder = ({ home, cwd }: Pick<QueryEngineConfig, 'home' | 'cwd'>): string | undefined =>
  home && join(sessionsDirectory(home, cwd), 'memory');

export class NotesPlaces {
  readonly #config: QueryEngineConfig;
  readonly #files: PersistentFiles;
  #known: readonly string[] = [];

  constructor(config: QueryEngineConfig, files: PersistentFiles) {
    this.#config = config;
    this.#files = files;
  }

  /** What the model is shown parts of, it may read: nothing before it was looked for. */
  get readable(): readonly string[] {
    return (this.#config.relevantMemory ?? false) === false ? [] : this.#known;
  }

  /** The folders to read; none without the user's files. */
  readonly find = lazily(async (): Promise<readonly string[]> => {
    const { home, cwd, settingSources, stderr } = this.#config;
    const files = this.#files;
    const shared = notesFolder(this.#config);
    if (home === undefined || shared === undefined || settingSources?.includes('user') !== true) return [];
    const own = `${shared}-${createHash('sha256').update(cwd).digest('hex').slice(0, 12)}`;
    const there = (await files.stat(shared).catch(() => undefined)) !== undefined;
    const other = there ? await sharingProject({ files, home, cwd }) : undefined;
    if (other !== undefined)
      stderr?.(
        `Notes in ${shared} are not used here, for ${other} has its sessions in the same folder. Move those about ${cwd} to ${own}.`,
      );
    this.#known = other === undefined && there ? [own, shared] : [own];
    return this.#known;
  });
}
