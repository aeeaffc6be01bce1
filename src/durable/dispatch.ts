/** Which worker runs a session: orders to work on it, and the processes that take them. */
import type { Database, RunStatement } from './postgres/database.ts';

/** A run of a session: the n-th time that some worker was asked to work on it. */
export interface Run {
  readonly sessionId: string;
  readonly run: number;
  /** The only host whose workers may run it; null: any. */
  readonly host: string | null;
}

/** What became of a run that was asked for. `gone`: it has ended, or was never asked for. */
type RunState = 'waiting' | 'running' | 'gone';

/** Asks for runs, and hands them from one worker to another. */
export interface Dispatch {
  /** Part of the caller's transaction: the run is asked for when it commits. Each run is asked for once. */
  enqueue(statement: RunStatement, run: Run): Promise<void>;
  /** State of each run, in the order given. */
  states(runs: readonly Run[]): Promise<readonly RunState[]>;
  /** Takes the runs of a worker from it, for other workers. Returns how many they were. */
  handOver(statement: RunStatement, workerId: string): Promise<number>;
  /** Takes these runs from the workers that have them. */
  handOverRuns(runs: readonly Run[]): Promise<void>;
  /** Forgets runs that have ended and were asked for before this time, in ms since 1970. */
  prune(beforeMs: number): Promise<void>;
  close(): Promise<void>;
}

/** A process that takes runs. */
export interface Executor {
  /** Takes no more runs, waits for those it has, at most so many ms, and disconnects. */
  stop(limitMs: number): Promise<void>;
}

export interface ExecutorOptions {
  readonly database: Database;
  readonly workerId: string;
  readonly host: string;
  /** Runs at the same time. */
  readonly concurrency: number;
  /** Must not reject. */
  readonly work: (sessionId: string, run: number) => Promise<void>;
  readonly stderr: (line: string) => void;
}
