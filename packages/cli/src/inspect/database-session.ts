/** A session out of Postgres, where workers run them. */

import type { InspectionSources } from '@turnwright/durable';
import type { InspectionSource } from '@turnwright/engine';
import { UsageError } from '../usage-error.ts';

/** The named session; else the one that changed last. */
export async function databaseSession(
  sources: InspectionSources,
  sessionId: string | undefined,
): Promise<InspectionSource> {
  const [newest] = sessionId === undefined ? await sources.list(1) : [];
  const id = sessionId ?? newest?.sessionId;
  if (id === undefined) throw new UsageError('There are no sessions in this database.');
  return sources.open(id);
}

export async function withDatabaseSession<T>(
  url: string,
  sessionId: string | undefined,
  use: (sessionId: string, source: InspectionSource) => Promise<T>,
): Promise<T> {
  const { openInspectionSources } = await import('@turnwright/durable');
  const sources = await openInspectionSources(url);
  try {
    const source = await databaseSession(sources, sessionId);
    return await use(source.sessionId, source);
  } finally {
    await sources.close();
  }
}
