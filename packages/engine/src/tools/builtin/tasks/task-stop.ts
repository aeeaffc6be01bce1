import { TASK_TYPES } from '../../../protocol/tools/task.ts';
import type { Tool } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import { known } from './task-output.ts';

interface TaskStopInput {
  readonly task_id?: string;
  /** The former name of `task_id`. */
  readonly shell_id?: string;
}

interface TaskStopOutput {
  readonly message: string;
  readonly task_id: string;
  readonly task_type: string;
  readonly command?: string;
}

const schema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', minLength: 1, description: 'The id of the task to stop.' },
    shell_id: { type: 'string', minLength: 1, description: 'Deprecated: use task_id.' },
  },
  additionalProperties: false,
};

export const taskStopTool: Tool<TaskStopInput, TaskStopOutput> = {
  name: 'TaskStop',
  aliases: ['KillShell'],
  inputJsonSchema: schema,
  description: () =>
    'Stops a background task, and everything it started. Give the id that the call which began it returned; what the task wrote until then stays readable.',
  parse: createParser<TaskStopInput>(schema),
  isConcurrencySafe: () => true,
  // It only affects what this session started.
  isReadOnly: () => true,
  effectClass: () => 'idempotent',
  permissionTarget: () => ({ kind: 'none' }),
  async validateInput({ task_id, shell_id }, { tasks }) {
    const id = task_id ?? shell_id;
    const found = known(id, tasks);
    const status = id === undefined ? undefined : tasks?.get(id)?.status;
    if (!found.ok || status === 'running') return found;
    return { ok: false, message: `Task ${id} is not running (status: ${status}).` };
  },
  async run({ task_id, shell_id }, { tasks }) {
    const id = task_id ?? shell_id;
    if (tasks === undefined || id === undefined) throw new Error('Nothing runs in the background here.');
    const info = await tasks.stop(id, 'model');
    const about = info.command ?? info.description;
    const message = `Task ${info.taskId} was stopped: ${about}`;
    return {
      data: { message, task_id: info.taskId, task_type: TASK_TYPES[info.kind], command: about },
      content: message,
    };
  },
};
