/** Background tasks as a host may see and steer them. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import { TASK_NOTICE, type TaskEndedBy, type TaskInfo } from '../../protocol/tools/task.ts';
import { noticeOrigin, noticePrompt, noticeReminder } from '../../tasks/notice.ts';
import { type SessionTaskTable, wakes } from '../../tasks/task-table.ts';

/** How much of a task's output a host is given, in bytes. */
const OUTPUT_BYTES = 8 * 1024;

interface TaskNotice {
  readonly content: string | readonly UserBlock[];
  readonly origin: { readonly kind: string; readonly [key: string]: unknown };
}

export interface TaskOutputTail {
  /** The end of the output. */
  readonly output: string;
  readonly total_bytes: number;
  /** There is more before it. */
  readonly truncated: boolean;
}

export interface SessionTasks {
  /** In the order they began; ended ones too. */
  list(): readonly TaskInfo[];
  /** Emits `background_tasks_changed` with what runs now. */
  announceRunning(): void;
  /** Resolves when nothing of the task is left; at once when no task of this id runs. */
  stop(taskId: string): Promise<void>;
  /** Stops all that run in the background. */
  stopAll(by: TaskEndedBy): Promise<void>;
  /**
   * Calls that wait for a command or an agent return, and it goes on in the background: the one of this call,
   * or all. False when `toolUseId` names none. Throws `tasks_disabled`.
   */
  toBackground(toolUseId?: string): boolean;
  /** The last 8 KiB. Rejects with `unknown_task`. */
  output(taskId: string): Promise<TaskOutputTail>;
  /** Something runs whose end will be news. */
  readonly running: boolean;
  /**
   * A prompt about tasks that ended by themselves since the last notice to the model. Taking it marks them as
   * reported.
   */
  takeNotice(): TaskNotice | undefined;
  /**
   * The input has ended: tasks that still run after `backgroundWaitMs` are stopped, unless the returned
   * function is called.
   */
  limitWait(): () => void;
  /** Called at each start and end. */
  onChange(listener: () => void): () => void;
}

interface SessionTaskOptions {
  readonly table: SessionTaskTable;
  readonly enabled: boolean;
  /** No more may be spent: the model is not asked because of a task. */
  isSpent(): boolean;
  readonly clock: Clock;
  readonly waitMs: number;
  say(sentence: string): void;
}

/** Default of `backgroundWaitMs`. */
export const BACKGROUND_WAIT_MS = 600_000;
/** Of a wait that is shorter nothing is said. */
const QUIET_MS = 5_000;

export function sessionTasks(options: SessionTaskOptions): SessionTasks {
  return new TasksOfSession(options);
}

class TasksOfSession implements SessionTasks {
  readonly #options: SessionTaskOptions;

  constructor(options: SessionTaskOptions) {
    this.#options = options;
  }

  get running(): boolean {
    return this.#options.table.running().length > 0;
  }

  list(): readonly TaskInfo[] {
    return this.#options.table.list();
  }

  announceRunning(): void {
    this.#options.table.announceRunning();
  }

  async stop(taskId: string): Promise<void> {
    const { table } = this.#options;
    if (table.get(taskId)?.status === 'running') await table.stop(taskId, 'host');
  }

  async stopAll(by: TaskEndedBy): Promise<void> {
    await this.#options.table.stopAll(by);
  }

  toBackground(toolUseId?: string): boolean {
    const { enabled, table } = this.#options;
    if (!enabled) {
      throw new TurnwrightError(
        'tasks_disabled',
        'Background tasks are switched off for this session (CLAUDE_CODE_DISABLE_BACKGROUND_TASKS), so nothing was moved to the background.',
      );
    }
    return table.detach(toolUseId) > 0 || toolUseId === undefined;
  }

  async output(taskId: string): Promise<TaskOutputTail> {
    const { text, from, totalBytes } = await this.#options.table.output(taskId, OUTPUT_BYTES);
    return { output: text, total_bytes: totalBytes, truncated: from > 0 };
  }

  takeNotice(): TaskNotice | undefined {
    const { table } = this.#options;
    const ended = table.untold();
    if (!ended.some(wakes) || this.#options.isSpent()) return undefined;
    table.tell(ended.map(({ taskId }) => taskId));
    return { content: noticePrompt(ended), origin: noticeOrigin(ended) };
  }

  limitWait(): () => void {
    const { clock, waitMs, table, say } = this.#options;
    const named = () => {
      const all = table.running().map(({ description }) => description.replace(/\s+/g, ' ').slice(0, 80));
      return `${all.slice(0, 3).join(', ')}${all.length > 3 ? ` and ${all.length - 3} more` : ''}`;
    };
    const limit =
      waitMs < 120_000 ? `${Math.round(waitMs / 1000)} s` : `${Math.round(waitMs / 60_000)} minutes`;
    const saying = clock.timer(QUIET_MS, () =>
      say(`Waiting for background work, for at most ${limit}, then it is stopped: ${named()}.`),
    );
    const ending = clock.timer(waitMs, () => {
      say(`Background work had not ended within ${limit}, and is stopped: ${named()}.`);
      void table.stopAll('session');
    });
    return () => {
      saying();
      ending();
    };
  }

  onChange(listener: () => void): () => void {
    return this.#options.table.onChange(listener);
  }
}

/** Attachments after a prompt about background tasks that ended since the last notice to the model. */
export function endedTaskNotices(
  tasks: Pick<SessionTaskTable, 'tell' | 'untold'>,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): AttachmentMessage[] {
  const ended = tasks.untold();
  if (ended.length === 0) return [];
  const task_ids = ended.map(({ taskId }) => taskId);
  tasks.tell(task_ids);
  return [
    {
      type: 'attachment',
      uuid: ids.uuid(),
      timestamp: isoTime(clock.nowMs()),
      attachment: { type: TASK_NOTICE, task_ids },
      rendered: [{ type: 'text', text: noticeReminder(ended) }],
    },
  ];
}
