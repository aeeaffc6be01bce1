/** Where sessions are, for commands that look at them from outside. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { JournalEntry } from '../index.ts';
import type { Env } from './world.ts';

/** `TURNWRIGHT_HOME`, else `CLAUDE_CONFIG_DIR`, else `~/.turnwright`. Undefined when there is no home at all. */
export function configHomeOf(env: Env, cwd: string): string | undefined {
  const named = env['TURNWRIGHT_HOME'] || env['CLAUDE_CONFIG_DIR'];
  if (named) return resolve(cwd, named);
  const home = env['HOME'] || env['USERPROFILE'];
  return home ? join(home, '.turnwright') : undefined;
}

/** The journals under a home: every project's, or one working directory's. */
export async function journalsIn(home: string, cwd?: string): Promise<readonly string[]> {
  const projects = join(home, 'projects');
  const folders = cwd === undefined ? await namesIn(projects) : [projectSlug(cwd)];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await namesIn(join(projects, folder))).map((name) => join(projects, folder, name)),
    ),
  );
  return files.flat().filter((file) => file.endsWith('.jsonl'));
}

export function projectSlug(cwd: string): string {
  return cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
}

export async function newestOf(files: readonly string[]): Promise<string | undefined> {
  const dated = await Promise.all(files.map(async (file) => ({ file, mtimeMs: (await stat(file)).mtimeMs })));
  return dated.sort((a, b) => b.mtimeMs - a.mtimeMs)[0]?.file;
}

/** The records of a journal, in the order of the file. A line that was cut off by a crash is passed over. */
export async function readJournal(file: string): Promise<readonly JournalEntry[]> {
  const text = await readFile(file, 'utf8');
  return text.split('\n').flatMap((line): JournalEntry[] => {
    try {
      return [JSON.parse(line) as JournalEntry];
    } catch {
      return [];
    }
  });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
