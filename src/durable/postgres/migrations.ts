/** The tables in Postgres, as numbered steps: a database is at the last step that was applied to it. */
import { TurnwrightError } from '../../protocol/errors.ts';
import { type Database, openDatabase, type RunStatement } from './database.ts';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: string;
}

/**
 * Steps are only ever added: one that was released is not changed. JSON of users and models is text, as
 * `jsonb` refuses the character U+0000.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'sessions and their journals',
    statements: `
      create table turnwright.sessions (
        session_id text primary key,
        tenant text not null default '',
        host text,
        state text not null default 'idle'
          check (state in ('idle', 'queued', 'running', 'parked', 'poisoned')),
        run int not null default 0,
        epoch int not null default 0,
        head int not null default 0,
        worker text,
        parked jsonb,
        wake_at timestamptz,
        barren_epochs int not null default 0,
        cwd text,
        title text,
        outcome text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      ) with (fillfactor = 50);
      create index sessions_by_state on turnwright.sessions (state, wake_at) where state <> 'idle';

      create table turnwright.journal (
        session_id text not null,
        seq int not null,
        epoch int not null,
        entry_id text not null,
        at timestamptz not null default now(),
        body text not null,
        primary key (session_id, seq),
        -- A later owner records what it does again (the intent of a call that may run twice) under the same id.
        unique (session_id, entry_id, epoch)
      );
      create table turnwright.snapshots (
        session_id text primary key,
        seq int not null,
        state text not null
      );
      alter table turnwright.snapshots alter state set storage external;

      create table turnwright.inbox (
        session_id text not null,
        n int not null,
        key text not null,
        item text not null,
        at timestamptz not null default now(),
        primary key (session_id, n),
        unique (session_id, key)
      );
      create table turnwright.interrupts (
        session_id text not null,
        key text not null,
        at timestamptz not null default now(),
        taken_epoch int,
        primary key (session_id, key)
      );
      create table turnwright.asks (
        session_id text not null,
        ask_id text not null,
        tool_use_id text not null,
        tool_name text not null,
        question text not null,
        asked_at timestamptz not null default now(),
        answer text,
        answered_at timestamptz,
        primary key (session_id, ask_id)
      );

      create table turnwright.messages (
        session_id text not null,
        after_seq int not null,
        n bigint not null,
        epoch int not null,
        message text not null,
        primary key (session_id, after_seq, n)
      );
      create unlogged table turnwright.frames (
        session_id text not null,
        after_seq int not null,
        n bigint not null,
        epoch int not null,
        message text not null,
        primary key (session_id, after_seq, n)
      );
      create unlogged table turnwright.followers (
        session_id text primary key,
        until timestamptz not null
      );

      create table turnwright.blobs (
        session_id text not null,
        key text not null,
        bytes bytea not null,
        primary key (session_id, key)
      );
      create table turnwright.workers (
        worker_id text primary key,
        host text not null,
        pid int not null,
        lock_key bigint not null,
        heartbeat timestamptz not null default now(),
        started_at timestamptz not null default now(),
        draining boolean not null default false,
        version text not null
      );
    `,
  },
  {
    version: 2,
    name: 'limits of model requests',
    statements: `
      create table turnwright.limits (
        key text primary key,
        requests_per_minute int,
        tokens_per_minute int
      );
      create table turnwright.buckets (key text primary key, state text not null) with (fillfactor = 50);
    `,
  },
];

/** What `migrate` found and did. */
export interface Migrated {
  /** Version of the tables before; 0: there were none. */
  readonly from: number;
  readonly to: number;
}

/** Brings the tables to the version of this package. Any number of processes may call it at the same time. */
export async function migrate(database: Database): Promise<Migrated> {
  return database.transaction(async (run) => {
    // Released at the end of the transaction.
    await run("select pg_advisory_xact_lock(hashtextextended('turnwright/migrations', 0))");
    await run('create schema if not exists turnwright');
    await run(`create table if not exists turnwright.migrations (
      version int primary key, name text not null, applied_at timestamptz not null default now())`);
    const from = await newest(run);
    refuseNewer(from);
    for (const { version, name, statements } of MIGRATIONS.filter((step) => step.version > from)) {
      await run(statements);
      await run('insert into turnwright.migrations (version, name) values ($1, $2)', [version, name]);
    }
    return { from, to: TABLES_VERSION };
  });
}

/** The version of the tables that this package reads and writes. */
export const TABLES_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** Rejects with `storage_error` when the tables are missing, or of another version than this package's. */
export async function checkTables(run: RunStatement): Promise<void> {
  const [found] = await run<{ readonly name: string | null }>(
    "select to_regclass('turnwright.migrations')::text as name",
  );
  const version = found?.name == null ? 0 : await newest(run);
  refuseNewer(version);
  if (version < TABLES_VERSION)
    throw new TurnwrightError(
      'storage_error',
      version === 0
        ? 'This database has no tables of Turnwright yet: npx turnwright durable migrate'
        : `The tables in this database have version ${version}, and this package needs ${TABLES_VERSION}: npx turnwright durable migrate`,
    );
}

/** A database whose tables are those of this package; it refuses what `openDatabase` and `checkTables` do. */
export async function openTables(options: Parameters<typeof openDatabase>[0]): Promise<Database> {
  const database = await openDatabase(options);
  try {
    await checkTables(database.run);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function newest(run: RunStatement): Promise<number> {
  const [row] = await run<{ readonly version: number | null }>(
    'select max(version) as version from turnwright.migrations',
  );
  return row?.version ?? 0;
}

function refuseNewer(version: number): void {
  if (version > TABLES_VERSION)
    throw new TurnwrightError(
      'storage_error',
      `The tables in this database have version ${version}, newer than this package knows (${TABLES_VERSION}): update turnwright on this machine.`,
    );
}
