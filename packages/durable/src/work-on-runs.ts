/** Work on the runs that a worker is given. */
import { randomInt, randomUUID } from 'node:crypto';
import { systemClock } from '@turnwright/base/clock.ts';
import { codeOf, errorText } from '@turnwright/base/text/error-text.ts';
import type { LeaseStore } from '@turnwright/engine/protocol/ports.ts';
import type { createSharedAdmission } from './postgres/admission/shared-admission.ts';
import type { AppendQueue } from './postgres/append-queue.ts';
import type { Database } from './postgres/database.ts';
import { isOutage } from './postgres/database-error.ts';
import type { Listener } from './postgres/listener.ts';
import { endRun, failRun, forgiveTakeover, type SessionRow } from './postgres/runs.ts';
import { beginRun } from './postgres/tenants/begin.ts';
import { releaseHeld } from './postgres/tenants/run-places.ts';
import { openPurse, recordSpending } from './postgres/tenants/run-purse.ts';
import type { startLiveness } from './reaper.ts';
import { refuseWhatCannotTravel } from './refused-options.ts';
import { sumNewCost } from './run-outcome.ts';
import { runSession } from './run-session.ts';
import type { createLog } from './watch/log.ts';
import type { watchStoring } from './watch/storing.ts';
import type { createFigures } from './watch/worker-figures.ts';
import type { WorkerOptions } from './worker-options.ts';
import { prepareFolder, staysOnHost } from './workspace.ts';

/** Sessions that run now, and the end of each. */
export type ActiveSessions = Map<string, Promise<void>>;

interface WorkParts {
  readonly workerId: string;
  readonly host: string;
  readonly options: NonNullable<WorkerOptions['options']>;
  readonly workspace: WorkerOptions['workspace'];
  readonly database: Database;
  readonly listener: Listener;
  readonly admission: ReturnType<typeof createSharedAdmission>;
  readonly appends: AppendQueue;
  readonly leases: LeaseStore;
  readonly liveness: Awaited<ReturnType<typeof startLiveness>>;
  readonly active: ActiveSessions;
  readonly storing: ReturnType<typeof watchStoring>;
  readonly figures: ReturnType<typeof createFigures>;
  readonly log: ReturnType<typeof createLog>;
}

/** One begin of a run, as far as it has come. */
interface Attempt {
  readonly session: SessionRow;
  readonly lease: AbortSignal;
  readonly about: { readonly session: string; readonly run: number; readonly tenant: string };
  /** What it writes with. */
  own: { readonly epoch: number; readonly owner?: string };
  spentUsd: number;
}

const APART_MS = 250;
/** A session that could not be worked on is tried again after this, doubled with each time. */
const RETRY_MS = 1_000;
/** Another worker may have the version that a session needs: it is tried again after this. */
const OTHER_VERSION_MS = 15_000;

const RUN_ENDED = { ended: 'ended', again: 'goes on: something arrived', lost: 'was lost to another worker' };

export class WorkOnRuns {
  readonly #parts: WorkParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the run has ended. Those of a session run one at a time: one that was handed over and comes
   * back waits for the one before.
   */
  async take(sessionId: string, run: number): Promise<void> {
    const { active, log } = this.#parts;
    const before = active.get(sessionId) ?? Promise.resolve();
    const working = before
      .then(() => this.#work(sessionId, run))
      .catch((error: unknown) => {
        // The sweep finds sessions that are not worked on.
        log.warn(`Session ${sessionId} was left: ${errorText(error)}`, { session: sessionId, run });
      });
    active.set(sessionId, working);
    await working;
    if (active.get(sessionId) === working) active.delete(sessionId);
  }

  async #work(sessionId: string, run: number): Promise<void> {
    const { database, workerId, host, workspace, liveness, figures } = this.#parts;
    const lease = await liveness.lease();
    const bindTo = staysOnHost(workspace) ? host : undefined;
    for (;;) {
      const session = await beginRun(database, { sessionId, run, workerId, bindTo });
      if (session === undefined) return;
      figures.count('runs_started');
      const again = await this.#workOnce(session, lease);
      if (again) continue;
      // Where that fails, the sweep does it.
      if (session.mostRuns !== null) await releaseHeld(database, session.tenant).catch(() => undefined);
      return;
    }
  }

  /** true: there is more to do. */
  async #workOnce(session: SessionRow, lease: AbortSignal): Promise<boolean> {
    const { database, figures, log } = this.#parts;
    const { sessionId, run, tenant, usdPerDay, waitedSeconds } = session;
    const about = { session: sessionId, run, tenant };
    const attempt: Attempt = { session, lease, about, own: { epoch: session.epoch }, spentUsd: 0 };
    const ended = figures.began(waitedSeconds);
    log.note(`The run began, ${waitedSeconds.toFixed(1)} s after it was asked for.`, about);
    try {
      return await this.#end(attempt, await this.#run(attempt));
    } catch (error) {
      if (lease.aborted || codeOf(error) === 'session_in_use') return await this.#lose(sessionId);
      await this.#fail(attempt, error);
      return false;
    } finally {
      ended();
      if (usdPerDay === null && attempt.spentUsd > 0)
        await recordSpending(database, tenant, attempt.spentUsd).catch(() => undefined);
    }
  }

  async #run(attempt: Attempt): ReturnType<typeof runSession> {
    const { options, workspace, workerId, liveness, figures, ...parts } = this.#parts;
    const { session, lease } = attempt;
    const { sessionId, run, tenant } = session;
    const chosen = typeof options === 'function' ? await options(session) : options;
    refuseWhatCannotTravel(chosen);
    await startApart(session, lease);
    const owner = randomUUID();
    return runSession({
      session,
      cwd: await prepareFolder(workspace, session),
      options: chosen,
      database: parts.database,
      listener: parts.listener,
      admission: parts.admission.of(tenant),
      purse:
        session.usdPerDay === null
          ? undefined
          : openPurse(parts.database, parts.listener, { tenant, sessionId, run, workerId }),
      appends: parts.appends,
      leases: parts.leases,
      workerId,
      owner,
      lease,
      isHeard: liveness.isHeard,
      onWaiting: figures.asking,
      onModelRequest: figures.modelAsked,
      onResult(result) {
        figures.answered(tenant, result);
        attempt.spentUsd += sumNewCost(result);
      },
      onTakenOver(epoch) {
        attempt.own = { epoch, owner };
      },
    });
  }

  /** true: there is more to do. */
  async #end(attempt: Attempt, end: Awaited<ReturnType<typeof runSession>>): Promise<boolean> {
    const { database, workerId, figures, storing, log } = this.#parts;
    const { own, about } = attempt;
    const { sessionId, run } = attempt.session;
    if (end.kind === 'lost') return this.#lose(sessionId);
    figures.count('results', end.results);
    const state = await endRun(database, { ...end, ...own, sessionId, run, workerId });
    storing.succeeded();
    log.note(
      `The run ${RUN_ENDED[state]}${end.parked === undefined ? '' : ` (parked on ${end.parked.on})`}.`,
      {
        ...about,
        epoch: own.epoch,
      },
    );
    if (state === 'ended') figures.count(end.parked === undefined ? 'runs_finished' : 'runs_parked');
    if (state === 'lost') return this.#lose(sessionId);
    return state === 'again';
  }

  async #fail({ session, about, own }: Attempt, error: unknown): Promise<void> {
    const { database, workerId, figures, storing, log } = this.#parts;
    const { sessionId, run } = session;
    figures.count('runs_failed');
    log.warn(`Session ${sessionId} could not be worked on: ${errorText(error)}`, {
      ...about,
      epoch: own.epoch,
    });
    const isOtherVersion = codeOf(error) === 'session_unreadable';
    if (isOutage(error)) storing.failed(error);
    await failRun(database.run, {
      ...own,
      sessionId,
      run,
      workerId,
      error: errorText(error),
      retryMs: isOtherVersion ? OTHER_VERSION_MS : RETRY_MS,
      fault: isOtherVersion ? 'version' : isOutage(error) ? 'database' : 'session',
    });
  }

  /** Another worker has the session, or may have it. Returns false: there is nothing more to do. */
  async #lose(sessionId: string): Promise<false> {
    const { database, figures } = this.#parts;
    figures.count('runs_lost');
    await forgiveTakeover(database, sessionId).catch(() => undefined);
    return false;
  }
}

/**
 * Sessions whose worker ended again and again begin at different times: the one that ends it takes the others
 * with it, and they make progress before it begins.
 */
async function startApart({ barren }: SessionRow, lease: AbortSignal): Promise<void> {
  if (barren >= 2) await systemClock.sleep(randomInt(APART_MS << barren), lease);
}
