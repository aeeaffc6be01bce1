/** The journal files that a run left, read back with the session room. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { DecisionRecord, JournalEntry } from '@turnwright/engine';
import { createFileJournalStore } from '../../packages/engine/src/session/journal/file-store.ts';
import { readEntries } from '../../packages/engine/src/session/journal/read-journal.ts';
import { sessionsDirectory } from '../../packages/engine/src/session/paths.ts';

export interface JournalPlace {
  readonly home: string;
  readonly cwd: string;
  readonly sessionId: string;
}

export function journalFile({ home, cwd, sessionId }: JournalPlace): string {
  return join(sessionsDirectory(home, cwd), `${sessionId}.jsonl`);
}

export async function readJournalOf({ home, cwd, sessionId }: JournalPlace): Promise<JournalEntry[]> {
  const store = createFileJournalStore({
    files: nodeFiles,
    directory: sessionsDirectory(home, cwd),
    cwd,
    clock: systemClock,
  });
  return readEntries(store, sessionId);
}

export function decisionsOf(entries: readonly JournalEntry[]): DecisionRecord[] {
  return entries.flatMap((entry) => (entry.type === 'decision' ? [entry.record] : []));
}

export function journalLines(place: JournalPlace): string[] {
  return readFileSync(journalFile(place), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** The journal as a process that died would have left it: everything up to and with the first line that matches. */
export function cutJournalAfter(
  place: JournalPlace,
  isLast: (entry: { readonly type?: string }) => boolean,
): void {
  const lines = journalLines(place);
  const last = lines.findIndex((line) => isLast(JSON.parse(line) as { type?: string }));
  if (last < 0) throw new Error('No line of the journal matches.');
  writeFileSync(journalFile(place), `${lines.slice(0, last + 1).join('\n')}\n`);
}

/** Ids of calls without exactly one result, retracted ones left out (L10.1). */
export function unanswered(entries: readonly JournalEntry[]): string[] {
  const { calls, answers } = pairsOf(entries);
  return calls.filter((id) => answers.filter((answer) => answer === id).length !== 1);
}

/** Ids of all calls on record, retracted ones left out, and of all results; sorted. */
export function pairsOf(entries: readonly JournalEntry[]): { calls: string[]; answers: string[] } {
  const retracted = new Set(entries.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : [])));
  const answers: string[] = [];
  const calls: string[] = [];
  for (const entry of entries) {
    if (entry.type === 'assistant' && entry.settled === undefined && !retracted.has(entry.uuid)) {
      for (const block of entry.message.content) if (block.type === 'tool_use') calls.push(block.id);
    }
    if (entry.type === 'user' && typeof entry.message.content !== 'string') {
      for (const block of entry.message.content)
        if (block.type === 'tool_result') answers.push(block.tool_use_id);
    }
  }
  return { calls: calls.sort(), answers: answers.sort() };
}
