/** What people on call do to one session of a database while its workers run. */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import { dbosRunner } from './dbos.ts';
import type { Runner, RunState } from './dispatch.ts';
import type { Database } from './postgres/database.ts';
import { wakeFollowers } from './postgres/followers.ts';
import { notify } from './postgres/listener.ts';
import { overviewOf, type SeenWorker } from './postgres/overview.ts';
import { removeRows, takeOut } from './postgres/retention/remove-rows.ts';
import { absentSession } from './postgres/retention/removed.ts';
import { queueAgain } from './postgres/runs.ts';
import { locked, putInterrupt, queueRun } from './postgres/session-rows.ts';
import { type SessionStatus, sessionStatus } from './session-status.ts';

/** All that the database knows of a session. */
export interface SessionDetails extends SessionStatus {
  /** How often a worker was asked to work on it. */
  readonly run: number;
  /** Takeovers in a row without progress; at five it is set aside. */
  readonly barrenRuns: number;
  /** Prompts that were stored for it. */
  readonly prompts: number;
  /** ms since 1970 of the last prompt and of the last entry of its journal. */
  readonly promptedAt?: number;
  readonly writtenAt?: number;
  /** Bytes of its journal and of its large results. */
  readonly bytes: number;
  /** What the runner knows of the last run. */
  readonly runState: RunState;
  /** The worker that has it, or was given it; undefined: none, or one that was removed. */
  readonly heldBy?: SeenWorker;
}

/** Each call is safe while workers run, and rejects with `session_not_found`. */
export interface Operator {
  details(sessionId: string): Promise<SessionDetails>;
  /**
   * Runs a session that was set aside, or that waits for another attempt, at once and as if it had never
   * failed. Rejects with `invalid_option` in any other state.
   */
  retry(sessionId: string): Promise<void>;
  /** Lets any host run a session that was bound to one; its folder there is not brought along. */
  release(sessionId: string): Promise<void>;
  /**
   * Takes a session from the worker that has it: its next run is asked for, and what the one before still
   * writes or ends does not count. Rejects with `invalid_option` where it neither runs nor is queued.
   */
  move(sessionId: string): Promise<void>;
  /** Interrupts what runs, as Esc does. `false`: nothing runs. */
  cancel(sessionId: string): Promise<boolean>;
  /** Deletes a session with all that belongs to it. Rejects with `invalid_option` while it works. */
  remove(sessionId: string): Promise<void>;
  /**
   * Tells workers to take no more runs: by id, the beginning of an id, or host. Each ends what it has within
   * its drain time, hands the rest over and closes. Returns how many they are.
   */
  cordon(workerOrHost: string): Promise<number>;
  /** Leaves the database open. */
  close(): Promise<void>;
}

/**
 * Opens what `turnwright durable show`, `retry`, `release`, `move`, `cancel`, `delete` and `cordon` do.
 *
 * @example
 * ```ts
 * import { openDatabase, openOperator } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * const operator = await openOperator(database);
 * console.log(await operator.details('s1'));
 * await operator.close();
 * await database.close();
 * ```
 */
export async function openOperator(
  database: Database,
  { runner = dbosRunner }: { readonly runner?: Runner | undefined } = {},
): Promise<Operator> {
  const dispatch = await runner.open(database);

  return {
    async details(sessionId) {
      const status = await sessionStatus(database.run, sessionId);
      const [facts] = await database.run<Facts>(FACTS, [sessionId]);
      if (status === undefined || facts === undefined) throw await absentSession(database.run, sessionId);
      const { host = null } = status;
      const [runState = 'gone'] = await dispatch.states([{ sessionId, run: facts.run, host }]);
      const holder = status.worker ?? (typeof runState === 'object' ? runState.heldBy : undefined);
      const { workers } = await overviewOf(database.run);
      const heldBy = workers.find(({ workerId }) => workerId === holder);
      return {
        ...status,
        run: facts.run,
        barrenRuns: facts.barren,
        prompts: facts.prompts,
        ...(facts.prompted_at !== null && { promptedAt: facts.prompted_at.getTime() }),
        ...(facts.written_at !== null && { writtenAt: facts.written_at.getTime() }),
        bytes: facts.bytes,
        runState,
        ...(heldBy !== undefined && { heldBy }),
      };
    },

    retry: (sessionId) =>
      database.transaction(async (run) => {
        const { state, waitsFor } = await locked(run, sessionId);
        if (state !== 'poisoned' && !(state === 'parked' && waitsFor === 'time'))
          throw refused(
            `Session ${sessionId} was not set aside and waits for no other attempt: it is ${state}.`,
          );
        await run('update turnwright.sessions set barren_epochs = 0, outcome = null where session_id = $1', [
          sessionId,
        ]);
        await queueRun(run, sessionId);
      }),

    release: (sessionId) =>
      database.transaction(async (run) => {
        const { host, state, run: number } = await locked(run, sessionId);
        if (host === null) throw refused(`Session ${sessionId} is bound to no host.`);
        if (state === 'running') throw refused(`Session ${sessionId} runs on ${host}: move it first.`);
        await run('update turnwright.sessions set host = null where session_id = $1', [sessionId]);
        // A run that was asked for waits for the host: the next one does not.
        await queueAgain(run, { sessionId, run: number, host });
        await notify(run, 'run', sessionId);
      }),

    async move(sessionId) {
      const before = await database.transaction(async (run) => {
        const { host, state, run: number } = await locked(run, sessionId);
        const last = { sessionId, run: number, host };
        if ((await queueAgain(run, last)) === undefined)
          throw refused(`Session ${sessionId} is ${state}: only what runs or is queued can be moved.`);
        return last;
      });
      // The runs of a session are begun in turn: the one before ends where another worker looks at it.
      await dispatch.handOverRuns([before]);
      await notify(database.run, 'run', sessionId);
    },

    cancel: (sessionId) => putInterrupt(database, { sessionId, key: uuid() }),

    async remove(sessionId) {
      await database.transaction(async (run) => {
        const { state } = await locked(run, sessionId);
        if (state === 'running' || state === 'queued')
          throw refused(`Session ${sessionId} is ${state}: cancel it first, or wait until it is idle.`);
        await takeOut(run, sessionId);
        await wakeFollowers(run, sessionId);
      });
      await removeRows(database.run, [sessionId]);
    },

    async cordon(workerOrHost) {
      const found = await database.run(
        `update turnwright.workers set draining = true
         where worker_id = $1 or host = $1 or (length($1) >= 4 and starts_with(worker_id, $1)) returning 1`,
        [workerOrHost],
      );
      return found.length;
    },

    close: () => dispatch.close(),
  };
}

const refused = (sentence: string): TurnwrightError => new TurnwrightError('invalid_option', sentence);

interface Facts {
  readonly run: number;
  readonly barren: number;
  readonly prompts: number;
  readonly prompted_at: Date | null;
  readonly written_at: Date | null;
  readonly bytes: number;
}

const FACTS = `
  select s.run, s.barren_epochs as barren,
    (select count(*)::int from turnwright.inbox i where i.session_id = $1) as prompts,
    (select max(at) from turnwright.inbox i where i.session_id = $1) as prompted_at,
    (select at from turnwright.journal j where j.session_id = $1 order by seq desc limit 1) as written_at,
    (select coalesce(sum(octet_length(body)), 0)::float8 from turnwright.journal j where j.session_id = $1) +
      (select coalesce(sum(octet_length(bytes)), 0)::float8 from turnwright.blobs b where b.session_id = $1)
      as bytes
  from turnwright.sessions s where s.session_id = $1`;
