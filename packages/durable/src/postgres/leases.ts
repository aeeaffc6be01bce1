/**
 * Which worker works on a session: the row of the session names it. A lease keeps two workers from doing the
 * same work; the fence of the journal is what keeps a former owner from writing.
 */
import { setMaxListeners } from 'node:events';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { LeaseStore } from '@turnwright/engine/protocol/ports.ts';
import type { Statements } from './database.ts';
import { groupCalls } from './group-calls.ts';
import type { Listener } from './listener.ts';
import { outlasting } from './outlasting.ts';

interface LeaseOptions {
  /** Its row is in the table of workers while it lives: without one, others may take its sessions. */
  readonly workerId: string;
  /** Resolves while the other workers can see this one; its signal is aborted when they may not. */
  readonly life: () => Promise<AbortSignal>;
}

/** The leases of one worker, which has a session that a run was begun for (`beginRun`) already. */
export function createLeaseStore(
  database: Statements,
  listener: Pick<Listener, 'watch'>,
  { workerId, life }: LeaseOptions,
): LeaseStore {
  const { run } = outlasting(database);
  /** Of this process. */
  const held = new Map<string, AbortController>();

  /** undefined: no worker has it. */
  const ownerOf = groupCalls(async (ids: readonly string[]) => {
    const rows = await run<{ readonly id: string; readonly worker: string }>(
      `select session_id as id, worker from turnwright.sessions
       where session_id = any($1) and worker is not null`,
      [ids],
    );
    const owners = new Map(rows.map(({ id, worker }) => [id, worker]));
    return ids.map((id) => owners.get(id));
  });

  /** false: the session had this worker before. */
  async function claim(sessionId: string, takeOver: boolean): Promise<boolean> {
    if ((await ownerOf(sessionId)) === workerId) return false;
    const [claimed] = await run(CLAIM, [sessionId, workerId, takeOver]);
    if (claimed === undefined) throw inUse(sessionId);
    return true;
  }

  return {
    async acquire(sessionId, { takeOver = false } = {}) {
      const alive = await life();
      const before = held.get(sessionId);
      if (before !== undefined && !takeOver) throw inUse(sessionId);
      const mine = new AbortController();
      setMaxListeners(0, mine.signal);
      // The worker outlives its leases: what listens to one of them is released with it.
      const lose = () => mine.abort(alive.reason);
      alive.addEventListener('abort', lose, { once: true });
      if (alive.aborted) lose();
      held.set(sessionId, mine);
      let claimed: boolean;
      try {
        claimed = await claim(sessionId, takeOver);
      } catch (error) {
        alive.removeEventListener('abort', lose);
        if (held.get(sessionId) === mine) held.delete(sessionId);
        throw error;
      }
      before?.abort('lease_lost');
      const stop = listener.watch('lease', sessionId, (heard) => {
        // Without a session, notifications may have been missed; the fence holds anyway.
        if (heard === undefined) return;
        ownerOf(sessionId).then(
          (owner) => owner !== workerId && mine.abort('lease_lost'),
          () => undefined,
        );
      });
      return {
        signal: mine.signal,
        async release() {
          stop();
          alive.removeEventListener('abort', lose);
          if (held.get(sessionId) !== mine) return;
          held.delete(sessionId);
          if (claimed) await run(RELEASE, [sessionId, workerId]);
        },
      };
    },
  };
}

const inUse = (sessionId: string): TurnwrightError =>
  new TurnwrightError('session_in_use', `Another worker has session ${sessionId}.`);

/** A row when the session has no worker that lives, or is taken from it; the former one is notified. */
const CLAIM = `
  with claimed as (
    insert into turnwright.sessions (session_id, worker) values ($1, $2)
    on conflict (session_id) do update set worker = excluded.worker
      where $3 or sessions.worker is null
        or not exists (select from turnwright.workers w where w.worker_id = sessions.worker)
    returning 1
  )
  select pg_notify('turnwright', 'lease ' || $1) from claimed`;

/** A run gives its session back itself, together with what became of it. */
const RELEASE = `
  update turnwright.sessions set worker = null
  where session_id = $1 and worker = $2 and state not in ('queued', 'running')`;
