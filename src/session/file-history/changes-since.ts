/** Which files tools have changed since a message, and whether the changes hang together. Pure. */
import type { FileChange, KeptContent } from '../../protocol/file-history.ts';
import type { JournalEntry } from '../../protocol/journal.ts';
import { recordsInOrder } from '../resume/record-order.ts';
import { noProblems } from '../resume/resume-problems.ts';

export interface ChangedFile {
  readonly path: string;
  /** Without links. */
  readonly real: string;
  /** What it held at the message; null: there was none. */
  readonly original: KeptContent | null;
  /** What it may hold now if nobody else touched it: hashes, null for no file. The last change may have failed. */
  readonly expected: readonly (string | null)[];
  /** Between two changes somebody else changed it. */
  readonly interleaved: boolean;
}

/** undefined: there is no such message of the user. */
export function changesSince(entries: Iterable<JournalEntry>, messageId: string): ChangedFile[] | undefined {
  const records = recordsInOrder(entries, noProblems());
  const at = records.findIndex((record) => isPrompt(record, messageId));
  if (at < 0) return undefined;
  const files = new Map<string, ChangedFile>();
  for (const record of records.slice(at + 1)) {
    if (record.type !== 'file-change') continue;
    const real = record.real ?? record.path;
    files.set(real, withChange(files.get(real), record, real));
  }
  return [...files.values()];
}

function withChange(known: ChangedFile | undefined, change: FileChange, real: string): ChangedFile {
  const before = change.before?.hash ?? null;
  const expected = [change.after, before];
  if (known === undefined)
    return { path: change.path, real, original: change.before, expected, interleaved: false };
  return { ...known, expected, interleaved: known.interleaved || !known.expected.includes(before) };
}

function isPrompt(record: JournalEntry, uuid: string): boolean {
  if (record.type === 'user') return record.uuid === uuid;
  // A queued prompt joined its turn under the uuid that its sender gave it.
  return (
    record.type === 'attachment' &&
    record.attachment.type === 'queued_command' &&
    (record.uuid === uuid || (record.attachment as { readonly sourceUuid?: string }).sourceUuid === uuid)
  );
}
