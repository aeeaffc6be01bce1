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

/** Values for both kinds of `rowsInto`: messages, then frames; those of the first session, the second … */
export const streamValues = (sessions: readonly StreamRows[]): readonly unknown[] => [
  ...columns(sessions, 'messages'),
  ...columns(sessions, 'frames'),
];

function columns(sessions: readonly StreamRows[], kind: keyof StreamRows): readonly unknown[] {
  const rows = sessions.flatMap((stream, at) => stream[kind].map((row) => ({ ...row, of: at + 1 })));
  return [
    rows.map(({ of }) => of),
    rows.map(({ afterSeq }) => afterSeq),
    rows.map(({ n }) => n),
    rows.map(({ message }) => message),
  ];
}

/**
 * Part of a statement: the four columns begin at `$first`, and there is a query `fence`, with `session_id`,
 * `epoch` and the number `at` of each session that this epoch owns.
 */
export const rowsInto = (table: 'messages' | 'frames', first: number): string => `
  insert into turnwright.${table} (session_id, after_seq, n, epoch, message)
  select fence.session_id, r.after_seq, r.n, fence.epoch, r.message
  from unnest($${first}::int[], $${first + 1}::int[], $${first + 2}::bigint[], $${first + 3}::text[])
      as r (of, after_seq, n, message)
    join fence on fence.at = r.of
  on conflict do nothing`;
