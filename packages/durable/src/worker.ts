/** A worker: a process that runs the sessions of a database, next to any number of others. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { VERSION } from '@turnwright/engine';
import { dbosRunner } from './dbos.ts';
import type { Executor } from './dispatch.ts';
import { createSharedAdmission } from './postgres/admission/shared-admission.ts';
import { createAppendQueue } from './postgres/append-queue.ts';
import { countConnections } from './postgres/database.ts';
import { createLeaseStore } from './postgres/leases.ts';
import { createListener, type Listener } from './postgres/listener.ts';
import { openTables } from './postgres/tables/migrations.ts';
import { startLiveness } from './reaper.ts';
import { refuseWhatCannotTravel } from './refused-options.ts';
import { createEnqueuer } from './sweep.ts';
import { createDatabaseFigures } from './watch/database-figures.ts';
import { createLog } from './watch/log.ts';
import { watchStoring } from './watch/storing.ts';
import { createFigures } from './watch/worker-figures.ts';
import { type ActiveSessions, WorkOnRuns } from './work-on-runs.ts';
import type { Worker, WorkerOptions } from './worker-options.ts';

const DRAIN_MS = 30_000;
/** Two more connections are its own: one listens, and one holds the lock that says that it lives. */
const POOLED = 6;

/**
 * Starts a worker in this process; one process holds one, or several with `inProcessRunner`. Rejects with
 * `not_installed`, `storage_error` when the tables are missing, and `invalid_option` for options that only
 * one process could have.
 *
 * @example
 * ```ts
 * import { worker } from 'turnwright/durable';
 *
 * const running = await worker({
 *   db: 'postgresql:///turnwright?host=/var/run/postgresql',
 *   options: { model: 'sonnet' },
 * });
 * process.once('SIGTERM', () => void running.drain());
 * ```
 */
export async function worker({
  db,
  direct,
  options = {},
  workspace,
  concurrency = 100,
  host = hostname(),
  runner = dbosRunner,
  stderr,
  log,
}: WorkerOptions): Promise<Worker> {
  if (typeof options === 'object') refuseWhatCannotTravel(options);
  const database = await openTables({ url: db, direct, connections: POOLED, ownConnections: true });
  const dispatch = await runner.open(database);
  const id = randomUUID();
  const output = createLog({ worker: id, stderr, log });
  const { warn } = output;
  const listener = createListener(database);
  const admission = createSharedAdmission(database, listener);
  const active: ActiveSessions = new Map();
  const storing = watchStoring(database);
  const life = new WorkerLife();
  const figures = createFigures({
    running: () => active.size,
    trouble() {
      if (life.state !== 'works') return `This worker ${life.state}.`;
      if (!liveness.isHeard()) return 'The other workers may not see this one: the database is away.';
      return storing.trouble();
    },
    pool: () => countConnections(database),
    database: createDatabaseFigures(database),
  });
  const liveness = await startLiveness({
    database,
    dispatch,
    workerId: id,
    host,
    version: VERSION,
    active: () => [...active.keys()],
    stderr: warn,
    onCordoned() {
      if (life.state !== 'works') return;
      warn('This worker was told to drain (durable cordon).');
      void life.drain(DRAIN_MS).catch(() => undefined);
    },
    onHandedOver: (runs, why) => figures.count(`runs_handed_over_${why}`, runs),
    onForgotten: (sessions) => figures.count('sessions_forgotten', sessions),
  });
  const work = new WorkOnRuns({
    workerId: id,
    host,
    options,
    workspace,
    database,
    listener,
    admission,
    appends: createAppendQueue(database),
    leases: createLeaseStore(database, listener, { workerId: id, life: liveness.lease }),
    liveness,
    active,
    storing,
    figures,
    log: output,
  });
  const release = async () => {
    await liveness.close();
    await Promise.all(active.values());
    admission.close();
    await listener.close();
    await dispatch.close();
    await database.close();
  };
  let executor: Executor | undefined;
  const enqueue = createEnqueuer({ database, dispatch });
  const stopHearing = hearOfRuns(listener, enqueue, () => executor?.hear?.());
  life.onDrain(async (limitMs) => {
    stopHearing();
    await database.run('update turnwright.workers set draining = true where worker_id = $1', [id]);
    await executor?.stop(limitMs);
    await release();
  });
  try {
    executor = await runner.start({
      database,
      workerId: id,
      host,
      concurrency,
      stderr: warn,
      work: (sessionId, run) => work.take(sessionId, run),
    });
  } catch (error) {
    stopHearing();
    await release();
    throw error;
  }
  const drain = (limitMs = DRAIN_MS) => life.drain(limitMs);
  return { id, health: figures.health, closed: life.closed, drain };
}

/** Clients that do not ask DBOS for a run say that they have queued one. Returns what stops it. */
function hearOfRuns(
  listener: Listener,
  enqueue: (sessionId: string) => Promise<void>,
  hear: () => void,
): () => void {
  const hearing = [
    listener.watch('order', undefined, hear),
    listener.watch('run', undefined, (sessionId) => {
      hear();
      if (sessionId !== undefined)
        enqueue(sessionId).catch(() => {
          // The sweep finds it.
        });
    }),
  ];
  return () => {
    for (const stop of hearing) stop();
  };
}

/** A worker works, drains once, and is closed. */
class WorkerLife {
  state: 'works' | 'drains' | 'is closed' = 'works';
  readonly closed: Promise<void>;
  #close: (limitMs: number) => Promise<void> = async () => {};
  #closing: Promise<void> | undefined;
  #resolve: (closing: Promise<void>) => void = () => {};

  constructor() {
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** What is closed when it drains. */
  onDrain(close: (limitMs: number) => Promise<void>): void {
    this.#close = close;
  }

  drain(limitMs: number): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#drain(limitMs);
      this.#resolve(this.#closing);
    }
    return this.#closing;
  }

  async #drain(limitMs: number): Promise<void> {
    this.state = 'drains';
    await this.#close(limitMs);
    this.state = 'is closed';
  }
}
