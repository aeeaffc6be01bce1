import { basename } from 'node:path';
import type { DecisionRecord } from '../index.ts';
import { journalsIn, readJournal } from './sessions.ts';

/** The decision records of a session, in order; none when it left no journal under `home`. */
export async function decisionsOf(home: string, sessionId: string): Promise<readonly DecisionRecord[]> {
  const file = (await journalsIn(home)).find((path) => basename(path) === `${sessionId}.jsonl`);
  if (file === undefined) return [];
  const entries = await readJournal(file);
  return entries.flatMap((entry) => (entry.type === 'decision' ? [entry.record] : []));
}
