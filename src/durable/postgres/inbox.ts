/** Queued prompts of sessions, in Postgres. */
import type { Inbox, InboxItem } from '../../protocol/ports.ts';
import type { RunStatement, Statements } from './database.ts';
import type { Listener } from './listen.ts';
import { outlasting } from './outlasting.ts';

/** `listener`: it wakes sessions whose inbox another process has put something into. */
export function createInbox(database: Statements, listener: Pick<Listener, 'wakes'>): Inbox {
  const { run } = outlasting(database);
  return {
    put: (sessionId, item) => putItem(run, sessionId, item),

    async after(sessionId, n) {
      const rows = await run<{ readonly n: number; readonly item: string }>(
        'select n, item from turnwright.inbox where session_id = $1 and n > $2 order by n',
        [sessionId, n],
      );
      return rows.map((row) => ({ ...(JSON.parse(row.item) as Omit<InboxItem, 'n'>), n: row.n }));
    },

    wake: (sessionId, signal) => listener.wakes('inbox', sessionId, signal),
  };
}

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
