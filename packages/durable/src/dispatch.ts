/** Which worker runs a session: orders to work on it, and the workers that take them. */
import type { Database, RunStatement } from './postgres/database.ts';

/** A run of a session: the n-th time that some worker was asked to work on it. */
export interface Run {
  readonly sessionId: string;
  readonly run: number;
  /** The only host whose workers may run it; null: any. */
  readonly host: string | null;
}

/** The id of a run, in a queue and in what is printed. */
export const formatRunId = ({ sessionId, run }: Run): string => `${sessionId}:${run}`;

/** Without the host, which its id does not say. */
export function parseRunId(id: string): Run {
  const [sessionId = '', run] = id.split(':');
  return { sessionId, run: Number(run), host: null };
}

/**
 * What became of a run that was asked for. `gone`: it has ended, or was never asked for. `heldBy`: it was
 * given to this worker.
 */
export type RunState = 'waiting' | 'gone' | { readonly heldBy: string };

/** Asks for runs, and hands them from one worker to another. */
export interface Dispatch {
  /** Part of the caller's transaction: the run is asked for when it commits. Each run is asked for once. */
  enqueue(statement: RunStatement, run: Run): Promise<void>;
  /** State of each run, in the order given. */
  states(runs: readonly Run[]): Promise<readonly RunState[]>;
  /**
   * Takes the runs that a worker has begun from it, for other workers. Returns how many they were. What the
   * worker still does with them is not broken off, and its end is not theirs.
   */
  handOver(statement: RunStatement, workerId: string): Promise<number>;
  /** Takes these runs from the workers that have them. */
  handOverRuns(runs: readonly Run[]): Promise<void>;
  /** Forgets runs that have ended and were asked for before this time, in ms since 1970. */
  prune(beforeMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Takes runs for one worker. */
export interface Executor {
  /** A run was asked for by some process: there may be one for this worker. */
  hear?(): void;
  /**
   * Takes no more runs, waits for those it has, at most so many ms, and disconnects. Those that have not
   * ended then are still the worker's, until they are handed over.
   */
  stop(limitMs: number): Promise<void>;
}

export interface ExecutorOptions {
  readonly database: Database;
  readonly workerId: string;
  readonly host: string;
  /** Runs of this worker at the same time; other workers have a number of their own. */
  readonly concurrency: number;
  /** The run has ended when it settles; it should not reject, because only `stderr` hears of that. */
  readonly work: (sessionId: string, run: number) => Promise<void>;
  readonly stderr: (line: string) => void;
}

/**
 * Gives the runs of sessions to workers: a run to one worker at a time, and to each session one run at a
 * time, in the order in which they were asked for. What a run has done is not its business: the journal says
 * that, and it refuses what a worker writes to a session that was handed over. Nor are interrupts, which are
 * rows of their own, and times to wake at, which the sweep looks for.
 */
export interface Runner {
  /** Makes its tables, or brings them to the version of this package. */
  prepare(url: string): Promise<void>;
  /** Whether `prepare` has nothing to do; false also where that cannot be seen. Absent: it never has. */
  isPrepared?(database: Database): Promise<boolean>;
  /** For those that ask for runs. */
  open(database: Database): Promise<Dispatch>;
  /** For a worker. Rejects with `invalid_option` where it cannot have one more. */
  start(options: ExecutorOptions): Promise<Executor>;
}
