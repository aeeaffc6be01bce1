/** Everything that a database needs before a worker or a client uses it. */
import { dbosRunner } from './dbos.ts';
import type { Runner } from './dispatch.ts';
import { openDatabase } from './postgres/database.ts';
import { type Migrated, migrate } from './postgres/migrations.ts';

/**
 * Makes the tables of Turnwright and those of its runner (default: DBOS), or brings them to the version of
 * this package. Any number of processes may call it at the same time.
 *
 * @example
 * ```ts
 * import { prepareDatabase } from 'turnwright/durable';
 *
 * await prepareDatabase('postgresql:///turnwright?host=/var/run/postgresql');
 * ```
 */
export async function prepareDatabase(
  url: string,
  { runner = dbosRunner }: { readonly runner?: Runner | undefined } = {},
): Promise<Migrated> {
  const database = await openDatabase({ url, connections: 1 });
  try {
    const migrated = await migrate(database);
    await runner.prepare(database.url);
    return migrated;
  } finally {
    await database.close();
  }
}
