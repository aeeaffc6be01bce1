/** The journals of sessions in a database, for the inspector: only read, whichever worker writes them. */
import type { InspectionSource } from '@turnwright/engine';
import { createJournalStore } from '../postgres/journal-rows.ts';
import { absentSession } from '../postgres/retention/removed.ts';
import { openTables } from '../postgres/tables/migrations.ts';
import { listSessionStatuses, sessionStatus } from '../session-status.ts';

export interface InspectionSources {
  /** Rejects with `session_not_found`. */
  open(sessionId: string): Promise<InspectionSource>;
  /** Those that changed last first; `lastModified` in ms since 1970. */
  list(
    limit: number,
  ): Promise<
    readonly { readonly sessionId: string; readonly summary: string; readonly lastModified: number }[]
  >;
  close(): Promise<void>;
}

/**
 * For `openInspection()`. Rejects like `durableClient()`'s first call.
 *
 * @example
 * ```ts
 * import * as turnwright from 'turnwright';
 * import { openInspectionSources } from 'turnwright/durable';
 *
 * const sources = await openInspectionSources('postgresql:///turnwright?host=/var/run/postgresql');
 * const inspection = await turnwright.openInspection('s1', { source: await sources.open('s1') });
 * console.log(inspection.data().sentence);
 * await sources.close();
 * ```
 */
export async function openInspectionSources(url: string): Promise<InspectionSources> {
  const database = await openTables({ url, connections: 2 });
  const store = await createJournalStore(database, { cwd: '' });
  const status = (id: string) => sessionStatus(database.run, id);
  return {
    async open(sessionId) {
      if ((await status(sessionId)) === undefined) throw await absentSession(database.run, sessionId);
      return {
        sessionId,
        async journals(agentIds) {
          const names = agentIds.map((id) => [id, `agent-${id}`] as const);
          const heads = await Promise.all(
            names.map(async ([id, name]) => ({ id, name, head: await headOf(name) })),
          );
          const agents = heads.filter(({ head }) => head !== undefined);
          return [journal(sessionId, undefined), ...agents.map(({ id, name }) => journal(name, { id }))];
        },
        async isRunning() {
          return (await status(sessionId))?.state === 'running';
        },
      };
    },
    async list(limit) {
      const found = await listSessionStatuses(database.run, { limit: 2 * limit });
      return found
        .filter(({ sessionId }) => !sessionId.startsWith('agent-'))
        .slice(0, limit)
        .map(({ sessionId, title, updatedAt, state }) => ({
          sessionId,
          summary: title ?? state,
          lastModified: updatedAt,
        }));
    },
    close: () => database.close(),
  };

  function journal(name: string, agent: { readonly id: string } | undefined) {
    return {
      agent,
      stamp: async () => String(await headOf(name)),
      read: (fromSeq: number) => store.read(name, fromSeq),
    };
  }

  async function headOf(name: string): Promise<number | undefined> {
    return (await status(name))?.head;
  }
}
