/** A memory file: instructions of the user or project for the agent. */
import type { LoadReason } from '../protocol/tools/hook.ts';

export interface MemoryFile {
  /** Absolute path, not resolved. */
  readonly path: string;
  /** Without frontmatter; truncated if too long. */
  readonly content: string;
  /** Scope: the user's for all projects, the project's, the user's for this project. */
  readonly type: MemoryType;
  readonly reason: LoadReason;
  /** The file that imports this one. */
  readonly parentPath?: string;
  /** `description` of its frontmatter. */
  readonly description?: string;
  /** Patterns of the files that it applies to. */
  readonly globs?: readonly string[];
  /** The touched file because of which it was read. */
  readonly triggerPath?: string;
  /** Modification time on disk, to notice later changes. */
  readonly mtimeMs: number;
}

export type MemoryType = 'User' | 'Project' | 'Local';
