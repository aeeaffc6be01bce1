/** Messages about tasks, as consumers receive them. */

export interface TaskUsageFields {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
  /** USD of its answers that have ended; those of agents that it started are not among them. */
  readonly cost_usd: number;
  /** `unknown`: a model without a price was used, whose share is missing in `cost_usd`. */
  readonly cost_basis: 'list' | 'unknown';
}

interface BackgroundTaskFields {
  readonly task_id: string;
  readonly run_id: string;
  readonly task_type: string;
  readonly subagent_type?: string;
  readonly description: string;
  readonly parent_task_id?: string;
}

export type TaskMessageBody =
  /** A task has begun: a subagent, or a command in the background. */
  | {
      readonly subtype: 'task_started';
      readonly task_id: string;
      readonly run_id: string;
      readonly tool_use_id?: string;
      readonly description: string;
      readonly subagent_type?: string;
      readonly is_backgrounded: boolean;
      readonly spawn_depth?: number;
      readonly parent_task_id?: string;
      readonly task_type: string;
      readonly prompt?: string;
    }
  /** What a running subagent has done so far. Emitted after its tool calls. */
  | {
      readonly subtype: 'task_progress';
      readonly task_id: string;
      readonly run_id: string;
      readonly tool_use_id?: string;
      readonly description: string;
      readonly subagent_type?: string;
      readonly usage: TaskUsageFields;
      readonly last_tool_name?: string;
      readonly summary?: string;
    }
  /** Fields of a task changed, its status among them. */
  | {
      readonly subtype: 'task_updated';
      readonly task_id: string;
      readonly run_id: string;
      readonly patch: {
        readonly status?: 'running' | 'completed' | 'failed' | 'killed';
        /** ms since 1970. */
        readonly end_time?: number;
        readonly error?: string;
        readonly is_backgrounded?: boolean;
      };
    }
  /** A task has ended. Its summary also reaches the model. */
  | {
      readonly subtype: 'task_notification';
      readonly task_id: string;
      readonly run_id: string;
      readonly tool_use_id?: string;
      readonly status: 'completed' | 'failed' | 'stopped';
      /** The task was lost with the process that ran it. */
      readonly reason?: 'worker_restart';
      /** '' for a task in the foreground. */
      readonly output_file: string;
      readonly summary: string;
      readonly usage?: TaskUsageFields;
    }
  /** The running tasks. Emitted at each change. */
  | {
      readonly subtype: 'background_tasks_changed';
      /** All running tasks; replaces the previous list. */
      readonly tasks: readonly BackgroundTaskFields[];
    };
