import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DecisionRecord, type JournalEntry, sessionsDirectory } from '../index.ts';

export interface SessionFile {
  /** Configuration home. */
  readonly home: string;
  readonly cwd: string;
  readonly sessionId: string;
}

/** The decision records of a session, in order; none when it left no journal. */
export async function decisionsOf({ home, cwd, sessionId }: SessionFile): Promise<readonly DecisionRecord[]> {
  const file = join(sessionsDirectory(home, cwd), `${sessionId}.jsonl`);
  const journal = await readFile(file, 'utf8').catch(() => '');
  return journal.split('\n').flatMap((line): DecisionRecord[] => {
    try {
      const entry = JSON.parse(line) as JournalEntry;
      return entry.type === 'decision' ? [entry.record] : [];
    } catch {
      // The last line may have been cut off.
      return [];
    }
  });
}
