/**
 * Background tasks: the table with its folder, its place in the journal, and its ways to hosts and to the
 * model.
 */
import { join } from 'node:path';
import { privateTemp, privateTempSoFar } from '@turnwright/base/files/temporary-folder.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { AttachmentSource } from '../../attachments/source.ts';
import { OPTIONS } from '../../options/table.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import { TASK_NOTICE } from '../../protocol/tools/task.ts';
import { noticeReminder } from '../../tasks/notice.ts';
import { createTaskTable, type SessionTaskTable } from '../../tasks/task-table.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { HostChannel } from '../session/host-channel.ts';
import type { SessionJournal } from '../storage/session-journal.ts';

interface TaskParts {
  readonly sessionId: string;
  /** Folder of the session files; undefined: not kept. */
  readonly directory: string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly journal: SessionJournal;
  readonly host: HostChannel;
}

export interface TaskRoom {
  readonly table: SessionTaskTable;
  /** Where they are: none while nothing is there yet. */
  folders(): readonly string[];
}

export function composeTasks(
  { maxBackgroundTasks, stderr }: Pick<QueryEngineConfig, 'maxBackgroundTasks' | 'stderr'>,
  parts: TaskParts,
): TaskRoom {
  const { sessionId, ids, journal, files } = parts;
  /** Runs of each task: an agent that goes on is one more of its task. */
  const runs = new Map<string, number>();
  const below = (base: string) => join(base, sessionId, 'tasks');
  const directory = () => below(parts.directory ?? privateTemp());
  const table = createTaskTable({
    clock: parts.clock,
    maxInBackground: maxBackgroundTasks ?? OPTIONS.maxBackgroundTasks.default,
    ids,
    files,
    outputFile: (taskId) => join(directory(), `${taskId.replace(/[^A-Za-z0-9_-]/g, '_')}.output`),
    makeFolder: () => files.makeDir(directory(), 0o700),
    async record(record) {
      const { event, taskId } = record;
      if (event === 'started') runs.set(taskId, (runs.get(taskId) ?? 0) + 1);
      const run = runs.get(taskId) ?? 1;
      const id = `task/${taskId}/${event}${run === 1 ? '' : `/${run}`}`;
      await journal.recorder.append([{ type: 'task', id, submission: '', ...record }]);
      await journal.recorder.commit();
    },
    announce: (message) => parts.host.emit({ type: 'system', ...message, ...parts.host.stamp() }),
    onProblem: (sentence) => {
      if (!journal.lost) stderr?.(sentence);
    },
  });
  return {
    table,
    folders() {
      const base = parts.directory ?? privateTempSoFar();
      return base === undefined ? [] : [below(base)];
    },
  };
}

/** Tasks that ended while the model works (L6). */
export function endedTasks(table: SessionTaskTable): AttachmentSource {
  let collected: readonly string[] = [];
  return {
    name: 'background_tasks',
    collect() {
      const ended = table.untold();
      collected = ended.map(({ taskId }) => taskId);
      if (ended.length === 0) return [];
      return [
        {
          attachment: { type: TASK_NOTICE, task_ids: collected },
          rendered: [{ type: 'text', text: noticeReminder(ended) }],
        },
      ];
    },
    acknowledge() {
      table.tell(collected);
      collected = [];
      return [];
    },
  };
}
