import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { FileChange } from '../../protocol/session/file-history.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { ContentKeeper } from './keep-content.ts';

export interface FileHistoryPorts {
  readonly files: PersistentFiles;
  readonly keeper: ContentKeeper;
  /** Resolves once it is recorded. */
  record(change: FileChange, effectKey: string): Promise<void>;
  entries(): AsyncIterable<JournalEntry>;
  /** One writer of a file at a time, tools included. */
  lock<T>(realPath: string, work: () => Promise<T>): Promise<T>;
  /** Added and removed lines between two texts. */
  countLines(before: string, after: string): Promise<{ readonly in: number; readonly out: number }>;
  /** Names one rewind. */
  newKey(): string;
}
