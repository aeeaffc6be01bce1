/** Whether a run of a fleet lost or repeated something. */
import type { Database } from '@turnwright/durable';
import { promptsAfter, withoutResult } from '../../packages/durable/src/postgres/results.ts';
import type { Fleet, LedgerLine } from './processes.ts';

/** What happened to the calls of each session, as the file says that no kill can take back. */
export function judge(lines: readonly LedgerLine[]) {
  const started = new Map<string, number>();
  const acknowledged = new Set<string>();
  const wrong = { rerun: [] as string[], doubled: [] as string[], lost: [] as string[] };
  const bySession = new Map<string, Set<string>>();
  for (const { sessionId, what, details } of lines) {
    const known = bySession.get(sessionId) ?? new Set<string>();
    bySession.set(sessionId, known);
    if (what === 'start') {
      const [id = ''] = details;
      if (acknowledged.has(id)) wrong.rerun.push(id);
      if (id.endsWith('.unsafe') && started.has(id)) wrong.doubled.push(id);
      started.set(id, (started.get(id) ?? 0) + 1);
      known.add(id);
    }
    if (what === 'asked') {
      const [called = [], answered = []] = details.slice(1).map((ids) => ids.split(','));
      for (const id of answered) acknowledged.add(id);
      for (const id of known) if (!called.includes(id)) wrong.lost.push(id);
    }
  }
  return { ...wrong, restarted: [...started.values()].filter((times) => times > 1).length };
}

/** Results that each session has. */
export async function resultsOf(fleet: Fleet): Promise<ReadonlyMap<string, number>> {
  const rows = await fleet.database.run<{ readonly session_id: string; readonly n: number }>(
    `select session_id, count(*)::int as n from turnwright.journal where body like '%"type":"result"%' group by 1`,
  );
  return new Map(rows.map(({ session_id, n }) => [session_id, n]));
}

/** Records that an earlier owner wrote after a later one had begun to. */
export async function lateAppends(fleet: Fleet): Promise<number> {
  const [row] = await fleet.database.run<{ readonly n: number }>(
    `select count(*)::int as n from turnwright.journal later join turnwright.journal earlier
     on earlier.session_id = later.session_id and earlier.seq = later.seq - 1 and earlier.epoch > later.epoch`,
  );
  return row?.n ?? 0;
}

/** Sessions that are idle although a prompt has no result, as the journal says. */
export async function forgotten({ run }: Pick<Database, 'run'>): Promise<readonly string[]> {
  const idle = await run<{ readonly session_id: string }>(
    `select session_id from turnwright.sessions where state = 'idle'`,
  );
  const found: string[] = [];
  for (const { session_id: id } of idle)
    if ((await withoutResult(run, id, await promptsAfter(run, id, 0))).length > 0) found.push(id);
  return found;
}
