/** What a list of sessions shows, read from the head and the tail of each file. */
import type { PersistentFiles } from '../protocol/files.ts';
import type { JournalEntry } from '../protocol/journal.ts';
import { decodeLine } from './envelope.ts';
import { messageOfRecord } from './message-record.ts';
import { promptText } from './prompt-text.ts';
import { fromTranscript } from './read-journal.ts';
import { readLines } from './read-lines.ts';
import { isSessionId, journalPath } from './session-files.ts';

export interface SessionSummary {
  readonly sessionId: string;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
  /** One line, at most 200 characters. */
  readonly firstPrompt: string | undefined;
  readonly title: string | undefined;
  /** Where the session was started. */
  readonly cwd: string | undefined;
}

const HEAD_BYTES = 1024 * 1024;
const TAIL_BYTES = 64 * 1024;
const PROMPT_CHARS = 200;

/** Sessions of a folder that have a prompt, newest first. */
export async function listSessions(options: {
  readonly files: PersistentFiles;
  readonly directory: string;
  /** Default: all. */
  readonly limit?: number;
}): Promise<readonly SessionSummary[]> {
  const { files, directory } = options;
  if ((await files.stat(directory))?.kind !== 'directory') return [];
  const found: { sessionId: string; file: string; mtimeMs: number; size: number }[] = [];
  for (const name of await files.readDir(directory)) {
    const sessionId = name.slice(0, -'.jsonl'.length);
    if (!name.endsWith('.jsonl') || !isSessionId(sessionId)) continue;
    const file = journalPath(directory, sessionId);
    const stat = await files.stat(file);
    if (stat?.kind === 'file') found.push({ sessionId, file, mtimeMs: stat.mtimeMs, size: stat.size });
  }
  found.sort((a, b) => b.mtimeMs - a.mtimeMs);
  const summaries: SessionSummary[] = [];
  for (const { sessionId, file, mtimeMs, size } of found) {
    if (summaries.length >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
    const head = await readSessionHead(files, file);
    if (head.firstPrompt === undefined) continue;
    const title = (await titleInTail(files, file, size)) ?? head.title;
    summaries.push({
      sessionId,
      mtimeMs,
      sizeBytes: size,
      firstPrompt: head.firstPrompt,
      title,
      cwd: head.cwd,
    });
  }
  return summaries;
}

/** Reads up to the first prompt, at most 1 MB. */
export async function readSessionHead(
  files: PersistentFiles,
  file: string,
): Promise<Pick<SessionSummary, 'firstPrompt' | 'title' | 'cwd'>> {
  let cwd: string | undefined;
  let title: string | undefined;
  for await (const line of readLines(files, file, { maxLineBytes: HEAD_BYTES })) {
    const entry = entryOf(line.bytes);
    if (entry !== undefined) {
      if (entry.cwd !== '') cwd ??= entry.cwd;
      title = titleOf(entry) ?? title;
      const message = entry.type === 'user' ? messageOfRecord(entry) : undefined;
      const text = message?.type === 'user' ? promptText(message) : undefined;
      if (text !== undefined) return { firstPrompt: oneLine(text), title, cwd };
    }
    if (line.end > HEAD_BYTES) break;
  }
  return { firstPrompt: undefined, title, cwd };
}

async function titleInTail(files: PersistentFiles, file: string, size: number): Promise<string | undefined> {
  let title: string | undefined;
  // The first line of the tail is cut, and no record: it is passed over like any other that does not decode.
  const start = Math.max(0, size - TAIL_BYTES);
  for await (const line of readLines(files, file, { start, maxLineBytes: TAIL_BYTES })) {
    const entry = entryOf(line.bytes);
    if (entry !== undefined) title = titleOf(entry) ?? title;
  }
  return title;
}

function entryOf(line: Buffer): JournalEntry | undefined {
  const decoded = decodeLine(line);
  if (decoded.kind === 'ok') return decoded.entry;
  return decoded.kind === 'foreign' ? fromTranscript(decoded.record, 0) : undefined;
}

function titleOf(entry: JournalEntry): string | undefined {
  if (entry.type === 'title') return entry.title;
  const { type, summary, customTitle } = entry as unknown as Readonly<Record<string, unknown>>;
  const title = type === 'custom-title' ? customTitle : type === 'summary' ? summary : undefined;
  return typeof title === 'string' ? title : undefined;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= PROMPT_CHARS ? line : `${line.slice(0, PROMPT_CHARS - 1)}…`;
}
