/** Messages about tasks for hosts. */

import type { TaskMessageBody, TaskUsageFields } from '../protocol/stream/task-messages.ts';
import {
  TASK_TYPES,
  type TaskInfo,
  type TaskProgress,
  type TaskStart,
  type TaskUsage,
} from '../protocol/tools/task.ts';

export function startedMessage(info: TaskInfo, start: TaskStart): TaskMessageBody {
  return {
    subtype: 'task_started',
    task_id: info.taskId,
    run_id: info.runId,
    ...(info.toolUseId !== undefined && { tool_use_id: info.toolUseId }),
    description: info.description,
    ...(info.subagentType !== undefined && { subagent_type: info.subagentType }),
    is_backgrounded: info.inBackground,
    ...(start.spawnDepth !== undefined && { spawn_depth: start.spawnDepth }),
    ...(info.parentTaskId !== undefined && { parent_task_id: info.parentTaskId }),
    task_type: TASK_TYPES[info.kind],
    ...(start.prompt !== undefined && { prompt: start.prompt }),
  };
}

export function progressMessage(info: TaskInfo, progress: TaskProgress): TaskMessageBody {
  return {
    subtype: 'task_progress',
    task_id: info.taskId,
    run_id: info.runId,
    ...(info.toolUseId !== undefined && { tool_use_id: info.toolUseId }),
    description: info.description,
    ...(info.subagentType !== undefined && { subagent_type: info.subagentType }),
    usage: usageFields(progress.usage),
    ...(progress.lastToolName !== undefined && { last_tool_name: progress.lastToolName }),
    ...(progress.summary !== undefined && { summary: progress.summary }),
  };
}

export function endedMessages(info: TaskInfo): readonly TaskMessageBody[] {
  const { status, endedMs, summary = '', usage } = info;
  if (status === 'running') return [];
  const updated: TaskMessageBody = {
    subtype: 'task_updated',
    task_id: info.taskId,
    run_id: info.runId,
    patch: {
      status: status === 'stopped' ? 'killed' : status,
      ...(endedMs !== undefined && { end_time: endedMs }),
      ...(status === 'failed' && { error: summary }),
    },
  };
  return [
    updated,
    {
      subtype: 'task_notification',
      task_id: info.taskId,
      run_id: info.runId,
      ...(info.toolUseId !== undefined && { tool_use_id: info.toolUseId }),
      status,
      ...(info.endedBy === 'lost' && { reason: 'worker_restart' }),
      // Only background tasks write one.
      output_file: info.inBackground ? info.outputFile : '',
      summary: hostSummary(info),
      ...(usage !== undefined && { usage: usageFields(usage) }),
    },
  ];
}

/** Summary of its end for hosts: an agent's report, the description of a stopped task, else how it ended. */
function hostSummary({ kind, status, description, summary = '', result = '' }: TaskInfo): string {
  if (status === 'stopped') return description;
  return kind === 'agent' && status === 'completed' && result !== '' ? result : summary;
}

export function tasksChangedMessage(running: readonly TaskInfo[]): TaskMessageBody {
  return {
    subtype: 'background_tasks_changed',
    tasks: running.map((info) => ({
      task_id: info.taskId,
      run_id: info.runId,
      task_type: TASK_TYPES[info.kind],
      ...(info.subagentType !== undefined && { subagent_type: info.subagentType }),
      description: info.description,
      ...(info.parentTaskId !== undefined && { parent_task_id: info.parentTaskId }),
    })),
  };
}

export function usageFields(usage: TaskUsage): TaskUsageFields {
  return {
    total_tokens: usage.totalTokens,
    tool_uses: usage.toolUses,
    duration_ms: Math.round(usage.durationMs),
    cost_usd: usage.costUsd,
    cost_basis: usage.isPriced ? 'list' : 'unknown',
  };
}
