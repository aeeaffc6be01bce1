/** What a resume needs of a long journal, in one row: only the records after it are then read. */
import type { JournalFormat, RecordsToResume } from '@turnwright/engine';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { Statements } from './database.ts';
import { groupCalls, perDatabase } from './group-calls.ts';
import { outlasting } from './outlasting.ts';

/** Records after the last snapshot from which on a new one is worth its bytes. */
const SNAPSHOT_RECORDS = 2_000;

/** Snapshots hold the conversation so far: the longer it is, the fewer are made. */
const isDue = (head: number, kept: number): boolean => head - kept >= Math.max(SNAPSHOT_RECORDS, kept / 2);
const PAGE_ROWS = 1_000;

interface Snapshots {
  /** undefined: the session was rewound, so all of its records are needed. */
  toResume(sessionId: string, head: number): Promise<readonly JournalEntry[] | undefined>;
  /**
   * Called as the session grows; now and then writes a snapshot, which is not waited for.
   * Best effort: a resume works without.
   */
  grown(sessionId: string, head: number): void;
  /** The session is closed: waits for its snapshot, and writes a last one if one is due. */
  close(sessionId: string): Promise<void>;
}

export function createSnapshots(database: Statements, format: JournalFormat): Snapshots {
  const { run, snapshotOf, page } = reads(database);
  /** Of open sessions: last record, `seq` of the last snapshot, and the one that is being written. */
  const heads = new Map<string, number>();
  const kept = new Map<string, number>();
  const writing = new Map<string, Promise<void>>();

  async function recordsUpTo(sessionId: string, head: number): Promise<RecordsToResume> {
    const found = await snapshotOf({ sessionId, head });
    const continued = found && format.recordsToResume(found.state);
    const records = continued ?? (format.recordsToResume() as RecordsToResume);
    for (let after = continued === undefined ? 0 : (found?.seq ?? 0); after < head; after += PAGE_ROWS) {
      for (const body of await page({ sessionId, after, upto: Math.min(head, after + PAGE_ROWS) }))
        records.add(body);
    }
    return records;
  }

  async function write(sessionId: string): Promise<void> {
    const [row] = await run<{ readonly head: number; readonly kept: number }>(
      `select head, coalesce((select seq from turnwright.snapshots where session_id = $1), 0) as kept
        from turnwright.sessions where session_id = $1`,
      [sessionId],
    );
    kept.set(sessionId, row?.kept ?? 0);
    if (row === undefined || !isDue(row.head, row.kept)) return;
    kept.set(sessionId, row.head);
    const entries = (await recordsUpTo(sessionId, row.head)).entries();
    if (entries === undefined) return;
    await run(
      `insert into turnwright.snapshots (session_id, seq, state) values ($1, $2, $3)
        on conflict (session_id) do update set seq = excluded.seq, state = excluded.state
        where snapshots.seq < excluded.seq`,
      [sessionId, row.head, format.snapshotOf(entries)],
    );
  }

  return {
    toResume: async (sessionId, head) => (await recordsUpTo(sessionId, head)).entries(),
    grown(sessionId, head) {
      heads.set(sessionId, head);
      if (writing.has(sessionId) || !isDue(head, kept.get(sessionId) ?? 0)) return;
      const written = write(sessionId)
        .catch(() => undefined)
        .finally(() => writing.delete(sessionId));
      writing.set(sessionId, written);
    },
    async close(sessionId) {
      await writing.get(sessionId);
      if (isDue(heads.get(sessionId) ?? 0, kept.get(sessionId) ?? 0))
        await write(sessionId).catch(() => undefined);
      heads.delete(sessionId);
      kept.delete(sessionId);
    },
  };
}

/** Sessions that are read by one statement. */
const GROUP = { most: 20 };

interface Snapshot {
  readonly seq: number;
  readonly state: string;
}

const reads = perDatabase((database) => {
  const { run } = outlasting(database);
  const snapshotOf = groupCalls(
    async (asked: readonly { readonly sessionId: string; readonly head: number }[]) => {
      const rows = await run<Snapshot & { readonly at: number }>(
        `select g.at::int, s.seq, s.state
       from unnest($1::text[], $2::int[]) with ordinality as g (session_id, head, at)
         join turnwright.snapshots s on s.session_id = g.session_id and s.seq <= g.head`,
        [asked.map(({ sessionId }) => sessionId), asked.map(({ head }) => head)],
      );
      const found = new Map(rows.map((row): [number, Snapshot] => [row.at, row]));
      return asked.map((_, at) => found.get(at + 1));
    },
    GROUP,
  );
  const page = groupCalls(async (asked: readonly Page[]) => {
    const rows = await run<{ readonly at: number; readonly body: string }>(
      `select g.at::int, j.body
       from unnest($1::text[], $2::int[], $3::int[]) with ordinality as g (session_id, after, upto, at)
         join turnwright.journal j on j.session_id = g.session_id and j.seq > g.after and j.seq <= g.upto
       order by g.at, j.seq`,
      [
        asked.map(({ sessionId }) => sessionId),
        asked.map(({ after }) => after),
        asked.map(({ upto }) => upto),
      ],
    );
    const bodies = asked.map((): string[] => []);
    for (const { at, body } of rows) bodies[at - 1]?.push(body);
    return bodies;
  }, GROUP);
  return { run, snapshotOf, page };
});

interface Page {
  readonly sessionId: string;
  readonly after: number;
  readonly upto: number;
}
