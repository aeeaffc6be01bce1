/**
 * Project memory: what the people of a project wrote down for agents. Read from the folder that holds the
 * repository down to the working directory, so that what is nearest comes last; one file per folder, CLAUDE.md
 * before AGENTS.md. Bounded; a file that cannot be read is passed over.
 */
import { dirname, join } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';

const NAMES = ['CLAUDE.md', '.claude/CLAUDE.md', '.turnwright/CLAUDE.md', 'AGENTS.md'];
const MAX_CHARS = 40_000;
const MAX_FOLDERS = 32;

export interface MemoryFile {
  readonly path: string;
  readonly content: string;
}

export async function readMemoryFiles(
  cwd: string,
  files: Pick<PersistentFiles, 'readFile' | 'stat'>,
): Promise<readonly MemoryFile[]> {
  const found: MemoryFile[] = [];
  for (const folder of await foldersDownTo(cwd, files)) {
    const file = await firstFile(folder, files);
    if (file !== undefined) found.push(file);
  }
  return found;
}

/** From the repository's root (the folder with `.git`) to `cwd`; `cwd` alone outside a repository. */
async function foldersDownTo(cwd: string, files: Pick<PersistentFiles, 'stat'>): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = cwd; folders.length < MAX_FOLDERS; folder = dirname(folder)) {
    folders.unshift(folder);
    if ((await files.stat(join(folder, '.git')).catch(() => undefined)) !== undefined) return folders;
    if (dirname(folder) === folder) break;
  }
  return [cwd];
}

async function firstFile(
  folder: string,
  files: Pick<PersistentFiles, 'readFile' | 'stat'>,
): Promise<MemoryFile | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name);
    try {
      if ((await files.stat(path))?.kind !== 'file') continue;
      const text = new TextDecoder().decode(await files.readFile(path));
      const content =
        text.length > MAX_CHARS
          ? `${text.slice(0, MAX_CHARS)}\n… (cut off after ${MAX_CHARS} characters)`
          : text;
      if (content.trim() !== '') return { path, content };
    } catch {
      // Unreadable: as if it were not there.
    }
  }
  return undefined;
}
