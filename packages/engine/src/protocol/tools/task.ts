/**
 * Work that outlives a tool call: background commands and agents. The session's task table, as tools and the
 * engine use it.
 */
import type { Cost } from '../session/spending.ts';

/** A background command or an agent. */
export type TaskKind = 'shell' | 'agent';
/** State of a task. `stopped`: it was ended before it completed. */
export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped';

/**
 * Who ended a task. `itself`: it ended, or was ended from outside the engine. `lifetime`: it reached its time
 * limit. `session`: the session was closed. `lost`: it died with the process of the engine that had started
 * it (L4.1).
 */
export type TaskEndedBy = 'itself' | 'model' | 'host' | 'interrupt' | 'lifetime' | 'session' | 'lost';

/** Origin of the prompt, and type of the attachment, that notifies the model of ended tasks (`task_ids`). */
export const TASK_NOTICE = 'task-notification';

/** The kinds as hosts know them. */
export const TASK_TYPES: Readonly<Record<TaskKind, string>> = { shell: 'local_bash', agent: 'local_agent' };

/** What an agent has used; its cost is without that of agents that it started. */
export interface TaskUsage extends Cost {
  readonly totalTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
}

export interface TaskStart {
  readonly kind: TaskKind;
  /** Default: generated. */
  readonly id?: string | undefined;
  readonly description: string;
  /** The call that started it. */
  readonly toolUseId?: string | undefined;
  /** For a `shell`. */
  readonly command?: string | undefined;
  /** For an `agent`. */
  readonly prompt?: string | undefined;
  readonly subagentType?: string | undefined;
  /** Nesting depth: 1 if the main conversation started it. */
  readonly spawnDepth?: number | undefined;
  /** The task that started it. */
  readonly parentTaskId?: string | undefined;
  /** false: its call waits for it, unless `TaskHandle.background()` is called. */
  readonly inBackground: boolean;
  /** Time limit in the background, in ms; then it is stopped. Default: none. */
  readonly lifetimeMs?: number | undefined;
  /**
   * For a task in the foreground: called when the host wants its call to return. The owner then calls
   * `background()`.
   */
  onDetach?(): void;
  /** Ends the task and everything it started; resolves when all of it has ended (F101). */
  stop(by: TaskEndedBy): Promise<void>;
}

export interface TaskProgress {
  readonly usage: TaskUsage;
  readonly lastToolName?: string | undefined;
  /** One line. */
  readonly summary?: string | undefined;
}

export interface TaskEnd {
  readonly status: 'completed' | 'failed' | 'stopped';
  /** One line, for hosts and the model. */
  readonly summary: string;
  /** Details for the model: an agent's answer, the end of a command's output. */
  readonly result?: string | undefined;
  readonly usage?: TaskUsage | undefined;
}

/** A task, as its owner uses it. */
export interface TaskHandle {
  readonly taskId: string;
  readonly description: string;
  /** File of its output. The folder exists once the task is in the background. */
  readonly outputFile: string;
  /** Reports progress to hosts. */
  progress(progress: TaskProgress): void;
  /**
   * Moves the task to the background. Resolves once that is recorded; rejects, and changes nothing, when it
   * cannot be recorded. No effect when the task is in the background already.
   */
  background(options?: {
    readonly lifetimeMs?: number | undefined;
    /** The file that already receives its output. */
    readonly outputFile?: string | undefined;
  }): Promise<void>;
  /**
   * Ends the task; later calls change nothing. A task that was stopped has the status `stopped`, whatever its
   * owner reports.
   */
  finish(end: TaskEnd): Promise<void>;
}

/** A background command or agent, running or ended. */
export interface TaskInfo {
  readonly taskId: string;
  /** Id of this run: distinguishes two runs of one task id. */
  readonly runId: string;
  readonly kind: TaskKind;
  readonly description: string;
  readonly status: TaskStatus;
  readonly inBackground: boolean;
  readonly toolUseId?: string | undefined;
  readonly command?: string | undefined;
  readonly subagentType?: string | undefined;
  readonly parentTaskId?: string | undefined;
  readonly outputFile: string;
  /** ms since 1970. */
  readonly startedMs: number;
  readonly endedMs?: number | undefined;
  readonly endedBy?: TaskEndedBy | undefined;
  readonly summary?: string | undefined;
  readonly result?: string | undefined;
  readonly usage?: TaskUsage | undefined;
}

/** A part of a task's output, in bytes of the total. */
export interface TaskOutput {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly totalBytes: number;
}

/** Operations on tasks that tools may use. */
export interface TaskTable {
  /** A background task is recorded before this resolves; rejects when it cannot be recorded. */
  register(start: TaskStart): Promise<TaskHandle>;
  /** In the order they started, ended ones included. */
  list(): readonly TaskInfo[];
  get(taskId: string): TaskInfo | undefined;
  /** The last `maxBytes` of its output. */
  output(taskId: string, maxBytes: number): Promise<TaskOutput>;
  /**
   * Output written since the last call, the last `maxBytes` of it. When the model has read all output of a
   * task, it is not notified of its end again (F102).
   */
  readNew(taskId: string, maxBytes: number): Promise<TaskOutput>;
  /** Resolves when the task has ended, or after `ms`. */
  wait(taskId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when all of it has ended. Throws `unknown_task`, or `task_ended` when it is not running. */
  stop(taskId: string, by: TaskEndedBy): Promise<TaskInfo>;
}

/**
 * Journal record of a background task: its start, written before it starts (L4.1), its end, and that the
 * model was notified.
 */
export type TaskRecord =
  | {
      readonly event: 'started';
      readonly taskId: string;
      readonly kind: TaskKind;
      readonly description: string;
      readonly outputFile: string;
      readonly toolUseId?: string;
      readonly command?: string;
      readonly subagentType?: string;
      readonly parentTaskId?: string;
    }
  | {
      readonly event: 'ended';
      readonly taskId: string;
      readonly status: TaskEnd['status'];
      readonly endedBy: TaskEndedBy;
      readonly summary: string;
    }
  | { readonly event: 'told'; readonly taskId: string };

/** A background task of a previous process whose end the model was not notified of. */
export interface RecoveredTask {
  readonly started: Extract<TaskRecord, { event: 'started' }>;
  /** ms since 1970. */
  readonly startedMs: number;
  /** Absent if it was lost with its process. */
  readonly ended?: Extract<TaskRecord, { event: 'ended' }> | undefined;
}
