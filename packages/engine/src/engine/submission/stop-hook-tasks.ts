/**
 * Stop hooks get the running tasks: a turn that ends while tasks run is not the end of the work. There are no
 * scheduled tasks, so there are no `session_crons`.
 */
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { TaskInfo } from '../../protocol/tools/task.ts';

interface BackgroundTaskSummary {
  readonly id: string;
  readonly type: 'shell' | 'subagent';
  readonly status: string;
  readonly description: string;
  readonly command?: string;
  readonly agent_type?: string;
}

export function withBackgroundTasks(hooks: HookPort, tasks: { running(): readonly TaskInfo[] }): HookPort {
  return {
    has: (event) => hooks.has(event),
    ran: (agentId) => hooks.ran?.(agentId) ?? [],
    run: (call, options) =>
      call.event === 'Stop' || call.event === 'SubagentStop'
        ? hooks.run(
            { ...call, background_tasks: tasks.running().map(toTaskSummary), session_crons: [] },
            options,
          )
        : hooks.run(call, options),
  };
}

function toTaskSummary({
  taskId,
  kind,
  status,
  description,
  command,
  subagentType,
}: TaskInfo): BackgroundTaskSummary {
  return {
    id: taskId,
    type: kind === 'agent' ? 'subagent' : 'shell',
    status,
    description: clipped(description),
    ...(command !== undefined && { command: clipped(command) }),
    ...(subagentType !== undefined && { agent_type: subagentType }),
  };
}

const MAX_CHARS = 1000;

function clipped(text: string): string {
  const over = text.length - MAX_CHARS;
  return over <= 0 ? text : `${text.slice(0, MAX_CHARS)}… [+${over} chars]`;
}
