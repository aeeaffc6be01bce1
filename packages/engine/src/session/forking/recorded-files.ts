/** Contents of files at a place in the journal, from what tools recorded of their changes. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { KeptContent } from '../../protocol/session/file-history.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { toolFacts } from '../../protocol/tools/builtin-tools.ts';

/** What a file held: a text, stored bytes by hash, nothing (null), or what is not known (undefined). */
type Content = { readonly text: string } | { readonly kept: KeptContent } | null | undefined;

interface FileEvent {
  readonly path: string;
  /** Index of the record; a change at the cut or behind it had not happened. */
  readonly at: number;
  before: Content;
  after: Content;
  /** Of what it left; null: the file is removed. undefined: not recorded. */
  readonly afterHash: string | null | undefined;
}

/** A file that tools changed, as it was at the cut. */
export interface RecordedFile {
  readonly path: string;
  readonly content: Content;
  /** For a content that is not known: its hash, if that is. */
  readonly hash?: string;
}

/** `agents`: journals of the session's agents, whose changes are placed by their time. */
export function readRecordedFiles(
  records: readonly JournalEntry[],
  cut: number,
  agents: readonly (readonly JournalEntry[])[] = [],
): readonly RecordedFile[] {
  const events = [
    ...eventsIn(records, (at) => at),
    ...agents.flatMap((entries) =>
      eventsIn(entries, (at) => placeByTime(records, entries[at]?.timestamp ?? '')),
    ),
  ].sort((a, b) => a.at - b.at);
  const byPath = new Map<string, FileEvent[]>();
  for (const event of events) byPath.set(event.path, [...(byPath.get(event.path) ?? []), event]);
  return [...byPath].map(([path, changes]) => {
    const last = changes.findLast(({ at }) => at < cut);
    const next = changes.find(({ at }) => at >= cut);
    if (next?.before !== undefined) return { path, content: next.before };
    if (last?.afterHash === null) return { path, content: null };
    const hash = last?.afterHash;
    return { path, content: last?.after, ...(typeof hash === 'string' && { hash }) };
  });
}

/** The record behind which a change of an agent lies. */
function placeByTime(records: readonly JournalEntry[], timestamp: string): number {
  const at = records.findIndex((record) => record.timestamp > timestamp);
  return at < 0 ? records.length : at - 0.5;
}

function eventsIn(records: readonly JournalEntry[], place: (at: number) => number): FileEvent[] {
  const events: FileEvent[] = [];
  /** A checkpoint comes before the result of its call, which holds the texts. */
  const checkpoints = new Map<string, FileEvent>();
  for (const [at, record] of records.entries()) {
    if (record.type === 'file-change') {
      const { path, before, after } = record;
      const kept = before === null ? null : before.lost === true ? undefined : { kept: before };
      const event = { path, at: place(at), before: kept, after: undefined, afterHash: after };
      events.push(event);
      checkpoints.set(path, event);
    }
    const result = record.type === 'user' ? readResult(record.toolUseResult) : undefined;
    if (result === undefined) continue;
    const checkpoint = checkpoints.get(result.path);
    checkpoints.delete(result.path);
    if (checkpoint === undefined) events.push({ ...result, at: place(at), afterHash: undefined });
    else {
      if (checkpoint.before === undefined) checkpoint.before = result.before;
      checkpoint.after = result.after;
    }
  }
  return events;
}

/** Results of Write, Edit and NotebookEdit; undefined for others. */
function readResult(form: unknown): Pick<FileEvent, 'path' | 'before' | 'after'> | undefined {
  if (!isRecord(form)) return undefined;
  const { filePath, originalFile, content, oldString, newString, replaceAll } = form;
  const { notebook_path: notebook, original_file: first, updated_file: updated } = form;
  if (typeof notebook === 'string' && typeof updated === 'string')
    return { path: notebook, before: toContent(first), after: { text: updated } };
  if (typeof filePath !== 'string' || originalFile === undefined) return undefined;
  const before = toContent(originalFile);
  if (typeof content === 'string') return { path: filePath, before, after: { text: content } };
  if (typeof oldString !== 'string' || typeof newString !== 'string') return undefined;
  const text = typeof originalFile === 'string' ? originalFile : '';
  // An edit whose text was found by other rules than word for word is not repeated.
  if (!text.includes(oldString)) return { path: filePath, before, after: undefined };
  const after =
    replaceAll === true
      ? text.replaceAll(oldString, () => newString)
      : text.replace(oldString, () => newString);
  return { path: filePath, before, after: { text: after } };
}

const toContent = (value: unknown): Content =>
  typeof value === 'string' ? { text: value } : value === null ? null : undefined;

/** Calls that may have changed files in a way that no record holds: a command, or the tool's name. */
export function listUnrecordedCalls(
  records: readonly JournalEntry[],
): readonly { readonly at: number; readonly what: string }[] {
  const inputs = new Map<string, unknown>();
  const found: { at: number; what: string }[] = [];
  for (const [at, record] of records.entries()) {
    if (record.type === 'assistant')
      for (const block of record.message.content)
        if (block.type === 'tool_use') inputs.set(String(block['id']), block['input']);
    if (
      record.type !== 'intent' ||
      record.effectClass !== 'unsafe' ||
      toolFacts(record.toolName).family === 'write'
    )
      continue;
    const input = inputs.get(record.toolUseId);
    const command = isRecord(input) ? input['command'] : undefined;
    found.push({ at, what: typeof command === 'string' ? command : record.toolName });
  }
  return found;
}

/** The commit that the repository was at when the session began, as its requests said; undefined: none. */
export function readFirstCommit(records: readonly JournalEntry[]): string | undefined {
  const snapshot = records.find((record) => record.type === 'context-snapshot');
  const text = snapshot?.system.find((part) => part.includes('# Git\n')) ?? '';
  const about = text.slice(text.indexOf('# Git\n'));
  return /^(?:Commit: |Last commits:\n)([\da-f]{7,40})\b/m.exec(about)?.[1];
}
