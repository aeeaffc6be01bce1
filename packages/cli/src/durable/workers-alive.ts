/** Whether anything runs the sessions of a database. */
import { openDatabase, overviewOf, type SeenWorker } from '@turnwright/durable';

/** A worker whose heartbeat is older than this hangs, or has gone without a word. */
const SILENT_MS = 10_000;

export function isAlive({ heartbeatAgeMs }: SeenWorker): boolean {
  return heartbeatAgeMs < SILENT_MS;
}

/** What becomes of a prompt that is stored. */
export async function whoRunsIt(url: string): Promise<string> {
  const database = await openDatabase({ url });
  try {
    const { workers } = await overviewOf(database.run);
    return workers.some((worker) => isAlive(worker) && !worker.draining)
      ? 'the next free worker runs it'
      : 'no worker runs, so it waits. Start one: npx turnwright worker ./agent.js';
  } finally {
    await database.close();
  }
}
