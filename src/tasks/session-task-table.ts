/** What the engine asks of the table of tasks, and what the table asks of the engine. */
import type { PersistentFiles } from '../protocol/files.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { RecoveredTask, TaskEndedBy, TaskInfo, TaskRecord, TaskTable } from '../protocol/task.ts';
import type { TaskMessageBody } from '../protocol/task-messages.ts';

export interface TaskPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Pick<PersistentFiles, 'stat' | 'readRange'>;
  /** Where output goes. */
  outputFile(taskId: string): string;
  /** Makes the folder of output files. */
  makeFolder(): Promise<void>;
  /** Resolves once it is on record. */
  record(record: TaskRecord): Promise<void>;
  announce(message: TaskMessageBody): void;
  /** An end could not be recorded. */
  onProblem(sentence: string): void;
}

/** The table as the engine sees it. */
export interface SessionTaskTable extends TaskTable {
  /** Those that run in the background. */
  running(): readonly TaskInfo[];
  /** Announces which run in the background, although nothing has changed. */
  announceRunning(): void;
  /** Asks the owners of tasks in the foreground to let go of them. The number that were asked. */
  detach(toolUseId?: string): number;
  /** Background tasks that have ended and that the model does not know of. Being told takes nothing away. */
  untold(): readonly TaskInfo[];
  /** The model is being told: not again. */
  tell(taskIds: readonly string[]): void;
  /** Called at each end and each start. */
  onChange(listener: () => void): () => void;
  /** Takes over what an earlier life of the session left; what had not ended is lost (L4.1). */
  restore(tasks: readonly RecoveredTask[]): Promise<void>;
  /** Resolves when none is left; undefined: there is none. */
  stopAll(by: TaskEndedBy): Promise<void> | undefined;
}
