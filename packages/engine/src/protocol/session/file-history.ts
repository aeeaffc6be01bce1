/** Changes of files by tools, and the outcome of a rewind. */

/** Content of a file before a tool changed it. */
export interface KeptContent {
  /** SHA-256 in hex; the content is stored under this name. */
  readonly hash: string;
  /** Permission bits. */
  readonly mode: number;
  /** The content was too large to keep: only the hash is known. */
  readonly lost?: true;
}

/** Recorded before the file changes. */
export interface FileChange {
  /** Absolute path, as the tool named it. */
  readonly path: string;
  /** The resolved path, if it differs. */
  readonly real?: string;
  /** null: the file did not exist. */
  readonly before: KeptContent | null;
  /** Hash of the content afterwards; null: the file is removed. */
  readonly after: string | null;
}

/** The changes of `rewindFiles`, made or (with `dryRun`) planned. */
export interface RewindFilesResult {
  readonly canRewind: boolean;
  /** Why the rewind failed, or which files were left unchanged. */
  readonly error?: string;
  /** Absolute paths of the files that are, or in a dry run would be, restored or removed. */
  readonly filesChanged?: readonly string[];
  /** Lines that the rewind adds and removes; text files only. */
  readonly insertions?: number;
  readonly deletions?: number;
  /** Symlinked files that were skipped; absent in a dry run. */
  readonly skippedLinks?: number;
  /** Files that another program changed since, which are left unchanged. */
  readonly conflicts?: readonly string[];
}
