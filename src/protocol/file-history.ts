/** What tools did to files, and what came of putting them back. */

/** What a file held before a tool changed it. */
export interface KeptContent {
  /** SHA-256, in hex; its bytes are kept under this name. */
  readonly hash: string;
  /** Permission bits. */
  readonly mode: number;
  /** It was too large to keep: the hash alone is known. */
  readonly lost?: true;
}

/** On record before the file changes. */
export interface FileChange {
  /** Absolute, as the tool named it. */
  readonly path: string;
  /** The same without links, when that is another. */
  readonly real?: string;
  /** null: there was no file. */
  readonly before: KeptContent | null;
  /** Hash of what it holds then; null: it is removed. */
  readonly after: string | null;
}

export interface RewindFilesResult {
  readonly canRewind: boolean;
  /** Why not, or which files were left as they are. */
  readonly error?: string;
  /** Absolute paths of those that are, or would be, put back or removed. */
  readonly filesChanged?: readonly string[];
  /** Lines that come in and go out with it; of text files. */
  readonly insertions?: number;
  readonly deletions?: number;
  /** Files behind links that were passed over; absent in a dry run. */
  readonly skippedLinks?: number;
  /** Changed since by somebody else, and therefore left alone. */
  readonly conflicts?: readonly string[];
}
