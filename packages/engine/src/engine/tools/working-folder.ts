/**
 * The folder that relative paths count from: the session's own, until a shell command changes to another one
 * (L5).
 */

import { join, relative } from 'node:path';
import { homeDirectory } from '@turnwright/base/files/home-path.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import { isGone, standingFolder } from '@turnwright/base/files/standing-folder.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Permissions } from '../../permissions/permission-engine.ts';
import type { QueryEngineConfig } from '../config.ts';

interface WorkingFolderPorts {
  readonly files: Pick<PersistentFiles, 'realpath'>;
  /** Folders that were added while the session ran. */
  readonly permissions: Pick<Permissions, 'directories'>;
}

type FolderConfig = Pick<QueryEngineConfig, 'cwd' | 'additionalDirectories' | 'env'>;

/**
 * The folder of one agent. If it is gone, the nearest folder above it that belongs to the session takes its
 * place, else the session's own, else the home folder.
 */
export class CallFolder {
  /** The session's own. */
  readonly root: string;
  readonly home: string | undefined;
  readonly #config: FolderConfig;
  readonly #folders: () => readonly string[];
  /** A session whose own folder never existed has nothing to lose. */
  readonly #stood: boolean;
  #now: string;
  #loss: { readonly sentence: string; round: string | undefined } | undefined;

  /** `folders`: all of the session. */
  constructor(config: FolderConfig, folders: () => readonly string[], now = config.cwd) {
    const { cwd, env = {} } = config;
    this.#config = config;
    this.root = cwd;
    this.home = homeDirectory(env);
    this.#folders = folders;
    this.#now = now;
    this.#stood = !isGone(cwd);
  }

  get now(): string {
    if (this.#stood && isGone(this.#now)) {
      const gone = this.#now;
      this.#now = this.#insteadOf(gone);
      const sentence = `The working directory ${gone} no longer exists; from now on it is ${this.#now}.`;
      this.#loss = { sentence, round: undefined };
    }
    return this.#now;
  }

  /**
   * What the model must learn with this call and the others of the same answer (see `effectKeyOf`): it made
   * them without knowing that the folder is gone. The calls of later answers were made for the new one.
   */
  lossFor(effectKey: string): string | undefined {
    if (this.#loss === undefined) return undefined;
    const round = effectKey.replace(/\/tool\/[^/]*$/, '');
    this.#loss.round ??= round;
    if (this.#loss.round !== round) this.#loss = undefined;
    return this.#loss?.sentence;
  }

  /** That of an agent, whose shell changes none. */
  forAgent(): CallFolder {
    return new CallFolder(this.#config, this.#folders, this.now);
  }

  /** The one that calls were last made in, whether it still stands or not. */
  protected get last(): string {
    return this.#now;
  }

  protected goTo(folder: string): void {
    this.#now = folder;
  }

  #insteadOf(gone: string): string {
    const standing = standingFolder(gone);
    if (this.#folders().some((folder) => isInside(standing, folder))) return standing;
    if (!isGone(this.root)) return this.root;
    return this.home !== undefined && !isGone(this.home) ? this.home : standingFolder(this.root);
  }
}

/** The main agent's, which a shell changes. */
export class WorkingFolder extends CallFolder {
  readonly #all: () => readonly string[];
  readonly #files: WorkingFolderPorts['files'];

  constructor(config: FolderConfig, { files, permissions }: WorkingFolderPorts) {
    const { cwd, additionalDirectories = [] } = config;
    const all = () => [cwd, ...additionalDirectories, ...permissions.directories().map(({ path }) => path)];
    super(config, all);
    this.#all = all;
    this.#files = files;
  }

  /**
   * Goes where a shell has gone, `path` being free of links. A folder outside all of the session's leads back
   * to its own. Resolves with the folder that holds from here on, whether it is the one that was asked for,
   * and the one that was left, which may be gone.
   */
  async follow(
    path: string,
  ): Promise<{ readonly folder: string; readonly followed: boolean; readonly left: string }> {
    const left = this.last;
    const found = await this.#spelledInside(path);
    if (found !== undefined) this.goTo(found);
    else if (!isGone(this.root)) this.goTo(this.root);
    // Without the session's own folder, the one that took its place is kept.
    const followed = found !== undefined || (await this.#real(this.now)) === path;
    return { folder: this.now, followed, left };
  }

  /** The path as the session spells its folders, which may be reached through links. */
  async #spelledInside(path: string): Promise<string | undefined> {
    for (const folder of this.#all()) {
      const real = await this.#real(folder);
      if (isInside(path, real)) return join(folder, relative(real, path));
    }
    return undefined;
  }

  #real(folder: string): Promise<string> {
    return resolveLinks(this.#files, folder);
  }
}
