/** The sessions of a folder, for `continue`. */
import { join } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { QueryEngineConfig } from '../config.ts';
import { directoryOf } from './session.ts';

/** Id of the session of `cwd` that was written last; undefined when there is none. */
export async function newestSession(config: QueryEngineConfig, files: PersistentFiles): Promise<string | undefined> {
  const directory = directoryOf(config);
  if (directory === undefined) return undefined;
  const names = await files.readDir(directory).catch(() => []);
  let newest: { readonly id: string; readonly mtimeMs: number } | undefined;
  for (const name of names) {
    if (!name.endsWith('.jsonl')) continue;
    const stat = await files.stat(join(directory, name)).catch(() => undefined);
    if (stat?.kind !== 'file' || (newest !== undefined && stat.mtimeMs <= newest.mtimeMs)) continue;
    newest = { id: name.slice(0, -'.jsonl'.length), mtimeMs: stat.mtimeMs };
  }
  return newest?.id;
}
