/** Messages of a stream that the journal does not hold, as rows. */

/** A message at its place in the order of its session: behind record `afterSeq`. */
export interface StreamRow {
  readonly afterSeq: number;
  readonly n: number;
  /** JSON. */
  readonly message: string;
}

/** What is written together with an append: visible before its records, or with them. */
export interface StreamRows {
  /** Kept like the journal. */
  readonly messages: readonly StreamRow[];
  /** Kept until their block is recorded. */
  readonly frames: readonly StreamRow[];
}

/** Values for both kinds of `rowsInto`: messages, then frames. */
export const streamValues = ({ messages, frames }: StreamRows): readonly unknown[] => [
  ...columns(messages),
  ...columns(frames),
];

const columns = (rows: readonly StreamRow[]): readonly unknown[] => [
  rows.map(({ afterSeq }) => afterSeq),
  rows.map(({ n }) => n),
  rows.map(({ message }) => message),
];

/**
 * Part of a statement: `$1` is the session, `$2` the epoch, the three columns begin at `$first`, and there is
 * a query `fence`, with a row where that epoch owns the session.
 */
export const rowsInto = (table: 'messages' | 'frames', first: number): string => `
  insert into turnwright.${table} (session_id, after_seq, n, epoch, message)
  select $1, after_seq, n, $2, message
  from fence, unnest($${first}::int[], $${first + 1}::bigint[], $${first + 2}::text[]) as row (after_seq, n, message)
  on conflict do nothing`;
