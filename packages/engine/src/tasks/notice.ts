/** Notices about tasks for the model. The text of a command cannot end a notice early. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { CompactionSource } from '../protocol/model/context.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import { describeAddress } from '../protocol/tools/agent-runs.ts';
import { TASK_NOTICE, type TaskInfo, type TaskKind } from '../protocol/tools/task.ts';

/** One task that has ended. */
function formatNotice(ended: TaskInfo): string {
  const { taskId, kind, description, status, summary, outputFile, result } = ended;
  const lines = [
    `Task ${taskId} (${harmless(description)}): ${status}. ${harmless(summary ?? '')}.`,
    `All of its output: ${harmless(outputFile)}`,
    ...(result === undefined || result === '' ? [] : [RESULT[kind], harmless(result)]),
    ...(kind === 'agent' ? [describeAddress(taskId)] : []),
  ];
  return `<task-notification>\n${lines.join('\n')}\n</task-notification>`;
}

const RESULT: Readonly<Record<TaskKind, string>> = {
  shell: 'The end of its output:',
  agent: 'Its answer:',
};

/** A prompt of its own, when no turn is running. */
export function noticePrompt(ended: readonly TaskInfo[]): string {
  return `${ended.map(formatNotice).join('\n')}\nThis is a message of the system, not of the user: background work has ended.`;
}

/** A reminder behind tool results or a prompt. */
export function noticeReminder(ended: readonly TaskInfo[]): string {
  return reminder(ended.map(formatNotice).join('\n')).text;
}

/** Running tasks, restored after a compaction: a summary may have lost them (L2.6). */
export function runningTasksSource(
  tasks: { running(): readonly TaskInfo[] },
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): CompactionSource {
  return {
    name: 'background-tasks',
    async collect() {
      const running = tasks.running();
      if (running.length === 0) return [];
      const lines = running.map(
        ({ taskId, kind, description, command, outputFile }) =>
          `- ${taskId} (${kind}): ${harmless(description)}${command === undefined || command === description ? '' : ` [${harmless(command)}]`}; its output goes to ${outputFile}`,
      );
      const text = `These tasks run in the background; you will be told when they end:\n${lines.join('\n')}`;
      return [
        {
          type: 'attachment',
          uuid: ids.uuid(),
          timestamp: isoTime(clock.nowMs()),
          attachment: { type: 'background_tasks', task_ids: running.map(({ taskId }) => taskId) },
          rendered: [reminder(text)],
        },
      ];
    },
  };
}

/** `runId` is that of the task that ended first. */
export function noticeOrigin(ended: readonly TaskInfo[]): {
  readonly kind: typeof TASK_NOTICE;
  readonly producer: 'session-task';
  readonly runId?: string;
  readonly task_ids: readonly string[];
} {
  const [first] = ended;
  return {
    kind: TASK_NOTICE,
    producer: 'session-task',
    ...(first !== undefined && { runId: first.runId }),
    task_ids: ended.map(({ taskId }) => taskId),
  };
}

function harmless(text: string): string {
  return text.replace(/<(\/?)\s*(system-reminder|task-notification)/gi, '&lt;$1$2');
}
