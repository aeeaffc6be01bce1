/** Background work and agents of the session, as `/tasks` lists them. */
import type { SDKMessage } from '@turnwright/engine';
import type { ConversationState, ShownTask } from '../conversation-state.ts';

type TaskMessage = Extract<
  SDKMessage,
  {
    readonly subtype:
      | 'task_started'
      | 'task_progress'
      | 'task_updated'
      | 'task_notification'
      | 'background_tasks_changed';
  }
>;

/** Tasks that have ended and are still listed. */
const MOST_ENDED = 50;

export function listed(state: ConversationState, message: TaskMessage, nowMs: number): ConversationState {
  const tasks = changed(state.tasks, message, nowMs);
  const ended = tasks.filter(({ status }) => status !== 'running');
  const gone = new Set(ended.slice(0, Math.max(0, ended.length - MOST_ENDED)));
  return { ...state, tasks: gone.size === 0 ? tasks : tasks.filter((task) => !gone.has(task)) };
}

function changed(tasks: readonly ShownTask[], message: TaskMessage, nowMs: number): readonly ShownTask[] {
  if (message.subtype === 'background_tasks_changed') return withRunning(tasks, message.tasks, nowMs);
  const { task_id: id } = message;
  const put = (change: Partial<ShownTask>) =>
    tasks.map((task) => (task.id === id && task.status === 'running' ? { ...task, ...change } : task));
  switch (message.subtype) {
    case 'task_started': {
      const known = tasks.find((task) => task.id === id && task.status === 'running');
      const started: ShownTask = {
        ...(known ?? newTask(message, nowMs)),
        toolUseId: message.tool_use_id,
        isInBackground: message.is_backgrounded,
      };
      return [...tasks.filter((task) => task.id !== id), started];
    }
    case 'task_progress': {
      const { total_tokens: tokens, tool_uses: calls, cost_usd: usd, cost_basis } = message.usage;
      const cost = { usd, isUnpriced: cost_basis === 'unknown' };
      return put({ usage: { tokens, calls, cost, lastTool: message.last_tool_name } });
    }
    case 'task_updated':
      return message.patch.is_backgrounded === true ? put({ isInBackground: true }) : tasks;
    case 'task_notification': {
      const { status, summary, usage } = message;
      const cost = usage && { usd: usage.cost_usd, isUnpriced: usage.cost_basis === 'unknown' };
      return put({
        status,
        summary,
        endedMs: nowMs,
        ...(usage &&
          cost && {
            usage: { tokens: usage.total_tokens, calls: usage.tool_uses, cost, lastTool: undefined },
          }),
      });
    }
  }
}

/** One that is not in the list any more belonged to a session that is over. */
function withRunning(
  tasks: readonly ShownTask[],
  running: Extract<TaskMessage, { readonly subtype: 'background_tasks_changed' }>['tasks'],
  nowMs: number,
): readonly ShownTask[] {
  const ids = new Set(running.map(({ task_id }) => task_id));
  const kept = tasks.map((task): ShownTask => {
    const isOver = task.isInBackground && task.status === 'running' && !ids.has(task.id);
    return isOver ? { ...task, status: 'stopped', endedMs: nowMs } : task;
  });
  const fresh = running.filter(({ task_id }) => !tasks.some(({ id }) => id === task_id));
  return [...kept, ...fresh.map((task) => ({ ...newTask(task, nowMs), isInBackground: true }))];
}

interface NewTask {
  readonly task_id: string;
  readonly task_type: string;
  readonly description: string;
  readonly subagent_type?: string;
}

function newTask({ task_id, task_type, description, subagent_type }: NewTask, nowMs: number): ShownTask {
  return {
    id: task_id,
    kind: task_type === 'local_agent' ? 'agent' : 'command',
    description,
    agentType: subagent_type,
    toolUseId: undefined,
    status: 'running',
    isInBackground: false,
    startedMs: nowMs,
    endedMs: undefined,
    summary: undefined,
    usage: undefined,
  };
}
