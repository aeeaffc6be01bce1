/** What a resume needs of a long journal, in one row: only the records after it are then read. */
import type { JournalFormat, RecordsToResume } from '../../index.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { RunStatement } from './database.ts';

/** Records after the last snapshot from which on a new one is worth its bytes. */
const SNAPSHOT_RECORDS = 2_000;
const PAGE_ROWS = 1_000;

interface Snapshots {
  /** undefined: the session was rewound, so all of its records are needed. */
  toResume(sessionId: string, head: number): Promise<readonly JournalEntry[] | undefined>;
  /** Writes one if the session has grown since the last. Best effort: a resume works without. */
  keep(sessionId: string): Promise<void>;
}

export function createSnapshots(run: RunStatement, format: JournalFormat): Snapshots {
  async function recordsUpTo(sessionId: string, head: number): Promise<RecordsToResume> {
    const [kept] = await run<{ readonly seq: number; readonly state: string }>(
      'select seq, state from turnwright.snapshots where session_id = $1 and seq <= $2',
      [sessionId, head],
    );
    const continued = kept && format.recordsToResume(kept.state);
    const records = continued ?? (format.recordsToResume() as RecordsToResume);
    for (let after = continued === undefined ? 0 : (kept?.seq ?? 0); after < head; after += PAGE_ROWS) {
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
    if (row === undefined || row.head - row.kept < SNAPSHOT_RECORDS) return;
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
    keep: (sessionId) => write(sessionId).catch(() => undefined),
  };
}
