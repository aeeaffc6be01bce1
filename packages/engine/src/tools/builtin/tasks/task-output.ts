import { terminalText } from '@turnwright/base/process/terminal-text.ts';
import { TASK_TYPES, type TaskInfo, type TaskOutput, type TaskTable } from '../../../protocol/tools/task.ts';
import type { Tool, ToolOutput } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';

interface TaskOutputInput {
  readonly task_id: string;
  readonly block?: boolean;
  readonly timeout?: number;
}

interface TaskOutputOutput {
  /** `timeout`: it was still running after the given time. */
  readonly retrieval_status: 'success' | 'timeout' | 'not_ready';
  readonly task: {
    readonly task_id: string;
    readonly task_type: string;
    readonly status: TaskInfo['status'];
    readonly description: string;
    /** Output since the last call. */
    readonly output: string;
  };
}

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;
const MAX_OUTPUT_BYTES = 30_000;

const schema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', minLength: 1, description: 'The id of the task.' },
    block: { type: 'boolean', description: 'Wait until it has ended. Default true.' },
    timeout: {
      type: 'number',
      minimum: 0,
      description: `Milliseconds to wait at most. Default ${DEFAULT_WAIT_MS}, at most ${MAX_WAIT_MS}.`,
    },
  },
  required: ['task_id'],
  additionalProperties: false,
};

export const taskOutputTool: Tool<TaskOutputInput, TaskOutputOutput> = {
  name: 'TaskOutput',
  aliases: ['BashOutput', 'AgentOutput'],
  inputJsonSchema: schema,
  description: () =>
    `Shows how a background task stands and what it has written since you last looked.

- Waits for its end unless block is false. You are told of the end of every task anyway, so there is no need to wait for one that you do not depend on.
- The file of its output, which was named when it began, holds everything from the start.`,
  parse: createParser<TaskOutputInput>(schema),
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  effectClass: () => 'pure',
  permissionTarget: () => ({ kind: 'none' }),
  validateInput: async ({ task_id }, { tasks }) => known(task_id, tasks),
  maxResultChars: MAX_OUTPUT_BYTES + 1_000,
  async run({ task_id, block = true, timeout = DEFAULT_WAIT_MS }, { tasks, signal }) {
    if (tasks === undefined) throw new Error('Nothing runs in the background here.');
    if (block) await tasks.wait(task_id, Math.min(timeout, MAX_WAIT_MS), signal);
    const info = tasks.get(task_id);
    if (info === undefined) throw new Error(`There is no task with the id ${task_id} any more.`);
    return shown(info, await tasks.readNew(task_id, MAX_OUTPUT_BYTES), block);
  },
};

/** A sentence for the model if the id is unknown. */
export function known(
  taskId: string | undefined,
  tasks: TaskTable | undefined,
): { ok: true } | { ok: false; message: string } {
  if (taskId === undefined) return { ok: false, message: 'task_id is missing.' };
  if (tasks?.get(taskId) !== undefined) return { ok: true };
  const ids = (tasks?.list() ?? []).map((info) => `${info.taskId} (${info.status})`);
  const hint = ids.length === 0 ? 'There are no tasks.' : `There are: ${ids.join(', ')}.`;
  return { ok: false, message: `No task found with ID: ${taskId}. ${hint}` };
}

function shown(info: TaskInfo, output: TaskOutput, blocked: boolean): ToolOutput<TaskOutputOutput> {
  const { taskId, kind, status, description, summary, outputFile, result } = info;
  const runs = status === 'running';
  const text = output.text.trimEnd();
  const said = text === '' && !runs && kind === 'agent' ? (result ?? '') : text;
  const skipped =
    output.to - output.from > 0 && output.from > 0 ? ` (bytes ${output.from}–${output.to})` : '';
  const head =
    `Task ${taskId} ${runs ? 'is still running' : `has ended: ${status}. ${summary ?? ''}`}`.trimEnd();
  return {
    data: {
      retrieval_status: runs ? (blocked ? 'timeout' : 'not_ready') : 'success',
      task: { task_id: taskId, task_type: TASK_TYPES[kind], status, description, output: said },
    },
    content: [
      head,
      said === ''
        ? 'Nothing new was written.'
        : `New output${skipped}, of ${output.totalBytes} bytes in ${outputFile}:\n${terminalText(said)}`,
    ].join('\n'),
  };
}
