/** A file in which people wrote down what an agent should know. */
import type { LoadReason } from '../protocol/hook.ts';

export interface MemoryFile {
  /** Absolute, as it is spelled where it was looked for. */
  readonly path: string;
  /** Without frontmatter; cut off where it was too long. */
  readonly content: string;
  /** Whose it is: the user's for all projects, the project's, the user's for this project. */
  readonly type: MemoryType;
  readonly reason: LoadReason;
  /** The file that imports this one. */
  readonly parentPath?: string;
  /** What its frontmatter says it is about. */
  readonly description?: string;
  /** Patterns that say which files this one is about. */
  readonly globs?: readonly string[];
  /** The file that was touched when this one was read. */
  readonly triggerPath?: string;
  /** Of the file on disk, so that a later change is noticed. */
  readonly mtimeMs: number;
}

export type MemoryType = 'User' | 'Project' | 'Local';
