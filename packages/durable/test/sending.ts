/** Prompts for sessions, and what became of them. */
import type { Dispatch } from '../src/dispatch.ts';
import type { Database } from '../src/index.ts';

/** One prompt for each session, which is created. */
export async function sendAll(
  database: Database,
  dispatch: Dispatch,
  sessionIds: readonly string[],
  text = 'Go.',
): Promise<void> {
  for (const sessionId of sessionIds) {
    await database.transaction(async (run) => {
      const item = { key: `${sessionId}-1`, priority: 'next', content: text, uuid: crypto.randomUUID() };
      await run(
        `insert into turnwright.sessions (session_id, state, run) values ($1, 'queued', 1)
         on conflict (session_id) do update set state = 'queued', run = sessions.run + 1`,
        [sessionId],
      );
      await run('insert into turnwright.inbox (session_id, n, key, item) values ($1, 1, $2, $3)', [
        sessionId,
        item.key,
        JSON.stringify(item),
      ]);
      await dispatch.enqueue(run, { sessionId, run: 1, host: null });
    });
  }
}
