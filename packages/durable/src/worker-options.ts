/** What a worker is given, and what it is. */
import type { Options } from '@turnwright/engine';
import type { Runner } from './dispatch.ts';
import type { SessionRow } from './postgres/runs.ts';
import type { WorkerHealth } from './watch/health.ts';
import type { LogLine } from './watch/log.ts';
import type { Workspace } from './workspace.ts';

/**
 * Options of `worker()`.
 *
 * @example
 * ```ts
 * import type { WorkerOptions } from 'turnwright/durable';
 *
 * const options: WorkerOptions = {
 *   db: 'postgresql:///turnwright?host=/var/run/postgresql',
 *   options: ({ tenant }) => ({ model: tenant === 'trial' ? 'haiku' : 'opus' }),
 *   concurrency: 20,
 * };
 * ```
 */
export interface WorkerOptions {
  /** `postgresql://user@host/name`; its tables exist (`prepareDatabase`). */
  readonly db: string;
  /** Address of the same database without a pooler in transaction mode, where `db` is that of one. */
  readonly direct?: string | undefined;
  /**
   * Those of `query()`, the same for all sessions or chosen for each: the function is called whenever a run
   * begins, and when it goes on for a prompt that came at its end. Functions in them (hooks, `canUseTool`,
   * tools) are this process's own: every worker brings the same ones. Without `canUseTool`, questions wait in
   * the database for an answer. `parkAfterMs` is 30,000 here,
   * and `includePartialMessages` is true.
   */
  readonly options?: Options | ((session: SessionRow) => Options | Promise<Options>) | undefined;
  /** @default the folder that the session was created with, which every machine has */
  readonly workspace?: Workspace | undefined;
  /**
   * Sessions that run at the same time on this worker; other workers have a number of their own.
   * @default 100
   */
  readonly concurrency?: number | undefined;
  /**
   * Name of this machine, for `affinity: 'host'`.
   * @default that of the operating system
   */
  readonly host?: string | undefined;
  /** Which worker runs a session. Default: DBOS, for any number of processes. */
  readonly runner?: Runner | undefined;
  /** Receives one line for each problem. */
  readonly stderr?: ((line: string) => void) | undefined;
  /**
   * Receives the same, and the begin and end of each run, with what each is about: for logs that are searched
   * by session, run or tenant.
   */
  readonly log?: ((line: LogLine) => void) | undefined;
}

export interface Worker {
  readonly id: string;
  /** For `serveHealth`. */
  readonly health: WorkerHealth;
  /** Resolves when it has drained. */
  readonly closed: Promise<void>;
  /**
   * Takes no new runs, gives those it has `limitMs` to end or park, hands the rest over and closes. A second
   * call returns the same promise.
   * @param limitMs default 30,000
   */
  drain(limitMs?: number): Promise<void>;
}

/** What the module of a worker may hold: the rest is the command's. */
export type WorkerModule = Pick<WorkerOptions, (typeof MODULE_FIELDS)[number]>;

export const MODULE_FIELDS = ['options', 'workspace'] as const;
