/** The first lines of a session file: enough to find a session to continue. */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { decodeLine } from './journal/envelope.ts';
import { messageOfRecord, promptText } from './journal/message-record.ts';
import { fromTranscript } from './journal/read-journal.ts';
import { readLines } from './journal/read-lines.ts';

/** Bytes that are read at the beginning of a session file. */
export const HEAD_BYTES = 1024 * 1024;

interface SessionHead {
  readonly firstPrompt: string | undefined;
  /** There is a prompt; an answer proves it too, if the prompt's own line is damaged. */
  readonly isAsked: boolean;
  readonly cwd: string | undefined;
}

/** Reads up to the first prompt, at most 1 MB. */
export async function readSessionHead(files: PersistentFiles, file: string): Promise<SessionHead> {
  let cwd: string | undefined;
  let isAsked = false;
  for await (const line of readLines(files, file, { maxLineBytes: HEAD_BYTES })) {
    const entry = decodeEntry(line.bytes);
    if (entry !== undefined) {
      if (entry.cwd !== '') cwd ??= entry.cwd;
      const message = entry.type === 'user' ? messageOfRecord(entry) : undefined;
      const text = message?.type === 'user' ? promptText(message) : undefined;
      if (text !== undefined) return { firstPrompt: text, isAsked: true, cwd };
      isAsked ||= entry.type === 'assistant';
    }
    if (line.end > HEAD_BYTES) break;
  }
  return { firstPrompt: undefined, isAsked, cwd };
}

function decodeEntry(line: Buffer): JournalEntry | undefined {
  const decoded = decodeLine(line);
  if (decoded.kind === 'ok') return decoded.entry;
  return decoded.kind === 'foreign' ? fromTranscript(decoded.record, 0) : undefined;
}
