/** Frames as rows: those that are kept in one table, the others in a table that is not logged. */
import type { Frame } from '@turnwright/engine/protocol/ports.ts';

/** Values for both kinds of `rowsInto`: messages, then frames; those of the first session, the second … */
export const streamValues = (sessions: readonly (readonly Frame[])[]): readonly unknown[] => [
  ...columns(sessions, true),
  ...columns(sessions, false),
];

function columns(sessions: readonly (readonly Frame[])[], kept: boolean): readonly unknown[] {
  const rows = sessions.flatMap((frames, of) =>
    frames.flatMap(({ at, data, isKept }) => (isKept === kept ? [{ of: of + 1, ...at, data }] : [])),
  );
  return [
    rows.map(({ of }) => of),
    rows.map(({ seq }) => seq),
    rows.map(({ n }) => n),
    rows.map(({ data }) => JSON.stringify(data)),
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
