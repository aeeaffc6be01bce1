/**
 * Tracks background tasks through a journal: started, ended, and whether the model was notified (L4.1, F102).
 */

import type { AttachmentMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { type RecoveredTask, TASK_NOTICE, type TaskRecord } from '../../protocol/tools/task.ts';

export class TaskReplay {
  readonly #tasks = new Map<string, RecoveredTask>();

  record(entry: JournalEntry & TaskRecord, timestamp: string): void {
    const { taskId } = entry;
    const known = this.#tasks.get(taskId);
    switch (entry.event) {
      case 'started':
        this.#tasks.set(taskId, { started: entry, startedMs: Date.parse(timestamp) });
        break;
      case 'ended':
        if (known !== undefined) this.#tasks.set(taskId, { ...known, ended: entry });
        break;
      case 'told':
        this.#tasks.delete(taskId);
        break;
    }
  }

  /** A notice is part of the conversation: a prompt of its own, or an attachment behind tool results. */
  message(message: ViewMessage): void {
    for (const id of noticedIn(message)) this.#tasks.delete(id);
  }

  untold(): readonly RecoveredTask[] {
    return [...this.#tasks.values()];
  }
}

function noticedIn(message: ViewMessage): readonly string[] {
  if (message.type === 'assistant') return [];
  const about = message.type === 'user' ? message.origin : attached(message);
  const ids = about?.['task_ids'];
  return Array.isArray(ids) ? ids : [];
}

function attached({ attachment }: AttachmentMessage): Readonly<Record<string, unknown>> | undefined {
  return attachment.type === TASK_NOTICE ? attachment : undefined;
}
