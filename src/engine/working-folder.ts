/** The folder that relative paths count from: the session's own, until a shell command changes to another one (L5). */
import { join, relative } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import { isInside } from '../util/inside.ts';

export interface WorkingFolderPorts {
  readonly files: Pick<PersistentFiles, 'realpath'>;
  /** The folders besides the session's own that tools may work in, absolute. */
  others(): readonly string[];
}

export class WorkingFolder {
  /** The session's own. */
  readonly root: string;
  #now: string;
  readonly #ports: WorkingFolderPorts;

  constructor(root: string, ports: WorkingFolderPorts) {
    this.root = root;
    this.#now = root;
    this.#ports = ports;
  }

  get now(): string {
    return this.#now;
  }

  /**
   * Goes where a shell has gone, `path` being free of links. A folder outside all of the session's leads back to its own.
   * Resolves with the folder that holds from here on, and whether it is the one that was asked for.
   */
  async follow(path: string): Promise<{ readonly folder: string; readonly followed: boolean }> {
    const found = await this.#spelledInside(path);
    this.#now = found ?? this.root;
    return { folder: this.#now, followed: found !== undefined };
  }

  /** The path as the session spells its folders, which may be reached through links. */
  async #spelledInside(path: string): Promise<string | undefined> {
    for (const folder of [this.root, ...this.#ports.others()]) {
      const real = await this.#ports.files.realpath(folder).catch(() => folder);
      if (isInside(path, real)) return join(folder, relative(real, path));
    }
    return undefined;
  }
}
