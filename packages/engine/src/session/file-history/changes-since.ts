/** Files that tools have changed since a message, and whether the changes are consistent. Pure. */
import type { FileChange, KeptContent } from '../../protocol/session/file-history.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { noProblems, recordsInOrder } from '../resume/record-order.ts';

export interface ChangedFile {
  readonly path: string;
  /** The resolved path. */
  readonly real: string;
  /** Content at the message; null: the file did not exist. */
  readonly original: KeptContent | null;
  /**
   * Hashes of the content if no other program changed it, null for no file. The last change may have failed.
   */
  readonly expected: readonly (string | null)[];
  /** Another program changed it between two changes. */
  readonly interleaved: boolean;
}

/** undefined: there is no such user message. */
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
  // A queued prompt joined its turn under the uuid of its sender.
  return (
    record.type === 'attachment' &&
    record.attachment.type === 'queued_command' &&
    (record.uuid === uuid || (record.attachment as { readonly sourceUuid?: string }).sourceUuid === uuid)
  );
}
