import type { JournalStore } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { resumeSession } from '../resume/resume.ts';
import type { ResumedSession } from '../resume/resumed-session.ts';

/** Every entry of a session, in the journal's order. */
export async function readEntries(store: JournalStore, sessionId: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of store.read(sessionId)) entries.push(entry);
  return entries;
}

/** Resumes a session from its journal. An unknown session is empty. */
export async function loadSession(store: JournalStore, sessionId: string): Promise<ResumedSession> {
  return resumeSession(await readEntries(store, sessionId));
}
