import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectFiles } from './project-files.ts';

/** Writes the broken project into `folder`, which is created if missing. */
export async function layOutProject(folder: string): Promise<void> {
  for (const { path, content } of projectFiles()) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
}
