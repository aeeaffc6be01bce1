/** The tables in Postgres: they are brought to the version of this package, or refused. */

import { systemClock } from '@turnwright/base/clock.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import { type Database, type DatabaseOptions, openDatabase, type RunStatement } from '../database.ts';
import { MIGRATIONS, type Migration } from './migration-steps.ts';

/** What `migrate` found and did. */
export interface Migrated {
  /** Version of the tables before; 0: there were none. */
  readonly from: number;
  readonly to: number;
}

/** What the tables are. Version 0: there are none. */
interface Tables {
  readonly version: number;
  /** The oldest version of a package that they serve. */
  readonly serves: number;
}

/** What is still to be done to the tables. */
interface Pending extends Tables {
  /** Names of steps, in order. */
  readonly steps: readonly string[];
}

/**
 * Brings the tables to the version of this package. Tables of a newer version that serve this package stay as
 * they are. Any number of processes may call it at the same time. `further`: done behind it, by one process
 * at a time.
 */
export async function migrate(
  database: Database,
  further: () => Promise<void> = async () => undefined,
): Promise<Migrated> {
  const connection = await database.connect();
  try {
    await connection.run(`begin; set local idle_in_transaction_session_timeout = ${MOST_MS}`);
    // Asked for again and again: an index that is made concurrently waits for statements that wait.
    while (!(await lock(connection.run))) await systemClock.sleep(LOCK_RETRY_MS);
    const migrated = await database.transaction(applySteps);
    await further();
    return migrated;
  } finally {
    // Ends the transaction, and the lock with it.
    await connection.close();
  }
}

/** How long all steps may take. */
const MOST_MS = 3_600_000;
const LOCK_RETRY_MS = 100;

async function lock(run: RunStatement): Promise<boolean> {
  const [row] = await run<{ readonly locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended('turnwright/migrations', 0)) as locked",
  );
  return row?.locked === true;
}

async function applySteps(run: RunStatement): Promise<Migrated> {
  // A dump holds its locks until its end, and all workers would wait behind this step.
  await run("set local lock_timeout = '5s'");
  await run('create schema if not exists turnwright');
  await run(`create table if not exists turnwright.migrations (
    version int primary key, name text not null, applied_at timestamptz not null default now())`);
  const found = await readTables(run);
  refuseOutside(found);
  await run(`create table if not exists turnwright.versions (
    version int primary key, serves int not null, name text not null,
    applied_at timestamptz not null default now())`);
  for (const { version, serves, name, statements } of stepsAfter(found.version)) {
    await run(statements);
    await run('insert into turnwright.versions (version, serves, name) values ($1, $2, $3)', [
      version,
      serves,
      name,
    ]);
  }
  await run(TELL_OLD_PACKAGES);
  return { from: found.version, to: Math.max(found.version, TABLES_VERSION) };
}

/** The last version of packages that do not know the table of versions. */
const WITHOUT_RANGE = 2;

/**
 * Packages before the table of versions refuse whatever is newer than they know in this table: they are shown
 * no step that serves them.
 */
const TELL_OLD_PACKAGES = `
  insert into turnwright.migrations (version, name)
  select version, name from turnwright.versions
  where version <= greatest(${WITHOUT_RANGE}, (select max(serves) from turnwright.versions))
  on conflict do nothing`;

const stepsAfter = (version: number): readonly Migration[] =>
  MIGRATIONS.filter((step) => step.version > version);

/** The version of the tables that this package reads and writes. */
export const TABLES_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/**
 * What `migrate` would do, without doing it. Rejects with `storage_error` when it could not be done, because
 * the tables do not serve this package.
 */
export async function pendingSteps(run: RunStatement): Promise<Pending> {
  const found = await readTables(run);
  refuseOutside(found);
  return { ...found, steps: stepsAfter(found.version).map(({ name }) => name) };
}

/**
 * Rejects with `storage_error` when the tables are missing, older than this package needs, or so much newer
 * that they do not serve it. Resolves with their version.
 */
export async function checkTables(run: RunStatement): Promise<number> {
  const { version } = await pendingSteps(run);
  if (version < TABLES_VERSION)
    throw new TurnwrightError(
      'storage_error',
      version === 0
        ? 'This database has no tables of Turnwright yet: npx turnwright durable migrate'
        : `The tables in this database have version ${version}, and this package needs ${TABLES_VERSION}: npx turnwright durable migrate`,
    );
  return version;
}

interface TablesOptions extends DatabaseOptions {
  /** It has to give connections of its own (`connect`). */
  readonly ownConnections?: boolean;
}

/** A database whose tables are those of this package; it refuses what `openDatabase` and `checkTables` do. */
export async function openTables({ ownConnections, ...options }: TablesOptions): Promise<Database> {
  const database = await openDatabase(options);
  try {
    await checkTables(database.run);
    if (ownConnections === true) await (await database.connect()).close();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function readTables(run: RunStatement): Promise<Tables> {
  const [found] = await run<{ readonly versions: string | null; readonly migrations: string | null }>(
    "select to_regclass('turnwright.versions')::text as versions, to_regclass('turnwright.migrations')::text as migrations",
  );
  if (found?.migrations == null) return NONE;
  const [newest] = await run<{ readonly version: number | null; readonly serves: number | null }>(
    found.versions === null
      ? 'select max(version) as version, max(version) as serves from turnwright.migrations'
      : RANGE,
  );
  return { version: newest?.version ?? 0, serves: newest?.serves ?? 0 };
}

/** What packages without a range are shown beyond their last version serves none before it. */
const RANGE = `
  select greatest(max(v.version), max(m.version)) as version,
    greatest(max(v.serves), max(m.version) filter (where m.version > ${WITHOUT_RANGE})) as serves
  from turnwright.versions v full join turnwright.migrations m using (version)`;

const NONE: Tables = { version: 0, serves: 0 };

function refuseOutside({ version, serves }: Tables): void {
  if (serves > TABLES_VERSION)
    throw new TurnwrightError(
      'storage_error',
      `The tables in this database have version ${version}, which serves packages from ${serves} on, and this package knows ${TABLES_VERSION}: update turnwright on this machine.`,
    );
}
