import type { PersistentFiles } from '../../protocol/files.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { JournalProblem } from './read-journal.ts';

export interface FileJournalStoreOptions {
  readonly files: PersistentFiles;
  /** Absolute path; created on first use with 0700. */
  readonly directory: string;
  /** Working directory in the envelope of records. */
  readonly cwd: string;
  /** Session id in the envelope, if it differs from the file's name (a subagent's file). */
  readonly stampedAs?: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /**
   * `process`: a record has been written when its append resolves, and survives SIGKILL. `power`: `sync` also
   * makes it survive power loss. Default `process`.
   */
  readonly durability?: 'process' | 'power';
  /** Version of the program, as in the transcript format. */
  readonly version?: string;
  /** Called with written lines, without newlines. */
  readonly onWritten?: (path: string, lines: readonly string[]) => void;
  /** Called for every part of a file that could not be read (F70). */
  readonly onProblem?: (sessionId: string, problem: JournalProblem) => void;
}
