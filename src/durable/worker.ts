/** A worker: a process that runs the sessions of a database, next to any number of others. */
import { randomInt, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Options, VERSION } from '../index.ts';
import { systemClock } from '../util/clock.ts';
import { codeOf } from '../util/code-of.ts';
import { errorText } from '../util/text/error-text.ts';
import { dbosRunner } from './dbos.ts';
import type { Runner } from './dispatch.ts';
import { createFigures } from './figures.ts';
import type { WorkerHealth } from './health.ts';
import { createAdmission } from './postgres/admission/admission.ts';
import { createAppendQueue } from './postgres/append-queue.ts';
import { isOutage } from './postgres/database-error.ts';
import { createLeaseStore } from './postgres/leases.ts';
import { createListener } from './postgres/listen.ts';
import { beginRun, endRun, failRun, forgiveTakeover, type SessionRow } from './postgres/runs.ts';
import { openTables } from './postgres/tables/migrations.ts';
import { startLiveness } from './reaper.ts';
import { refuseWhatCannotTravel } from './refused-options.ts';
import { runSession } from './run-session.ts';
import { createEnqueuer } from './sweep.ts';
import { folderOf, staysOnHost, type Workspace } from './workspace.ts';

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
   * Those of `query()`, the same for all sessions or chosen for each. Functions in them (hooks, `canUseTool`,
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

/**
 * Sessions whose worker ended again and again begin at different times: the one that ends it takes the others
 * with it, and they make progress before it begins.
 */
async function apartFromOthers({ barren }: SessionRow, lease: AbortSignal): Promise<void> {
  if (barren >= 2) await systemClock.sleep(randomInt(APART_MS << barren), lease);
}

const APART_MS = 250;

const DRAIN_MS = 30_000;
/** Two more connections are its own: one listens, and one holds the lock that says that it lives. */
const POOLED = 6;
/** A session that could not be worked on is tried again after this, doubled with each time. */
const RETRY_MS = 1_000;
/** Another worker may have the version that a session needs: it is tried again after this. */
const OTHER_VERSION_MS = 15_000;

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
  stderr = () => undefined,
}: WorkerOptions): Promise<Worker> {
  if (typeof options === 'object') refuseWhatCannotTravel(options);
  const database = await openTables({ url: db, direct, connections: POOLED, ownConnections: true });
  const dispatch = await runner.open(database);
  const id = randomUUID();
  const listener = createListener(database);
  const admission = createAdmission(database, listener);
  const appends = createAppendQueue(database);
  const active = new Map<string, Promise<void>>();
  let state: 'works' | 'drains' | 'is closed' = 'works';
  const figures = createFigures({
    running: () => active.size,
    trouble() {
      if (state !== 'works') return `This worker ${state}.`;
      return liveness.isHeard() ? undefined : 'The other workers may not see this one: the database is away.';
    },
  });
  const liveness = await startLiveness({
    database,
    dispatch,
    workerId: id,
    host,
    version: VERSION,
    active: () => [...active.keys()],
    stderr,
    onHandedOver: (runs, why) => figures.count(`runs_handed_over_${why}`, runs),
    onForgotten: (sessions) => figures.count('sessions_forgotten', sessions),
  });

  const leases = createLeaseStore(database, listener, { workerId: id, life: liveness.lease });

  // Clients that do not ask DBOS for a run say that they have queued one.
  const enqueue = createEnqueuer({ database, dispatch });
  const stopHearing = listener.watch('run', undefined, (sessionId) => {
    if (sessionId !== undefined)
      enqueue(sessionId).catch(() => {
        // The sweep finds it.
      });
  });

  async function work(sessionId: string, run: number): Promise<void> {
    const lease = await liveness.lease();
    const bindTo = staysOnHost(workspace) ? host : undefined;
    for (;;) {
      const session = await beginRun(database, { sessionId, run, workerId: id, bindTo });
      if (session === undefined) return;
      figures.count('runs_started');
      const again = await workOnce(session, lease);
      if (!again) return;
    }
  }

  /** true: there is more to do. */
  async function workOnce(session: SessionRow, lease: AbortSignal): Promise<boolean> {
    const { sessionId, run } = session;
    let { epoch } = session;
    try {
      const chosen = typeof options === 'function' ? await options(session) : options;
      refuseWhatCannotTravel(chosen);
      await apartFromOthers(session, lease);
      const cwd = await folderOf(workspace, session);
      const end = await runSession({
        session,
        cwd,
        options: chosen,
        database,
        listener,
        admission: admission.of(session.tenant),
        appends,
        leases,
        workerId: id,
        lease,
        isHeard: liveness.isHeard,
        onWaiting: figures.asking,
        onTakenOver(taken) {
          epoch = taken;
        },
      });
      if (end.kind === 'lost') return await loseRun(sessionId);
      figures.count('results', end.results);
      const ended = await endRun(database, { ...end, sessionId, run, workerId: id, epoch });
      if (ended === 'ended') figures.count(end.parked === undefined ? 'runs_finished' : 'runs_parked');
      if (ended === 'lost') return await loseRun(sessionId);
      return ended === 'again';
    } catch (error) {
      if (lease.aborted || codeOf(error) === 'session_in_use') return await loseRun(sessionId);
      figures.count('runs_failed');
      stderr(`Session ${sessionId} could not be worked on: ${errorText(error)}`);
      const isOtherVersion = codeOf(error) === 'session_unreadable';
      const fault = isOtherVersion ? 'version' : isOutage(error) ? 'database' : 'session';
      await failRun(database.run, {
        sessionId,
        run,
        workerId: id,
        epoch,
        error: errorText(error),
        retryMs: isOtherVersion ? OTHER_VERSION_MS : RETRY_MS,
        fault,
      });
      return false;
    }
  }

  /** Another worker has the session, or may have it. Returns false: there is nothing more to do. */
  async function loseRun(sessionId: string): Promise<false> {
    figures.count('runs_lost');
    await forgiveTakeover(database, sessionId).catch(() => undefined);
    return false;
  }

  async function release(): Promise<void> {
    await liveness.close();
    await Promise.all(active.values());
    admission.close();
    await listener.close();
    await dispatch.close();
    await database.close();
  }

  const starting = runner.start({
    database,
    workerId: id,
    host,
    concurrency,
    stderr,
    async work(sessionId, run) {
      // One run of a session at a time: what was handed over and comes back waits for the one before.
      const before = active.get(sessionId) ?? Promise.resolve();
      const working = before
        .then(() => work(sessionId, run))
        .catch((error: unknown) => {
          // The sweep finds sessions that are not worked on.
          stderr(`Session ${sessionId} was left: ${errorText(error)}`);
        });
      active.set(sessionId, working);
      await working;
      if (active.get(sessionId) === working) active.delete(sessionId);
    },
  });
  const executor = await starting.catch(async (error: unknown) => {
    stopHearing();
    await release();
    throw error;
  });

  async function close(limitMs: number): Promise<void> {
    state = 'drains';
    stopHearing();
    await database.run('update turnwright.workers set draining = true where worker_id = $1', [id]);
    await executor.stop(limitMs);
    await release();
    state = 'is closed';
  }

  let drained: (closing: Promise<void>) => void;
  const closed = new Promise<void>((resolve) => {
    drained = resolve;
  });
  let closing: Promise<void> | undefined;
  return {
    id,
    health: figures.health,
    closed,
    drain(limitMs = DRAIN_MS) {
      if (closing === undefined) {
        closing = close(limitMs);
        drained(closing);
      }
      return closing;
    },
  };
}
