/** Finds the command files under a folder, within limits. */
import { basename, join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';

export type CommandFilesPort = Pick<PersistentFiles, 'readDir' | 'stat' | 'readRange'>;

const MAX_DEPTH = 16;
const MAX_FILES = 500;
const MAX_BYTES = 128 * 1024;
/** Blanks and colons too; nothing that is not seen. */
const NAME = /^[^\p{C}/\\]+$/u;
/** Is called by the name of its folder, whose other files belong to it. */
const SKILL_FILE = 'SKILL.md';

interface FoundFile {
  /** Its folders and its name, joined by colons. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/**
 * Sorted by name. Files that are unreadable or have an invalid name are skipped, and those that are too large
 * are named. Never rejects.
 */
export async function findCommandFiles(
  folder: string,
  files: CommandFilesPort,
  warn?: (line: string) => void,
): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  const walk = async (at: string, names: readonly string[]): Promise<void> => {
    const entries = await files.readDir(at).catch(() => []);
    const isSkill = entries.some((entry) => entry === SKILL_FILE);
    for (const entry of [...entries].sort()) {
      if (found.length >= MAX_FILES) return;
      const path = join(at, entry);
      const own = entry.replace(/\.md$/, '');
      if (!NAME.test(own) || own.startsWith('.')) continue;
      const stat = await files.stat(path).catch(() => undefined);
      if (stat?.kind === 'directory' && names.length < MAX_DEPTH) await walk(path, [...names, entry]);
      if (stat?.kind !== 'file' || own === entry) continue;
      if (isSkill && entry !== SKILL_FILE) continue;
      if (stat.size > MAX_BYTES) {
        warn?.(`The command file ${path} was passed over: it is larger than ${MAX_BYTES / 1024} KB.`);
        continue;
      }
      const bytes = await files.readRange(path, 0, MAX_BYTES).catch(() => undefined);
      if (bytes !== undefined)
        found.push({
          name: isSkill ? names.join(':') || basename(folder) : [...names, own].join(':'),
          path,
          text: new TextDecoder().decode(bytes),
        });
    }
  };
  await walk(folder, []);
  return found;
}
