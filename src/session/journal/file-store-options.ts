import type { PersistentFiles } from '../../protocol/files.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { JournalProblem } from './read-journal.ts';

export interface FileJournalStoreOptions {
  readonly files: PersistentFiles;
  /** Absolute; made on first use, 0700. */
  readonly directory: string;
  /** Working directory that records are stamped with. */
  readonly cwd: string;
  /** Session that records are stamped with, when it is not the one the file is named after (a subagent's file). */
  readonly stampedAs?: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /**
   * `process`: a record has been written when its append resolves, and survives SIGKILL. `power`: `sync` also makes
   * it survive power loss. Default `process`.
   */
  readonly durability?: 'process' | 'power';
  /** Version of the program, as the transcript format has it. */
  readonly version?: string;
  /** Told of lines that have been written, without their newlines. */
  readonly onWritten?: (path: string, lines: readonly string[]) => void;
  /** Told of everything in a file that could not be read as it stands (F70). */
  readonly onProblem?: (sessionId: string, problem: JournalProblem) => void;
}
