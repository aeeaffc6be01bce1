/** Where that lies which grants under a protected name and is a link: writing there writes what grants. */
import { join } from 'node:path';
import type { FileStat } from '../../protocol/files.ts';
import { GRANTING_FOLDERS, PROTECTED_ANYWHERE } from '../../util/files/protected-names.ts';
import type { ResolvedPath } from './real-path.ts';

interface Look {
  resolve(path: string): Promise<ResolvedPath>;
  stat(path: string): Promise<FileStat | undefined>;
  entries(path: string): Promise<readonly string[] | undefined>;
}

/** Projects like any other. */
const WORKTREES = 'worktrees';
/** Commands lie in folders of folders. */
const MAX_DEPTH = 5;
const MAX_ENTRIES = 1_000;

/** Real paths; of links that lead nowhere none. `roots` are absolute. */
export async function linkedGrants(roots: readonly string[], look: Look): Promise<readonly string[]> {
  const targets: string[] = [];
  let left = MAX_ENTRIES;
  const walk = async (path: string, depth: number): Promise<void> => {
    left -= 1;
    if (left < 0) return;
    const kind = (await look.stat(path))?.kind;
    if (kind === 'symlink') {
      const { real } = await look.resolve(path);
      if (real !== undefined) targets.push(real);
    } else if (kind === 'directory' && depth < MAX_DEPTH) {
      const names = (await look.entries(path)) ?? [];
      for (const name of names) if (depth > 0 || name !== WORKTREES) await walk(join(path, name), depth + 1);
    }
  };
  for (const root of roots) {
    for (const file of PROTECTED_ANYWHERE) await walk(join(root, file), MAX_DEPTH);
    for (const folder of GRANTING_FOLDERS) await walk(join(root, folder), 0);
  }
  return targets;
}
