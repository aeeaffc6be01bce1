/** Everything that a database needs before a worker or a client uses it. */
import { dbosRunner } from './dbos.ts';
import type { Runner } from './dispatch.ts';
import { openDatabase } from './postgres/database.ts';
import { type Migrated, migrate, pendingSteps } from './postgres/tables/migrations.ts';

interface RunnerOption {
  readonly runner?: Runner | undefined;
}

/**
 * Makes the tables of Turnwright and those of its runner (default: DBOS), or brings them to the version of
 * this package. Tables of a newer version that serve this package too stay as they are. Any number of
 * processes may call it at the same time. Rejects with `storage_error` for tables that do not serve it.
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
  { runner = dbosRunner }: RunnerOption = {},
): Promise<Migrated> {
  // A step may take long: an index of a large table.
  const database = await openDatabase({ url, connections: 1, answerMs: 0 });
  try {
    return await migrate(database, () => runner.prepare(database.url));
  } finally {
    await database.close();
  }
}

/**
 * Names of the steps that `prepareDatabase` would apply, without applying any. Rejects where it would.
 *
 * @example
 * ```ts
 * import { pendingMigrations } from 'turnwright/durable';
 *
 * const steps = await pendingMigrations('postgresql:///turnwright?host=/var/run/postgresql');
 * if (steps.length > 0) throw new Error(`Not migrated yet: ${steps.join(', ')}`);
 * ```
 */
export async function pendingMigrations(
  url: string,
  { runner = dbosRunner }: RunnerOption = {},
): Promise<readonly string[]> {
  const database = await openDatabase({ url, connections: 1 });
  try {
    const { steps } = await pendingSteps(database.run);
    const isPrepared = (await runner.isPrepared?.(database)) ?? true;
    return isPrepared ? steps : [...steps, RUNNER_STEP];
  } finally {
    await database.close();
  }
}

const RUNNER_STEP = 'tables of the runner';
