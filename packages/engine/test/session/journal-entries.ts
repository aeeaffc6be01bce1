/** What tests of stores append and read. */

import { SESSION } from '@turnwright/test/session/sample-journal.ts';
import type { JournalStore } from '../../src/protocol/ports.ts';
import type { JournalBody, JournalEntry } from '../../src/protocol/session/journal.ts';

export const title = (n: number): JournalBody => ({
  type: 'title',
  id: `t${n}`,
  submission: 's1',
  title: `title ${n}`,
});

export async function readAll(
  store: JournalStore,
  fromSeq?: number,
  session = SESSION,
): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(session, fromSeq)) entries.push(entry);
  return entries;
}
