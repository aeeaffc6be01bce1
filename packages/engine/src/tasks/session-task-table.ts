/** Interfaces between the engine and its task table. */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { TaskMessageBody } from '../protocol/stream/task-messages.ts';
import type { RecoveredTask, TaskEndedBy, TaskInfo, TaskRecord, TaskTable } from '../protocol/tools/task.ts';

export interface TaskPorts {
  readonly clock: Clock;
  /** How many may run in the background at the same time. */
  readonly maxInBackground: number;
  readonly ids: Ids;
  readonly files: Pick<PersistentFiles, 'stat' | 'readRange'>;
  /** Path of the output file. */
  outputFile(taskId: string): string;
  /** Creates the folder of output files. */
  makeFolder(): Promise<void>;
  /** Resolves once it is recorded. */
  record(record: TaskRecord): Promise<void>;
  announce(message: TaskMessageBody): void;
  /** An end could not be recorded. */
  onProblem(sentence: string): void;
}

/** The task table, as the engine uses it. */
export interface SessionTaskTable extends TaskTable {
  /** Tasks in the background. */
  running(): readonly TaskInfo[];
  /** Emits the list of background tasks, although it has not changed. */
  announceRunning(): void;
  /** Asks the owners of foreground tasks to detach them. Returns how many were asked. */
  detach(toolUseId?: string): number;
  /** Ended background tasks that the model was not notified of. Reading removes nothing. */
  untold(): readonly TaskInfo[];
  /** Marks tasks whose end the model is being notified of. */
  tell(taskIds: readonly string[]): void;
  /** Called at each start and end. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Restores tasks of a previous process of the session; those that had not ended are lost (L4.1). */
  restore(tasks: readonly RecoveredTask[]): Promise<void>;
  /** Resolves when all have ended; undefined if none runs. */
  stopAll(by: TaskEndedBy): Promise<void> | undefined;
}
