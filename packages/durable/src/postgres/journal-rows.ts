/** The journal of sessions in Postgres. An append is fenced by the row of its session. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '@turnwright/base/clock.ts';
import { journalFormat as loadFormat } from '@turnwright/engine';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Appended, Clock, Frame, JournalStore, TakenOver } from '@turnwright/engine/protocol/ports.ts';
import type { JournalBody } from '@turnwright/engine/protocol/session/journal.ts';
import { type AppendQueue, createAppendQueue } from './append-queue.ts';
import type { Statements } from './database.ts';
import { groupCalls, perDatabase } from './group-calls.ts';
import { outlasting } from './outlasting.ts';
import { createSnapshots } from './snapshots.ts';

/** Who writes to a session. A database that was restored may give the same epoch out to two owners. */
export interface Ownership {
  readonly epoch: number;
  readonly owner: string;
}

interface JournalOptions {
  /** Working directory of sessions that have none in their row. */
  readonly cwd: string;
  readonly clock?: Pick<Clock, 'nowMs'> | undefined;
  /**
   * Only this worker's sessions are taken over: one that another worker has is refused with `session_in_use`.
   * @default those of any worker
   */
  readonly ownedBy?: string | undefined;
  /**
   * Written into the row of each session that this store takes over. What has another owner is fenced, also
   * with the same epoch.
   * @default a new one for each store
   */
  readonly owner?: string | undefined;
  /** Called with the epoch of each takeover, also of one whose records cannot be read then. */
  readonly onTakenOver?: ((epoch: number) => void) | undefined;
  /** Called for each append; what it returns is written in the same transaction, once. */
  readonly alongside?: ((sessionId: string) => readonly Frame[]) | undefined;
  /**
   * Shared by the stores of a process, so that appends of several sessions are one statement.
   * @default one of its own
   */
  readonly appends?: AppendQueue | undefined;
  /**
   * How long an append waits for a server that is away.
   * @default 60,000 ms
   */
  readonly outageMs?: number | undefined;
}

interface OpenJournal {
  readonly epoch: number;
  readonly lines: ReturnType<Awaited<ReturnType<typeof loadFormat>>['linesOf']>;
  /** The last append: the next one follows it. Never rejects. */
  writing: Promise<unknown>;
}

type AppendRequest = Omit<Parameters<AppendQueue['append']>[0], 'owner' | 'frames'>;

/** Records that a run does not write again and again when it kills its worker each time. */
const PROGRESS = new Set(['assistant', 'user', 'response', 'result', 'ask', 'answer', 'parked', 'inbox']);

/** Rows that are read at once. */
const PAGE_ROWS = 500;

/**
 * Appends wait for a server that is away and are then repeated, which has no effect on what was written
 * before.
 */
export async function createJournalStore(
  database: Statements,
  {
    cwd,
    clock = systemClock,
    ownedBy,
    owner = randomUUID(),
    onTakenOver,
    alongside,
    outageMs,
    appends,
  }: JournalOptions,
): Promise<JournalStore> {
  const format = await loadFormat();
  const { run } = outlasting(database, { outageMs });
  const queue = appends ?? createAppendQueue(database, { outageMs });
  const snapshots = createSnapshots(database, format);
  const open = new Map<string, OpenJournal>();

  async function append(request: AppendRequest): Promise<Appended> {
    const { sessionId, afterSeq, ids } = request;
    const frames = alongside?.(sessionId) ?? [];
    if (!(await queue.append({ ...request, owner, frames }))) return explainUnwritten(run, owner, request);
    const seq = afterSeq + ids.length;
    snapshots.grown(sessionId, seq);
    return { seq };
  }

  return {
    async takeOver(sessionId, { toResume = false } = {}): Promise<TakenOver> {
      // Refuses what is not a session id before anything is written.
      format.linesOf({ sessionId, cwd });
      const row = await takingOver(database)({ sessionId, cwd, ownedBy, owner });
      if (row === undefined)
        throw new TurnwrightError('session_in_use', `Another worker has session ${sessionId}.`);
      const { epoch, head } = row;
      onTakenOver?.(epoch);
      const lines = format.linesOf({ sessionId, cwd: row.cwd ?? cwd });
      await open.get(sessionId)?.writing;
      open.set(sessionId, { epoch, lines, writing: Promise.resolve() });
      const earlier = toResume && head > 0 ? await snapshots.toResume(sessionId, head) : undefined;
      return earlier === undefined ? { epoch, head } : { epoch, head, toResume: earlier };
    },

    append(sessionId, epoch, afterSeq, entries) {
      const journal = open.get(sessionId);
      if (journal === undefined)
        throw new TurnwrightError(
          'storage_error',
          `Session ${sessionId} is not open for writing; take it over first.`,
        );
      if (epoch !== journal.epoch) return FENCED;
      if (entries.length === 0) return { seq: afterSeq };
      const nowMs = clock.nowMs();
      // Encoded now: later changes of the caller's objects are not recorded.
      const lines = entries.map((body: JournalBody, at) =>
        journal.lines.encode(body, { seq: afterSeq + 1 + at, epoch, nowMs }),
      );
      const ids = entries.map(format.idOf);
      const isProgress = entries.some(({ type }) => PROGRESS.has(type));
      const appended = journal.writing.then(() =>
        append({ sessionId, epoch, afterSeq, isProgress, ids, lines }),
      );
      journal.writing = appended.catch(() => undefined);
      return appended;
    },

    async *read(sessionId, fromSeq = 1) {
      for (let from = fromSeq; ; ) {
        const rows = await pageFrom(database)({ sessionId, from });
        for (const { body } of rows) yield format.decode(body);
        if (rows.length < PAGE_ROWS) return;
        from = (rows.at(-1)?.seq ?? from) + 1;
      }
    },

    async exists(sessionId) {
      const rows = await run('select 1 from turnwright.sessions where session_id = $1', [sessionId]);
      return rows.length > 0;
    },

    async close(sessionId) {
      const journal = open.get(sessionId);
      open.delete(sessionId);
      await journal?.writing;
      if (journal !== undefined) await snapshots.close(sessionId);
    },
  };
}

/** Fenced, or written before; throws `storage_error` where the append would leave a gap. */
async function explainUnwritten(
  run: Statements['run'],
  owner: string,
  { sessionId, epoch, afterSeq, ids }: AppendRequest,
): Promise<Appended> {
  const seq = afterSeq + ids.length;
  const [row] = await run<{ readonly isMine: boolean; readonly head: number }>(
    `select epoch = $2 and owner = $3 as "isMine", head from turnwright.sessions where session_id = $1`,
    [sessionId, epoch, owner],
  );
  if (row?.isMine !== true) return FENCED;
  const recorded = await run<{ readonly entry_id: string }>(
    `select entry_id from turnwright.journal where session_id = $1 and seq > $2 and seq <= $3 order by seq`,
    [sessionId, afterSeq, seq],
  );
  const isRepeated = recorded.length === ids.length && recorded.every((r, at) => r.entry_id === ids[at]);
  if (isRepeated) return { seq };
  throw new TurnwrightError(
    'storage_error',
    `An append was to follow record ${afterSeq}, but the last record of the journal is ${row.head}.`,
  );
}

interface Page {
  readonly sessionId: string;
  readonly from: number;
}

interface PageRow {
  readonly at: number;
  readonly seq: number;
  readonly body: string;
}

const pageFrom = perDatabase((database) => {
  const { run } = outlasting(database);
  return groupCalls(
    async (asked: readonly Page[]): Promise<readonly (readonly PageRow[])[]> => {
      const rows = await run<PageRow>(PAGES_FROM, [
        asked.map(({ sessionId }) => sessionId),
        asked.map(({ from }) => from),
      ]);
      const pages = asked.map((): PageRow[] => []);
      for (const row of rows) pages[row.at - 1]?.push(row);
      return pages;
    },
    { most: 20 },
  );
});

const PAGES_FROM = `
  select g.at::int, j.seq, j.body
  from unnest($1::text[], $2::int[]) with ordinality as g (session_id, first, at)
    cross join lateral (select seq, body from turnwright.journal
      where session_id = g.session_id and seq >= g.first order by seq limit ${PAGE_ROWS}) j
  order by g.at, j.seq`;

const FENCED: Appended = Object.freeze({ fenced: true });

interface Taking {
  readonly sessionId: string;
  readonly cwd: string;
  readonly ownedBy: string | undefined;
  readonly owner: string;
}

interface TakenRow {
  readonly session_id: string;
  readonly epoch: number;
  readonly head: number;
  readonly cwd: string | null;
}

const takingOver = perDatabase((database) => {
  const { run } = outlasting(database);
  const takeOver = async (taking: readonly Taking[]): Promise<readonly (TakenRow | undefined)[]> => {
    const rows = await run<TakenRow>(TAKE_OVER, [
      taking.map(({ sessionId }) => sessionId),
      taking.map(({ cwd }) => cwd),
      taking.map(({ ownedBy }) => ownedBy ?? null),
      taking.map(({ owner }) => owner),
    ]);
    const taken = new Map(rows.map((row) => [row.session_id, row]));
    return taking.map(({ sessionId }) => taken.get(sessionId));
  };
  return groupCalls(takeOver, { keyOf: ({ sessionId }) => sessionId });
});

/** In one order, so that two processes do not wait for each other. */
const TAKE_OVER = `
  insert into turnwright.sessions as s (session_id, cwd, worker, owner, epoch, barren_epochs)
  select session_id, cwd, worker, owner, 1, 1
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g (session_id, cwd, worker, owner) order by session_id
  on conflict (session_id) do update set
    epoch = s.epoch + 1, owner = excluded.owner, barren_epochs = s.barren_epochs + 1, updated_at = now()
    where excluded.worker is null or excluded.worker = s.worker
  returning session_id, epoch, head, cwd`;
