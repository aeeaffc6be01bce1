/** Appends of all sessions of a process: those that wait at the same time are one statement. */
import type { Frame } from '@turnwright/engine/protocol/ports.ts';
import type { RunStatement, Statements } from './database.ts';
import { groupCalls } from './group-calls.ts';
import { outlasting } from './outlasting.ts';
import { rowsInto, streamValues } from './stream-rows.ts';

interface Append {
  readonly sessionId: string;
  readonly epoch: number;
  /** Of the takeover that gave the epoch out. */
  readonly owner: string;
  readonly afterSeq: number;
  /** A record that a later run does not write again: the session gets on. */
  readonly isProgress: boolean;
  readonly ids: readonly string[];
  /** Without newlines. */
  readonly lines: readonly string[];
  /** Visible before the records, or with them. */
  readonly frames: readonly Frame[];
}

export interface AppendQueue {
  /** false: nothing was written, because the session's row has another owner or head. */
  append(append: Append): Promise<boolean>;
}

const BATCH_APPENDS = 100;
const BATCH_CHARS = 4 * 1024 * 1024;

/** Waits for a server that is away, and repeats. */
export function createAppendQueue(
  database: Statements,
  options: { readonly outageMs?: number | undefined } = {},
): AppendQueue {
  const { run } = outlasting(database, options);
  const write = async (batch: readonly Append[]) => {
    const written = new Set((await append(run, batch)).map(({ session_id }) => session_id));
    return batch.map(({ sessionId }) => written.has(sessionId));
  };
  const sizeOf = ({ lines }: Append) => lines.reduce((chars, line) => chars + line.length, 0);
  const keyOf = ({ sessionId }: Append) => sessionId;
  return { append: groupCalls(write, { most: BATCH_APPENDS, keyOf, sizeOf, mostSize: BATCH_CHARS }) };
}

function append(run: RunStatement, batch: readonly Append[]) {
  // In one order, so that two processes do not wait for each other.
  const appends = batch.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  const lines = appends.flatMap((one) => one.lines);
  const values = [
    appends.map(({ sessionId }) => sessionId),
    appends.map(({ epoch }) => epoch),
    appends.map(({ afterSeq }) => afterSeq),
    appends.map(({ ids }) => ids.length),
    appends.map(({ isProgress }) => isProgress),
    appends.flatMap(({ lines: own }, at) => own.map(() => at + 1)),
    appends.flatMap(({ ids, afterSeq }) => ids.map((_, at) => afterSeq + 1 + at)),
    appends.flatMap(({ ids }) => ids),
    // One text is cheaper for both sides than a list of texts, whose quotes would be escaped.
    lines.join('\n'),
    appends.map(({ owner }) => owner),
  ];
  const hasFrames = appends.some(({ frames }) => frames.length > 0);
  const stream = hasFrames ? streamValues(appends.map(({ frames }) => frames)) : [];
  return run<{ readonly session_id: string }>(hasFrames ? APPEND_WITH_STREAM : APPEND, [
    ...values,
    ...stream,
  ]);
}

/**
 * The update locks the rows and does not match where another takeover owns the session: of it
 * nothing is inserted. Followers are woken where there are some.
 */
const FENCE_AND_INSERT = `
  with given as (
    select * from unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::boolean[], $10::text[])
      with ordinality as given (session_id, epoch, after_seq, count, is_progress, owner, at)
  ), fence as (
    update turnwright.sessions s
    set head = g.after_seq + g.count, updated_at = now(),
      barren_epochs = case when g.is_progress then 0 else s.barren_epochs end
    from given g
    where s.session_id = g.session_id and s.epoch = g.epoch and s.owner = g.owner
      and s.head = g.after_seq
    returning s.session_id, s.epoch, g.at
  ), records as (
    insert into turnwright.journal (session_id, seq, epoch, entry_id, body)
    select f.session_id, e.seq, f.epoch, e.entry_id, e.body
    from unnest($6::int[], $7::int[], $8::text[], string_to_array($9, E'\\n')) as e (at, seq, entry_id, body)
      join fence f using (at)
  )`;

const WAKE_FOLLOWERS = `
  select session_id, (
    select pg_notify('turnwright', 'journal ' || f.session_id)
    from turnwright.followers f where f.session_id = fence.session_id and f.until > now()
  ) from fence`;

const APPEND = FENCE_AND_INSERT + WAKE_FOLLOWERS;

const APPEND_WITH_STREAM = `${FENCE_AND_INSERT},
  messages as (${rowsInto('messages', 11)}),
  frames as (${rowsInto('frames', 15)})
  ${WAKE_FOLLOWERS}`;
