/** Summarises a session file: head and tail are read, the middle is only searched for names and tags. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { SessionStoreEntry, SessionSummaryEntry } from '../../protocol/session/session-store.ts';
import { readLines } from '../journal/read-lines.ts';
import { HEAD_BYTES } from '../session-head.ts';
import { foldSessionSummary } from '../session-summary.ts';
import { foldOutcome, OUTCOME_MARKS, type SessionOutcome } from './session-outcome.ts';

const TAIL_BYTES = 64 * 1024;
const MARKS = ['"type":"custom-title"', '"type":"tag"', '"type":"ai-title"'];

export interface FileSummary {
  readonly summary: SessionSummaryEntry;
  /** undefined: it was not asked for, or nothing was submitted yet. */
  readonly outcome: SessionOutcome | undefined;
}

export async function summaryOfFile(
  files: PersistentFiles,
  file: string,
  sessionId: string,
  { withOutcome = false }: { readonly withOutcome?: boolean | undefined } = {},
): Promise<FileSummary | undefined> {
  const stat = await files.stat(file);
  if (stat?.kind !== 'file') return undefined;
  const key = { projectKey: '', sessionId };
  const marks = withOutcome ? [...MARKS, ...OUTCOME_MARKS] : MARKS;
  let summary = foldSessionSummary(undefined, key, [], { mtime: stat.mtimeMs });
  let outcome: SessionOutcome | undefined;
  const take = (line: Buffer) => {
    const entry = entryOfLine(line);
    if (entry === undefined) return;
    summary = foldSessionSummary(summary, key, [entry]);
    if (withOutcome) outcome = foldOutcome(outcome, entry);
  };
  let headEnd = 0;
  for await (const line of readLines(files, file, { maxLineBytes: HEAD_BYTES })) {
    take(line.bytes);
    headEnd = line.end;
    if (summary.data['firstPrompt'] !== undefined || line.end > HEAD_BYTES) break;
  }
  const tailStart = Math.max(headEnd, stat.size - TAIL_BYTES);
  for await (const line of readLines(files, file, { start: headEnd, maxLineBytes: HEAD_BYTES })) {
    // The tail contains branch and names; lines of the middle are parsed only if they contain a mark.
    if (line.end > tailStart || marks.some((mark) => line.bytes.includes(mark))) take(line.bytes);
  }
  return { summary, outcome };
}

/** undefined: no record. */
export function entryOfLine(line: Buffer): SessionStoreEntry | undefined {
  try {
    const value: unknown = parseJson(line.toString('utf8'));
    return typeof value === 'object' && value !== null && 'type' in value
      ? (value as SessionStoreEntry)
      : undefined;
  } catch {
    return undefined;
  }
}
