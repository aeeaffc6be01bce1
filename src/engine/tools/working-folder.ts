/**
 * The folder that relative paths count from: the session's own, until a shell command changes to another one
 * (L5).
 */
import { join, relative } from 'node:path';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import { isInside } from '../../util/files/inside.ts';
import type { QueryEngineConfig } from '../config.ts';

interface WorkingFolderPorts {
  readonly files: Pick<PersistentFiles, 'realpath'>;
  /** Folders that were added while the session ran. */
  readonly permissions: Pick<Permissions, 'directories'>;
}

export class WorkingFolder {
  /** The session's own. */
  readonly root: string;
  #now: string;
  readonly #additional: readonly string[];
  readonly #ports: WorkingFolderPorts;

  constructor(
    { cwd, additionalDirectories = [] }: Pick<QueryEngineConfig, 'cwd' | 'additionalDirectories'>,
    ports: WorkingFolderPorts,
  ) {
    this.root = cwd;
    this.#now = cwd;
    this.#additional = additionalDirectories;
    this.#ports = ports;
  }

  get now(): string {
    return this.#now;
  }

  /**
   * Goes where a shell has gone, `path` being free of links. A folder outside all of the session's leads back
   * to its own. Resolves with the folder that holds from here on, and whether it is the one that was asked
   * for.
   */
  async follow(path: string): Promise<{ readonly folder: string; readonly followed: boolean }> {
    const found = await this.#spelledInside(path);
    this.#now = found ?? this.root;
    return { folder: this.#now, followed: found !== undefined };
  }

  /** The path as the session spells its folders, which may be reached through links. */
  async #spelledInside(path: string): Promise<string | undefined> {
    const { files, permissions } = this.#ports;
    const added = permissions.directories().map((each) => each.path);
    for (const folder of [this.root, ...this.#additional, ...added]) {
      const real = await files.realpath(folder).catch(() => folder);
      if (isInside(path, real)) return join(folder, relative(real, path));
    }
    return undefined;
  }
}
