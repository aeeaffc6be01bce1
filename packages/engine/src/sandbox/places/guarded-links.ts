/**
 * Links that stand in the place of protected files: afterwards they are what they were, whatever a command
 * made of them.
 */
import { randomUUID } from 'node:crypto';
import { readlink, rename, symlink } from 'node:fs/promises';

/** Resolves to what puts them back. What stood in a link's place is kept beside it under another name. */
export async function guardLinks(paths: readonly string[]): Promise<() => Promise<readonly string[]>> {
  const before = await Promise.all(paths.map(async (path) => ({ path, target: await readTarget(path) })));
  return async () => {
    const changed: string[] = [];
    for (const { path, target } of before) {
      if (target === undefined || (await readTarget(path)) === target) continue;
      await rename(path, `${path}.from-sandbox-${randomUUID()}`).catch(() => {});
      await symlink(target, path).catch(() => {});
      changed.push(path);
    }
    return changed;
  };
}

async function readTarget(path: string): Promise<string | undefined> {
  return await readlink(path).catch(() => undefined);
}
