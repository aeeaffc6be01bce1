/** What outlives a tool call: background commands and agents. The session's table of them, as tools and the engine see it. */

export type TaskKind = 'shell' | 'agent';
export type TaskStatus = 'running' | 'completed' | 'failed' | 'stopped';

/**
 * Who ended a task. `itself`: it came to its end, or somebody outside ended it. `lifetime`: it ran longer than it
 * may. `session`: the session was closed. `lost`: its process died with the engine that had started it (L4.1).
 */
export type TaskEndedBy = 'itself' | 'model' | 'host' | 'interrupt' | 'lifetime' | 'session' | 'lost';

/** Kind of a prompt's origin, and type of an attachment, that tells the model of ended tasks (`task_ids`). */
export const TASK_NOTICE = 'task-notification';

/** The names that hosts know the kinds by. */
export const TASK_TYPES: Readonly<Record<TaskKind, string>> = { shell: 'local_bash', agent: 'local_agent' };

export interface TaskUsage {
  readonly totalTokens: number;
  readonly toolUses: number;
  readonly durationMs: number;
}

export interface TaskStart {
  readonly kind: TaskKind;
  /** Default a fresh one. */
  readonly id?: string | undefined;
  readonly description: string;
  /** The call that started it. */
  readonly toolUseId?: string | undefined;
  /** Of a `shell`. */
  readonly command?: string | undefined;
  /** Of an `agent`. */
  readonly prompt?: string | undefined;
  readonly subagentType?: string | undefined;
  /** 1: started by the main conversation. */
  readonly spawnDepth?: number | undefined;
  /** The task that started it. */
  readonly parentTaskId?: string | undefined;
  /** false: its call waits for it, unless `TaskHandle.background()` is called. */
  readonly inBackground: boolean;
  /** ms in the background after which it is stopped. Default: no limit. */
  readonly lifetimeMs?: number | undefined;
  /** Of a task in the foreground: the host wants its call to return. The owner then calls `background()`. */
  onDetach?(): void;
  /** Ends it and everything it started; resolves when nothing of it is left (F101). */
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
  /** One line, for hosts and for the model. */
  readonly summary: string;
  /** What the model is told besides: an agent's answer, the end of a command's output. */
  readonly result?: string | undefined;
  readonly usage?: TaskUsage | undefined;
}

/** The owner's end of a task. */
export interface TaskHandle {
  readonly taskId: string;
  readonly description: string;
  /** Where its output goes. Its folder exists once the task is in the background. */
  readonly outputFile: string;
  /** Told to hosts. */
  progress(progress: TaskProgress): void;
  /**
   * It goes on without its call. Resolves once that is on record; rejects, and changes nothing, when it cannot be
   * recorded. No effect when it is in the background already.
   */
  background(options?: {
    readonly lifetimeMs?: number | undefined;
    /** Its output goes to another file already. */
    readonly outputFile?: string | undefined;
  }): Promise<void>;
  /** Once; later calls change nothing. A task that somebody stops is `stopped`, whatever its owner says. */
  finish(end: TaskEnd): Promise<void>;
}

export interface TaskInfo {
  readonly taskId: string;
  /** Of this run of it: what hosts tell two runs of one id apart by. */
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

/** A piece of a task's output, in bytes of the whole. */
export interface TaskOutput {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly totalBytes: number;
}

/** What a tool may do with tasks. */
export interface TaskTable {
  /** What runs in the background is on record before this resolves; rejects when it cannot be recorded. */
  register(start: TaskStart): Promise<TaskHandle>;
  /** In the order they began; ended ones too. */
  list(): readonly TaskInfo[];
  get(taskId: string): TaskInfo | undefined;
  /** The last `maxBytes` of its output. */
  output(taskId: string, maxBytes: number): Promise<TaskOutput>;
  /** What was written since this was last asked, the last `maxBytes` of it. Having read all of a task's output, the model is not told of its end again (F102). */
  readNew(taskId: string, maxBytes: number): Promise<TaskOutput>;
  /** Resolves when it has ended, or after `ms`. */
  wait(taskId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when nothing of it is left. Throws `unknown_task`; and `task_ended` when there is nothing to stop. */
  stop(taskId: string, by: TaskEndedBy): Promise<TaskInfo>;
}

/** What the journal holds of a background task: its beginning before it begins (L4.1), its end, and that the model knows of it. */
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

/** A background task of an earlier life of the session that the model has not been told the end of. */
export interface RecoveredTask {
  readonly started: Extract<TaskRecord, { event: 'started' }>;
  /** ms since 1970. */
  readonly startedMs: number;
  /** Absent: lost with its process. */
  readonly ended?: Extract<TaskRecord, { event: 'ended' }> | undefined;
}
