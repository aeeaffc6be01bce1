/** What a resume needs of a long journal, in one row: only the records after it are then read. */
import type { JournalFormat, RecordsToResume } from '../../index.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { RunStatement } from './database.ts';

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

export function createSnapshots(run: RunStatement, format: JournalFormat): Snapshots {
  /** `seq` of the last snapshot of sessions that are open here, and the one that is being written. */
  const kept = new Map<string, number>();
  const writing = new Map<string, Promise<void>>();

  async function recordsUpTo(sessionId: string, head: number): Promise<RecordsToResume> {
    const [found] = await run<{ readonly seq: number; readonly state: string }>(
      'select seq, state from turnwright.snapshots where session_id = $1 and seq <= $2',
      [sessionId, head],
    );
    const continued = found && format.recordsToResume(found.state);
    const records = continued ?? (format.recordsToResume() as RecordsToResume);
    for (let after = continued === undefined ? 0 : (found?.seq ?? 0); after < head; after += PAGE_ROWS) {
      const rows = await run<{ readonly body: string }>(
        'select body from turnwright.journal where session_id = $1 and seq > $2 and seq <= $3 order by seq',
        [sessionId, after, Math.min(head, after + PAGE_ROWS)],
      );
      for (const { body } of rows) records.add(body);
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
      if (writing.has(sessionId) || !isDue(head, kept.get(sessionId) ?? 0)) return;
      const written = write(sessionId)
        .catch(() => undefined)
        .finally(() => writing.delete(sessionId));
      writing.set(sessionId, written);
    },
    async close(sessionId) {
      await writing.get(sessionId);
      await write(sessionId).catch(() => undefined);
      kept.delete(sessionId);
    },
  };
}
