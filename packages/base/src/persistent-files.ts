/** A long text may come in pieces: each of whole characters, a few megabytes at most. */
export type FileData = Uint8Array | string | Iterable<string>;

/**
 * The one owner of file writes, injectable: real files in production, a fault-injecting double in tests.
 * Paths are absolute. Errors are Node's (`code`: ENOSPC, EACCES, …).
 */
export interface PersistentFiles {
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Like `read`, for a small file of the engine: synchronous I/O without the thread pool. undefined if it
   * does not exist.
   */
  readSmall(path: string): Promise<Uint8Array | undefined>;
  /** Up to `length` bytes from `offset`; fewer at the end of the file. `into` is an optional buffer. */
  readRange(path: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /**
   * Reads a path that is already resolved; a symlink that has replaced it or one of its folders is not
   * followed (`EMOVED`). Files of a process (`/proc/<pid>/environ`) are refused. `cut`: reads only the
   * beginning of a longer file.
   */
  readPlain(
    path: string,
    maxBytes: number,
    options?: { readonly cut?: boolean },
  ): Promise<PlainFile | undefined>;
  stat(path: string): Promise<FileStat | undefined>;
  /** Synchronous I/O without the thread pool; false also for a path that cannot be reached. */
  exists(path: string): Promise<boolean>;
  lstat(path: string): Promise<FileStat | undefined>;
  realpath(path: string): Promise<string>;
  /** What a symbolic link says, as it is written. */
  readLink(path: string): Promise<string>;
  readDir(path: string): Promise<readonly string[]>;
  /** With what each entry is, without a look at each; a link is `symlink`. */
  readKinds?(path: string): Promise<ReadonlyMap<string, FileStat['kind']>>;
  /**
   * Creates the folder and its parents. With `mode`, the permissions of an existing folder are never widened.
   */
  makeDir(path: string, mode?: number): Promise<void>;
  /**
   * Atomic: temporary file in the same folder, fsync, rename. The mode of an existing file is kept, and never
   * widened where `mode` is owner-only. `plain`: the path is resolved already, missing folders are created,
   * and a symlink that has replaced a part of it is not followed (`EMOVED`). `spelled`: the path to name in
   * errors. A file that cannot be replaced, or has several hard links, is written in place;
   * `onInPlace` receives the reason.
   */
  writeAtomic(
    path: string,
    data: FileData,
    options?: {
      readonly mode?: number;
      readonly sync?: boolean;
      readonly plain?: boolean;
      readonly spelled?: string;
      readonly onInPlace?: (why: string) => void;
    },
  ): Promise<void>;
  /** Creates a complete new file, or fails with EEXIST: for locks. */
  createExclusive(path: string, data: Uint8Array | string, mode: number): Promise<void>;
  /** Creates a hard link, or fails with EEXIST. Other codes where hard links are not supported. */
  link(file: string, name: string): Promise<void>;
  /** Creates the file if it is missing; the mode of an existing one is never widened beyond `mode`. */
  openAppend(path: string, mode: number): Promise<AppendHandle>;
  truncate(path: string, length: number): Promise<void>;
  /** `plain` as for `writeAtomic`. */
  remove(path: string, options?: { readonly plain?: boolean }): Promise<void>;
  /** Like `remove`, for a small file of the engine: without the thread pool. */
  removeSmall(path: string): Promise<void>;
  /** Recursive; symlinks are removed, not followed. */
  removeTree(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/**
 * Returns undefined instead of a promise when the call completed synchronously: a journal calls it many times
 * a turn.
 */
export interface AppendHandle {
  /** Complete when the write call has returned: survives the death of this process. */
  append(data: Uint8Array | string): Promise<void> | undefined;
  /** fdatasync: survives power loss. */
  sync(): Promise<void>;
  size(): Promise<number> | number;
  close(): Promise<void>;
}

export interface PlainFile {
  readonly stat: FileStat;
  /** Absent if it is not a regular file, or longer than requested without `cut`. */
  readonly bytes?: Uint8Array;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
  readonly mtimeMs: number;
  /** Time of the last change of content or metadata; programs cannot set it. Absent if unknown. */
  readonly ctimeMs?: number;
  /** Time of its creation; programs cannot set it. Absent, or the same for all files, if unknown. */
  readonly bornMs?: number;
  readonly mode: number;
  readonly ino: number;
  /** Device number; together with `ino` it identifies the file. */
  readonly dev?: number;
  /** Number of hard links. */
  readonly links?: number;
  /** Owner, on systems that have one. */
  readonly uid?: number;
}
