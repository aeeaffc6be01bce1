/** Which workers live, and what happens to the runs of those that do not. */
import { randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { whenAborted } from '@turnwright/base/async/promises.ts';
import { sleepUnlessAborted, systemClock } from '@turnwright/base/clock.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { lookAround, removeWorker, WORKER_LOCKS } from './postgres/workers.ts';
import { createSweep, type SweepOptions } from './sweep.ts';

const BEAT_MS = 2_000;
/** A heartbeat without an answer for so long: the others may not hear this worker, it gives its runs up. */
const MUTE_MS = 8_000;
/** A worker that holds its lock without a heartbeat for so long is stopped, or cut off. */
const HUNG_MS = 15_000;
const REAP_MS = 500;
const RETRY_MS = 250;

interface LivenessOptions extends SweepOptions {
  readonly host: string;
  readonly version: string;
  /** Called with each heartbeat from the one on that says that this worker is to take no more runs. */
  readonly onCordoned: () => void;
  /** Called with how many runs were taken from a worker that is dead or hung, or were lost otherwise. */
  readonly onHandedOver: (runs: number, why: 'dead' | 'hung' | 'lost') => void;
}

interface Liveness {
  /**
   * Resolves while the other workers can see this one: with a signal that is aborted with `lease_lost` when
   * they may not, and may hand its runs over.
   */
  lease(): Promise<AbortSignal>;
  /** Checked after each write: a process that was stopped learns of it here, before its timers tell it. */
  isHeard(): boolean;
  /** Gives up what this worker still has, for the other workers. */
  close(): Promise<void>;
}

/** Resolves when the other workers can see this one. */
export async function startLiveness(options: LivenessOptions): Promise<Liveness> {
  const { database, dispatch, workerId, host, version, active, stderr, onHandedOver, onCordoned } = options;
  const over = new AbortController();
  let life = new AbortController();
  life.abort('lease_lost');
  let heardMs = Number.NEGATIVE_INFINITY;

  /** A lock that ends with this process, and a heartbeat that ends when it is stopped. */
  async function beat(): Promise<void> {
    const connection = await database.connect();
    const current = new AbortController();
    // Each run listens.
    setMaxListeners(0, current.signal);
    const lost = () => current.abort('lease_lost');
    over.signal.addEventListener('abort', lost, { once: true });
    connection.onEnd(lost);
    try {
      const lock = randomInt(1, 0x7fff_ffff);
      await connection.run('select pg_advisory_lock($1::int, $2::int)', [WORKER_LOCKS, lock]);
      await connection.run(
        `insert into turnwright.workers (worker_id, host, pid, lock_key, version) values ($1, $2, $3, $4, $5)
         on conflict (worker_id) do update set lock_key = $4, heartbeat = now()`,
        [workerId, host, process.pid, lock, version],
      );
      life = current;
      heardMs = systemClock.monotonicMs();
      while (await sleepUnlessAborted(BEAT_MS, current.signal)) {
        const sentMs = systemClock.monotonicMs();
        const mute = systemClock.timer(MUTE_MS, lost);
        const answer = connection.run<{ readonly draining: boolean }>(
          `update turnwright.workers set heartbeat = now() where worker_id = $1 and lock_key = $2
           returning draining`,
          [workerId, lock],
        );
        const [row] = (await Promise.race([answer, whenAborted(current.signal)])) ?? [];
        // Without a row: another worker has handed the runs of this one over.
        if (row === undefined) lost();
        else heardMs = sentMs;
        mute();
        if (row?.draining === true) onCordoned();
      }
    } finally {
      lost();
      over.signal.removeEventListener('abort', lost);
      // Not awaited: a connection that is cut off does not end.
      connection.close().catch(() => undefined);
    }
  }

  const sweep = createSweep(options);
  let isToBeSwept = false;

  async function reap(): Promise<void> {
    const seen = await lookAround(database.run, { workerId, active: active(), hungMs: HUNG_MS });
    isToBeSwept ||= seen.isToBeSwept;
    for (const { worker, why } of seen.lost) {
      if (!(await removeWorker(database, worker))) continue;
      // If this worker dies before that, the sweep finds the runs that have no worker.
      const runs = await dispatch.handOver(database.run, worker);
      stderr(`Worker ${worker} is ${why}: ${runs} ${runs === 1 ? 'run was' : 'runs were'} handed over.`);
      onHandedOver(runs, why);
    }
  }

  /** Takes longer than the look that finds that it is needed: a worker that has died is noticed meanwhile. */
  async function sweepWhereNeeded(): Promise<void> {
    if (!isToBeSwept) return;
    isToBeSwept = false;
    await sweep();
  }

  /** Until `close`, also while the database is away. */
  async function repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    let problem = '';
    while (await sleepUnlessAborted(everyMs, over.signal)) {
      const failed = (await work().catch(errorText)) ?? '';
      if (failed !== '' && failed !== problem) stderr(`The database cannot be used now: ${failed}`);
      problem = failed;
    }
  }

  const lease = async () => {
    while (life.signal.aborted) {
      if (!(await sleepUnlessAborted(RETRY_MS / 5, over.signal))) throw over.signal.reason;
    }
    return life.signal;
  };
  const loops = [repeat(RETRY_MS, beat), repeat(REAP_MS, reap), repeat(REAP_MS, sweepWhereNeeded)];
  await lease();
  return {
    lease,
    isHeard: () => !life.signal.aborted && systemClock.monotonicMs() - heardMs < BEAT_MS + MUTE_MS,
    async close() {
      over.abort('lease_lost');
      await Promise.all(loops);
      await removeWorker(database, workerId);
      await dispatch.handOver(database.run, workerId);
    },
  };
}
