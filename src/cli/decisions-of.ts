/** The decision records of a session, out of its journal. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DecisionRecord } from '../index.ts';

/** In order; none when the session left no journal under `home`. */
export async function decisionsOf(home: string, sessionId: string): Promise<readonly DecisionRecord[]> {
  const projects = join(home, 'projects');
  const folders = await readdir(projects).catch(() => []);
  for (const folder of folders) {
    const text = await readFile(join(projects, folder, `${sessionId}.jsonl`), 'utf8').catch(() => undefined);
    if (text !== undefined) return decisionsIn(text);
  }
  return [];
}

function decisionsIn(journal: string): DecisionRecord[] {
  return journal.split('\n').flatMap((line) => {
    if (!line.includes('"decision"')) return [];
    try {
      const entry = JSON.parse(line) as { readonly type?: string; readonly record?: DecisionRecord };
      return entry.type === 'decision' && entry.record !== undefined ? [entry.record] : [];
    } catch {
      // A line that was cut off by a crash.
      return [];
    }
  });
}
