/** Queued prompts of sessions, and interrupts, in Postgres. */
import type { Inbox, InboxItem } from '@turnwright/engine/protocol/ports.ts';
import type { RunStatement, Statements } from './database.ts';
import { groupCalls, perDatabase } from './group-calls.ts';
import type { Ownership } from './journal-rows.ts';
import type { Listener } from './listener.ts';
import { outlasting } from './outlasting.ts';

/** `listener`: it wakes sessions whose inbox another process has put something into. */
export function createInbox(database: Statements, listener: Pick<Listener, 'wakes'>): Inbox {
  const { run } = outlasting(database);
  return {
    put: (sessionId, item) => putItem(run, sessionId, item),

    after: (sessionId, n) => itemsAfter(database)({ sessionId, n }),

    wake: (sessionId, signal) => listener.wakes('inbox', sessionId, signal),
  };
}

interface Asked {
  readonly sessionId: string;
  readonly n: number;
}

const itemsAfter = perDatabase((database) => {
  const { run } = outlasting(database);
  return groupCalls(async (asked: readonly Asked[]): Promise<readonly (readonly InboxItem[])[]> => {
    const rows = await run<{ readonly at: number; readonly n: number; readonly item: string }>(ITEMS_AFTER, [
      asked.map(({ sessionId }) => sessionId),
      asked.map(({ n }) => n),
    ]);
    return asked.map((_, at) =>
      rows
        .filter((row) => row.at === at + 1)
        .map((row) => ({ ...(JSON.parse(row.item) as Omit<InboxItem, 'n'>), n: row.n })),
    );
  });
});

const ITEMS_AFTER = `
  select g.at::int, i.n, i.item
  from unnest($1::text[], $2::int[]) with ordinality as g (session_id, n, at)
    join turnwright.inbox i on i.session_id = g.session_id and i.n > g.n
  order by i.n`;

/** Puts an item, once under its key, and wakes the session. `run` may be that of a transaction. */
export async function putItem(
  run: RunStatement,
  sessionId: string,
  item: Omit<InboxItem, 'n'>,
): Promise<{ readonly n: number; readonly fresh: boolean }> {
  for (;;) {
    const [added] = await run<{ readonly n: number }>(ADD, [sessionId, item.key, JSON.stringify(item)]);
    if (added !== undefined) return { n: added.n, fresh: true };
    const [known] = await run<{ readonly n: number }>(
      'select n from turnwright.inbox where session_id = $1 and key = $2',
      [sessionId, item.key],
    );
    if (known !== undefined) return { n: known.n, fresh: false };
    // Another process took the number: the next one is free.
  }
}

const ADD = `
  with added as (
    insert into turnwright.inbox (session_id, n, key, item)
    select $1, coalesce(max(n), 0) + 1, $2, $3 from turnwright.inbox where session_id = $1
    on conflict do nothing
    returning n
  )
  select n, pg_notify('turnwright', 'inbox ' || $1) from added`;

/** Keys of the interrupts that no run has taken. */
export const openInterrupts = (database: Statements, sessionId: string): Promise<readonly string[]> =>
  interrupts(database)(sessionId);

/** They are not given to another run; nothing is noted where another owner has the session. */
export async function takeInterrupts(
  { run }: Pick<Statements, 'run'>,
  sessionId: string,
  keys: readonly string[],
  own: Ownership | undefined,
): Promise<void> {
  await run(
    `update turnwright.interrupts i set taken_epoch = s.epoch from turnwright.sessions s
     where i.session_id = $1 and s.session_id = $1 and key = any($2) and s.epoch = $3 and s.owner = $4`,
    [sessionId, keys, own?.epoch ?? null, own?.owner ?? null],
  );
}

const interrupts = perDatabase(({ run }) =>
  groupCalls(async (sessionIds: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const rows = await run<{ readonly session_id: string; readonly key: string }>(
      'select session_id, key from turnwright.interrupts where session_id = any($1) and taken_epoch is null',
      [sessionIds],
    );
    return sessionIds.map((id) => rows.filter(({ session_id }) => session_id === id).map(({ key }) => key));
  }),
);
