/** The runner for workers that are all in one process: memory says which of them has which run. */

import { within } from '@turnwright/base/async/promises.ts';
import { systemClock } from '@turnwright/base/clock.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import {
  type Dispatch,
  type Executor,
  type ExecutorOptions,
  formatRunId,
  type Run,
  type Runner,
  type RunState,
} from './dispatch.ts';
import { afterCommit, type RunStatement } from './postgres/database.ts';
import { withHosts } from './postgres/runs.ts';
import { hasOtherProcess } from './postgres/workers.ts';

/** A run that was asked for and has not ended. */
interface Order {
  readonly run: Run;
  readonly askedMs: number;
}

/** An order in the hands of a worker. One that is handed over is another object in the next hands. */
interface Taken {
  readonly order: Order;
  readonly workerId: string;
}

interface Taker extends Pick<ExecutorOptions, 'workerId' | 'host' | 'concurrency' | 'work' | 'stderr'> {
  /** Also those that were handed over and still work. */
  readonly working: Set<Promise<void>>;
}

/** Runs that have ended are known so long, so that one that is asked for twice runs once. */
const MOST_ENDED = 10_000;

/**
 * Runs the sessions of a database without DBOS, by the workers of this process, of which there may be
 * several: give the same runner to each. Its workers do not start while a worker of another process lives,
 * and none of another process may be started beside them. What it knows ends with the process; the sessions
 * are in the database, where the next worker finds those that had not ended within some seconds.
 *
 * @example
 * ```ts
 * import { inProcessRunner, prepareDatabase, worker } from 'turnwright/durable';
 *
 * const db = 'postgresql:///turnwright?host=/var/run/postgresql';
 * const runner = inProcessRunner();
 * await prepareDatabase(db, { runner });
 * const running = await worker({ db, runner, options: { model: 'sonnet' } });
 * process.once('SIGTERM', () => void running.drain());
 * ```
 */
export function inProcessRunner(): Runner {
  const runs = new RunsOfProcess();
  return {
    // Its orders are in memory.
    prepare: async () => undefined,
    open: async () => runs,
    async start(options) {
      if (await hasOtherProcess(options.database.run, options.workerId, process.pid))
        throw new TurnwrightError(
          'invalid_option',
          'A worker of another process works on this database: an in-process runner has all workers in one process.',
        );
      return runs.taker(options);
    },
  };
}

class RunsOfProcess implements Dispatch {
  /** In the order in which they were asked for. */
  readonly #waiting = new Map<string, Order>();
  /** By session. */
  readonly #taken = new Map<string, Taken>();
  /** When each was asked for; those that ended last are the last ones. */
  readonly #ended = new Map<string, number>();
  readonly #takers = new Set<Taker>();

  async enqueue(statement: RunStatement, run: Run): Promise<void> {
    afterCommit(statement, () => {
      if (this.#stateOf(run) !== 'gone' || this.#ended.has(formatRunId(run))) return;
      this.#waiting.set(formatRunId(run), { run, askedMs: systemClock.nowMs() });
      this.#give();
    });
  }

  async states(runs: readonly Run[]): Promise<readonly RunState[]> {
    return runs.map((run) => this.#stateOf(run));
  }

  async handOver(statement: RunStatement, workerId: string): Promise<number> {
    const taken = [...this.#taken.values()].filter((one) => one.workerId === workerId);
    // A run may have bound its session to a host.
    const runs = await withHosts(
      statement,
      taken.map(({ order }) => order.run),
    );
    await this.handOverRuns(runs);
    return runs.length;
  }

  async handOverRuns(runs: readonly Run[]): Promise<void> {
    const behind = [...this.#waiting];
    this.#waiting.clear();
    for (const run of runs) {
      const taken = this.#taken.get(run.sessionId);
      if (taken?.order.run.run !== run.run) continue;
      this.#taken.delete(run.sessionId);
      this.#waiting.set(formatRunId(run), { ...taken.order, run });
    }
    // They were asked for before those that wait.
    for (const [id, order] of behind) this.#waiting.set(id, order);
    this.#give();
  }

  async prune(beforeMs: number): Promise<void> {
    for (const [id, askedMs] of this.#ended) if (askedMs < beforeMs) this.#ended.delete(id);
  }

  async close(): Promise<void> {
    // The workers of the process share it.
  }

  taker({ workerId, host, concurrency, work, stderr }: ExecutorOptions): Executor {
    const taker: Taker = { workerId, host, concurrency, work, stderr, working: new Set() };
    this.#takers.add(taker);
    this.#give();
    return {
      stop: async (limitMs) => {
        this.#takers.delete(taker);
        await within(limitMs, Promise.all(taker.working));
      },
    };
  }

  #stateOf(run: Run): RunState {
    if (this.#waiting.has(formatRunId(run))) return 'waiting';
    const taken = this.#taken.get(run.sessionId);
    return taken?.order.run.run === run.run ? { heldBy: taken.workerId } : 'gone';
  }

  /** Gives what waits to the workers that have room. */
  #give(): void {
    for (const [id, order] of this.#waiting) {
      const free = [...this.#takers].filter(({ working, concurrency }) => working.size < concurrency);
      if (free.length === 0) return;
      const { host, sessionId } = order.run;
      if (this.#taken.has(sessionId)) continue;
      const [first, ...others] = free.filter((taker) => host === null || host === taker.host);
      if (first === undefined) continue;
      this.#waiting.delete(id);
      this.#take(
        order,
        others.reduce((least, taker) => (taker.working.size < least.working.size ? taker : least), first),
      );
    }
  }

  #take(order: Order, taker: Taker): void {
    const { sessionId, run } = order.run;
    const taken: Taken = { order, workerId: taker.workerId };
    this.#taken.set(sessionId, taken);
    const working = taker
      .work(sessionId, run)
      .catch((error: unknown) => taker.stderr(`Run ${formatRunId(order.run)} failed: ${errorText(error)}`))
      .then(() => {
        taker.working.delete(working);
        // Otherwise it was handed over, and its end is that of the next owner.
        if (this.#taken.get(sessionId) === taken) this.#end(taken);
        this.#give();
      });
    taker.working.add(working);
  }

  #end({ order }: Taken): void {
    this.#taken.delete(order.run.sessionId);
    this.#ended.set(formatRunId(order.run), order.askedMs);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }
}
