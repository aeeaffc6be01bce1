/**
 * Removes what a long session does not need any more: records before a compaction, and what belongs to them.
 * The numbers of the journal stay, and so do prompts by their keys.
 */
import { type JournalFormat, journalFormat as loadFormat } from '@turnwright/engine';
import type { InboxItem } from '@turnwright/engine/protocol/ports.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { createBlobStore } from '../blobs.ts';
import type { Database, RunStatement } from '../database.ts';

/** Rows that are read, or removed by one transaction. */
const ROWS = 2_000;
/** Prompts of so many characters lose their text. */
const LARGE_ITEM = 500;

type NeedlessRecords = NonNullable<ReturnType<JournalFormat['needless']>>;

interface Shortening {
  readonly sessionId: string;
  /** What is older than so long is not needed. */
  readonly olderThanMs: number;
}

interface Standing {
  readonly epoch: number;
  readonly head: number;
  readonly isIdle: boolean;
  readonly nowMs: number;
}

/**
 * How many records were removed. A session that works is left alone, as is one of which something needed
 * would be missing. It may be ended anywhere: the next call goes on.
 */
export async function shortenSession(
  database: Database,
  { sessionId, olderThanMs }: Shortening,
): Promise<number> {
  const { run } = database;
  const standing = await readStanding(run, sessionId);
  if (standing === undefined) return 0;
  const { needless } = await loadFormat();
  const olderThan = standing.nowMs - olderThanMs;
  const found = needless(await readEntries(run, sessionId), olderThan);
  if (found !== undefined && !(await removeRecords(database, sessionId, standing, found))) return 0;
  if (standing.isIdle) await removeAnswered(run, sessionId, olderThanMs);
  if (found === undefined) return 0;
  await removeInPart(run, 'messages', 'session_id = $1 and after_seq < $2', [sessionId, found.before]);
  await whileAsBefore(database, sessionId, standing, (locked) => removeResults(locked, sessionId));
  return found.seqs.length - 1;
}

/** undefined: it works, or a prompt of it has no result. */
async function readStanding(run: RunStatement, sessionId: string): Promise<Standing | undefined> {
  const [row] = await run<Standing>(
    `select epoch, head, state = 'idle' as "isIdle", extract(epoch from now())::float8 * 1000 as "nowMs"
     from turnwright.sessions where session_id = $1 and state in ('idle', 'parked')
       and (state = 'parked' or asked is null or asked <= answered)`,
    [sessionId],
  );
  return row;
}

async function readEntries(run: RunStatement, sessionId: string): Promise<readonly JournalEntry[]> {
  const format = await loadFormat();
  const entries: JournalEntry[] = [];
  for (let more = true; more; ) {
    const rows = await run<{ readonly body: string }>(
      `select body from turnwright.journal where session_id = $1 and seq > $2 order by seq limit ${ROWS}`,
      [sessionId, entries.at(-1)?.seq ?? 0],
    );
    for (const { body } of rows) entries.push(format.decode(body));
    more = rows.length === ROWS;
  }
  return entries;
}

/** false: the session went on meanwhile. Until the end of `work` it does not. */
function whileAsBefore(
  database: Database,
  sessionId: string,
  { epoch, head }: Standing,
  work: (run: RunStatement) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (run) => {
    const [locked] = await run(
      `select 1 from turnwright.sessions
       where session_id = $1 and epoch = $2 and head = $3 and state in ('idle', 'parked') for update`,
      [sessionId, epoch, head],
    );
    if (locked !== undefined) await work(run);
    return locked !== undefined;
  });
}

/** false: the session went on meanwhile. */
async function removeRecords(
  database: Database,
  sessionId: string,
  standing: Standing,
  { before, seqs, instead, place }: NeedlessRecords,
): Promise<boolean> {
  const format = await loadFormat();
  const { seq, epoch: writtenBy, cwd, timestamp } = place;
  const line = format
    .linesOf({ sessionId, cwd })
    .encode(instead, { seq, epoch: writtenBy, nowMs: Date.parse(timestamp) });
  const others = seqs.filter((each) => each !== seq);
  for (let at = 0; at < others.length; at += ROWS) {
    const isAsBefore = await whileAsBefore(database, sessionId, standing, async (run) => {
      await run('update turnwright.journal set entry_id = $3, body = $4 where session_id = $1 and seq = $2', [
        sessionId,
        seq,
        format.idOf(instead),
        line,
      ]);
      await run('update turnwright.sessions set kept_from = $2 where session_id = $1', [sessionId, before]);
      await run('delete from turnwright.snapshots where session_id = $1', [sessionId]);
      await run('delete from turnwright.journal where session_id = $1 and seq = any($2::int[])', [
        sessionId,
        others.slice(at, at + ROWS),
      ]);
    });
    if (!isAsBefore) return false;
  }
  return true;
}

/** Questions with their answers, interrupts that were taken, and the texts of prompts that have results. */
async function removeAnswered(run: RunStatement, sessionId: string, olderThanMs: number): Promise<void> {
  const values = [sessionId, olderThanMs / 1_000];
  const isOld = (column: string) => `${column} < now() - make_interval(secs => $2)`;
  await removeInPart(
    run,
    'asks',
    `session_id = $1 and answer is not null and ${isOld('answered_at')}`,
    values,
  );
  await removeInPart(
    run,
    'interrupts',
    `session_id = $1 and taken_epoch is not null and ${isOld('at')}`,
    values,
  );
  for (let behind = 0; ; ) {
    const rows = await run<{ readonly n: number; readonly item: string }>(
      `select n, item from turnwright.inbox i where session_id = $1 and ${isOld('at')} and n > $3
         and n <= (select answered from turnwright.sessions s where s.session_id = $1)
         and length(item) > ${LARGE_ITEM} order by n limit 50`,
      [...values, behind],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    behind = last.n;
    for (const { n, item } of rows)
      await run('update turnwright.inbox set item = $3 where session_id = $1 and n = $2', [
        sessionId,
        n,
        JSON.stringify({ ...(JSON.parse(item) as InboxItem), content: '' }),
      ]);
  }
}

async function removeInPart(
  run: RunStatement,
  table: 'messages' | 'asks' | 'interrupts' | 'blobs',
  which: string,
  values: readonly unknown[],
): Promise<void> {
  for (let rows = ROWS; rows === ROWS; ) {
    const gone = await run(
      `delete from turnwright.${table} where ctid = any(array(
         select ctid from turnwright.${table} where ${which} limit ${ROWS})) returning 1`,
      values,
    );
    rows = gone.length;
  }
}

/** Files of large results that no record names. */
async function removeResults(run: RunStatement, sessionId: string): Promise<void> {
  const { keptResults } = await loadFormat();
  const blobs = createBlobStore({ run, transaction: (work) => work(run) }, sessionId);
  const index = await blobs.get(keptResults.index).catch(() => undefined);
  if (index === undefined) return;
  const isNamed = new Set<string>();
  for (const path of keptResults.paths(index)) {
    const [named] = await run(
      'select 1 from turnwright.journal where session_id = $1 and position($2 in body) > 0 limit 1',
      [sessionId, JSON.stringify(path).slice(1, -1)],
    );
    if (named !== undefined) isNamed.add(path);
  }
  const { kept, parts } = keptResults.without(index, (path) => !isNamed.has(path));
  if (parts.length === 0) return;
  await blobs.put(keptResults.index, kept);
  await removeInPart(run, 'blobs', 'session_id = $1 and key = any($2)', [sessionId, parts]);
}

/**
 * Sessions behind this id, in order, that may have something to remove: with many records, and a compaction
 * that is old enough among those that were not removed.
 */
export async function longSessions(
  run: RunStatement,
  { olderThanMs, behind }: { readonly olderThanMs: number; readonly behind: string },
): Promise<readonly string[]> {
  const rows = await run<{ readonly session_id: string }>(
    `select session_id from turnwright.sessions s
     where session_id > $2 and state in ('idle', 'parked') and head - coalesce(kept_from, 0) >= ${LONG}
       and created_at < now() - make_interval(secs => $1)
       and exists (select from turnwright.journal j where j.session_id = s.session_id
         and j.seq > coalesce(kept_from, 0) and j.at < now() - make_interval(secs => $1)
         and position('"type":"boundary"' in j.body) > 0)
     order by session_id limit 100`,
    [olderThanMs / 1_000, behind],
  );
  return rows.map(({ session_id }) => session_id);
}

/** Records since the last removal. */
const LONG = 50;
