import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Its absolute path on `path`. Rejects with code ENOENT when there is none; folders that are not absolute do
 * not count.
 */
export async function findProgram(name: string, path: string): Promise<string> {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    const isProgram = await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    );
    if (isProgram) return file;
  }
  throw Object.assign(new Error(`There is no program "${name}" on PATH.`), { code: 'ENOENT' });
}
