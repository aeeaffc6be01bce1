/**
 * The one owner of file writes, injectable: real files in production, a fault-injecting double in tests.
 * Paths are absolute. Errors are Node's (`code`: ENOSPC, EACCES, …).
 */
export interface PersistentFiles {
  readFile(path: string): Promise<Uint8Array>;
  /** The same, for a small file of our own: read without the thread pool. undefined: there is none. */
  readSmall(path: string): Promise<Uint8Array | undefined>;
  /** Up to `length` bytes from `offset` on; fewer at the end of the file. `into` is room for them. */
  readRange(path: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /**
   * What lies at a path without links; a link that took its place, or that of a folder above it, is not followed
   * (`EMOVED`). What belongs to a process (`/proc/<pid>/environ`) is refused. `cut`: of a longer file, its beginning.
   */
  readPlain(
    path: string,
    maxBytes: number,
    options?: { readonly cut?: boolean },
  ): Promise<PlainFile | undefined>;
  stat(path: string): Promise<FileStat | undefined>;
  lstat(path: string): Promise<FileStat | undefined>;
  realpath(path: string): Promise<string>;
  /** What a symbolic link says, as it is written. */
  readLink(path: string): Promise<string>;
  readDir(path: string): Promise<readonly string[]>;
  /** With its parents. With `mode`, a folder that exists is made no looser than it. */
  makeDir(path: string, mode?: number): Promise<void>;
  /**
   * All or nothing: temp file beside it, fsync, rename. Keeps the mode of a file that exists; where `mode` lets in nobody
   * but the owner, it is made no looser. `plain`: the path has no links, missing folders are made, and a link that took
   * the place of a part of it is not followed (`EMOVED`). `spelled`: what the call says in its place.
   */
  writeAtomic(
    path: string,
    data: Uint8Array | string,
    options?: {
      readonly mode?: number;
      readonly sync?: boolean;
      readonly plain?: boolean;
      readonly spelled?: string;
    },
  ): Promise<void>;
  /** A new file that appears whole, or EEXIST: for locks. */
  createExclusive(path: string, data: Uint8Array | string, mode: number): Promise<void>;
  /** A second name for a file, or EEXIST. Refused with other codes where a file can have only one. */
  link(file: string, name: string): Promise<void>;
  /** Creates the file when it is missing; an existing one is made no looser than `mode`. */
  openAppend(path: string, mode: number): Promise<AppendHandle>;
  truncate(path: string, length: number): Promise<void>;
  /** `plain` as for `writeAtomic`. */
  remove(path: string, options?: { readonly plain?: boolean }): Promise<void>;
  /** The same, for a small file of our own: without the thread pool. */
  removeSmall(path: string): Promise<void>;
  /** With all that is in it; links are removed, not followed. */
  removeTree(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** What takes no waiting is done when the call returns, and then there is no promise: a journal calls it many times a turn. */
export interface AppendHandle {
  /** Done once the write call has returned: survives the death of this process. */
  append(data: Uint8Array | string): Promise<void> | undefined;
  /** fdatasync: survives power loss. */
  sync(): Promise<void>;
  size(): Promise<number> | number;
  close(): Promise<void>;
}

export interface PlainFile {
  readonly stat: FileStat;
  /** Absent: it is no regular file, or longer than was asked for and not to be cut. */
  readonly bytes?: Uint8Array;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  /** When the file, or what is known of it, was last changed; no program can set it. Absent where nothing says. */
  readonly ctimeMs?: number;
  readonly mode: number;
  readonly ino: number;
  /** Of the file system; with `ino` it says which file it is. */
  readonly dev?: number;
  /** Names of the file. */
  readonly links?: number;
  /** The owner, where the system has one. */
  readonly uid?: number;
}
