/** A worker: a process that runs the sessions of a database, next to any number of others. */
import { randomInt, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { VERSION } from '../index.ts';
import { systemClock } from '../util/clock.ts';
import { codeOf } from '../util/code-of.ts';
import { errorText } from '../util/text/error-text.ts';
import { dbosRunner } from './dbos.ts';
import type { Executor } from './dispatch.ts';
import { newCostOf } from './outcome.ts';
import { createAdmission } from './postgres/admission/admission.ts';
import { createAppendQueue } from './postgres/append-queue.ts';
import { useOf } from './postgres/database.ts';
import { isOutage } from './postgres/database-error.ts';
import { createLeaseStore } from './postgres/leases.ts';
import { createListener } from './postgres/listen.ts';
import { endRun, failRun, forgiveTakeover, type SessionRow } from './postgres/runs.ts';
import { openTables } from './postgres/tables/migrations.ts';
import { beginRun } from './postgres/tenants/begin.ts';
import { releaseHeld } from './postgres/tenants/places.ts';
import { openPurse, recordSpending } from './postgres/tenants/purse.ts';
import { startLiveness } from './reaper.ts';
import { refuseWhatCannotTravel } from './refused-options.ts';
import { runSession } from './run-session.ts';
import { createEnqueuer } from './sweep.ts';
import { createDatabaseFigures } from './watch/database-figures.ts';
import { createFigures } from './watch/figures.ts';
import { createLog } from './watch/log.ts';
import { watchStoring } from './watch/storing.ts';
import type { Worker, WorkerOptions } from './worker-options.ts';
import { folderOf, staysOnHost } from './workspace.ts';

/**
 * Sessions whose worker ended again and again begin at different times: the one that ends it takes the others
 * with it, and they make progress before it begins.
 */
async function apartFromOthers({ barren }: SessionRow, lease: AbortSignal): Promise<void> {
  if (barren >= 2) await systemClock.sleep(randomInt(APART_MS << barren), lease);
}

const APART_MS = 250;

const RUN_ENDED = { ended: 'ended', again: 'goes on: something arrived', lost: 'was lost to another worker' };
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
  stderr,
  log,
}: WorkerOptions): Promise<Worker> {
  if (typeof options === 'object') refuseWhatCannotTravel(options);
  const database = await openTables({ url: db, direct, connections: POOLED, ownConnections: true });
  const dispatch = await runner.open(database);
  const id = randomUUID();
  const { warn, note } = createLog({ worker: id, stderr, log });
  const listener = createListener(database);
  const admission = createAdmission(database, listener);
  const appends = createAppendQueue(database);
  const active = new Map<string, Promise<void>>();
  let state: 'works' | 'drains' | 'is closed' = 'works';
  const storing = watchStoring(database);
  const figures = createFigures({
    running: () => active.size,
    trouble() {
      if (state !== 'works') return `This worker ${state}.`;
      if (!liveness.isHeard()) return 'The other workers may not see this one: the database is away.';
      return storing.trouble();
    },
    pool: () => useOf(database),
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
      if (state !== 'works') return;
      warn('This worker was told to drain (durable cordon).');
      void drain().catch(() => undefined);
    },
    onHandedOver: (runs, why) => figures.count(`runs_handed_over_${why}`, runs),
    onForgotten: (sessions) => figures.count('sessions_forgotten', sessions),
  });

  const leases = createLeaseStore(database, listener, { workerId: id, life: liveness.lease });

  // Clients that do not ask DBOS for a run say that they have queued one.
  const enqueue = createEnqueuer({ database, dispatch });
  let executor: Executor | undefined;
  const hearing = [
    listener.watch('order', undefined, () => executor?.hear?.()),
    listener.watch('run', undefined, (sessionId) => {
      executor?.hear?.();
      if (sessionId !== undefined)
        enqueue(sessionId).catch(() => {
          // The sweep finds it.
        });
    }),
  ];
  const stopHearing = () => {
    for (const stop of hearing) stop();
  };

  async function work(sessionId: string, run: number): Promise<void> {
    const lease = await liveness.lease();
    const bindTo = staysOnHost(workspace) ? host : undefined;
    for (;;) {
      const session = await beginRun(database, { sessionId, run, workerId: id, bindTo });
      if (session === undefined) return;
      figures.count('runs_started');
      const again = await workOnce(session, lease);
      if (again) continue;
      // Where that fails, the sweep does it.
      if (session.mostRuns !== null) await releaseHeld(database, session.tenant).catch(() => undefined);
      return;
    }
  }

  /** true: there is more to do. */
  async function workOnce(session: SessionRow, lease: AbortSignal): Promise<boolean> {
    const { sessionId, run, tenant, usdPerDay } = session;
    const owner = randomUUID();
    let own: { readonly epoch: number; readonly owner?: string } = { epoch: session.epoch };
    let spentUsd = 0;
    const about = { session: sessionId, run, tenant };
    const ended = figures.began(session.waitedSeconds);
    note(`The run began, ${session.waitedSeconds.toFixed(1)} s after it was asked for.`, about);
    try {
      const chosen = typeof options === 'function' ? await options(session) : options;
      refuseWhatCannotTravel(chosen);
      await apartFromOthers(session, lease);
      const end = await runSession({
        session,
        cwd: await folderOf(workspace, session),
        options: chosen,
        database,
        listener,
        admission: admission.of(tenant),
        purse:
          usdPerDay === null
            ? undefined
            : openPurse(database, listener, { tenant, sessionId, run, workerId: id }),
        appends,
        leases,
        workerId: id,
        owner,
        lease,
        isHeard: liveness.isHeard,
        onWaiting: figures.asking,
        onModelRequest: figures.modelAsked,
        onResult(result) {
          figures.answered(tenant, result);
          spentUsd += newCostOf(result);
        },
        onTakenOver(epoch) {
          own = { epoch, owner };
        },
      });
      if (end.kind === 'lost') return await loseRun(sessionId);
      figures.count('results', end.results);
      const state = await endRun(database, { ...end, ...own, sessionId, run, workerId: id });
      storing.succeeded();
      note(`The run ${RUN_ENDED[state]}${end.parked === undefined ? '' : ` (parked on ${end.parked.on})`}.`, {
        ...about,
        epoch: own.epoch,
      });
      if (state === 'ended') figures.count(end.parked === undefined ? 'runs_finished' : 'runs_parked');
      if (state === 'lost') return await loseRun(sessionId);
      return state === 'again';
    } catch (error) {
      if (lease.aborted || codeOf(error) === 'session_in_use') return await loseRun(sessionId);
      figures.count('runs_failed');
      warn(`Session ${sessionId} could not be worked on: ${errorText(error)}`, {
        ...about,
        epoch: own.epoch,
      });
      const isOtherVersion = codeOf(error) === 'session_unreadable';
      if (isOutage(error)) storing.failed(error);
      const fault = isOtherVersion ? 'version' : isOutage(error) ? 'database' : 'session';
      await failRun(database.run, {
        ...own,
        sessionId,
        run,
        workerId: id,
        error: errorText(error),
        retryMs: isOtherVersion ? OTHER_VERSION_MS : RETRY_MS,
        fault,
      });
      return false;
    } finally {
      ended();
      if (usdPerDay === null && spentUsd > 0)
        await recordSpending(database, tenant, spentUsd).catch(() => undefined);
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
    stderr: warn,
    async work(sessionId, run) {
      // One run of a session at a time: what was handed over and comes back waits for the one before.
      const before = active.get(sessionId) ?? Promise.resolve();
      const working = before
        .then(() => work(sessionId, run))
        .catch((error: unknown) => {
          // The sweep finds sessions that are not worked on.
          warn(`Session ${sessionId} was left: ${errorText(error)}`, { session: sessionId, run });
        });
      active.set(sessionId, working);
      await working;
      if (active.get(sessionId) === working) active.delete(sessionId);
    },
  });
  executor = await starting.catch(async (error: unknown) => {
    stopHearing();
    await release();
    throw error;
  });

  async function close(limitMs: number): Promise<void> {
    state = 'drains';
    stopHearing();
    await database.run('update turnwright.workers set draining = true where worker_id = $1', [id]);
    await executor?.stop(limitMs);
    await release();
    state = 'is closed';
  }

  let drained: (closing: Promise<void>) => void;
  const closed = new Promise<void>((resolve) => {
    drained = resolve;
  });
  let closing: Promise<void> | undefined;
  function drain(limitMs = DRAIN_MS): Promise<void> {
    if (closing === undefined) {
      closing = close(limitMs);
      drained(closing);
    }
    return closing;
  }
  return { id, health: figures.health, closed, drain };
}
