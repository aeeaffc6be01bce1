/** Everything that a database needs before a worker or a client uses it. */
import { migrateDispatch } from './dbos.ts';
import { openDatabase } from './postgres/database.ts';
import { type Migrated, migrate } from './postgres/migrations.ts';

/**
 * Makes the tables of Turnwright and those of DBOS, or brings them to the version of this package. Any number
 * of processes may call it at the same time.
 */
export async function prepareDatabase(url: string): Promise<Migrated> {
  const database = await openDatabase({ url, connections: 1 });
  try {
    const migrated = await migrate(database);
    await migrateDispatch(database.url);
    return migrated;
  } finally {
    await database.close();
  }
}
