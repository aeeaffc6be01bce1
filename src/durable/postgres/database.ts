/** Connections to a Postgres database. The one file that loads `pg`, an optional peer. */
import type { Client, ClientBase, Notification, Pool, PoolClient } from 'pg';
import { TurnwrightError } from '../../protocol/errors.ts';
import { errorText } from '../../util/text/error-text.ts';
import { completeUrl } from './complete-url.ts';
import { type DatabasePlace, databaseError, IS_STANDBY } from './database-error.ts';

/**
 * Runs one statement; `values` are its `$1`, `$2` … A statement with values is prepared once per connection,
 * so its text must be a constant. Returns the rows; rejects with `storage_error` and a sentence.
 */
export type RunStatement = <Row extends object>(
  statement: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** A connection of its own, for LISTEN and for locks that last as long as it does. */
interface OwnConnection {
  readonly run: RunStatement;
  onNotification(listener: (payload: string) => void): void;
  /** Called once, when the connection is lost or closed. */
  onEnd(listener: () => void): void;
  close(): Promise<void>;
}

/** Statements, alone or several as one. */
export interface Statements {
  readonly run: RunStatement;
  /** Commits when `work` resolves, and rolls back when it rejects. */
  transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
}

/** One database, with a pool of connections that are opened when they are needed. */
export interface Database extends Statements {
  /** Its URL with user and host written out, as other clients of Postgres want it. */
  readonly url: string;
  connect(): Promise<OwnConnection>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** `postgresql://user@host/name`, or with a socket: `postgresql:///name?host=/var/run/postgresql`. */
  readonly url: string;
  /** @default 8 */
  readonly connections?: number;
}

/** How long a server may take to accept a connection, ms. */
const CONNECT_MS = 10_000;
/** The server ends a transaction whose process says nothing for so long: it may be cut off with its locks. */
const IDLE_TRANSACTION_MS = 60_000;

/**
 * Opens nothing yet. Rejects with `not_installed` when `pg` is missing, and with `invalid_option` for what is
 * not the URL of a Postgres database.
 */
export async function openDatabase({ url, connections = 8 }: DatabaseOptions): Promise<Database> {
  const pg = await loadDriver();
  const how = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    keepAlive: true,
  };
  const newClient = () => new pg.Client(how);
  const place = placeOf(url, newClient);
  const pool: Pool = new pg.Pool({
    ...how,
    max: connections,
    verify(client, done) {
      refuseStandby(client).then(() => done(), done);
    },
  });
  // A connection that breaks while it is idle is replaced; the next statement reports what is wrong.
  pool.on('error', ignore);
  // One that breaks while a library has it, between two statements, would end a process that does not listen.
  pool.on('connect', (client) => client.on('error', ignore));
  const database: Database = {
    url: completeUrl(url, place.user ?? ''),
    run: statementsOf(pool, place),
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseError(error, place);
      });
      const run = statementsOf(client, place);
      followUps.set(run, []);
      let broken: Error | undefined;
      try {
        await run('begin');
        const done = await work(run);
        await run('commit');
        for (const follow of followUps.get(run) ?? []) follow();
        return done;
      } catch (error) {
        await run('rollback').catch((cause: unknown) => {
          broken = cause instanceof Error ? cause : new Error(errorText(cause));
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async connect() {
      const client = newClient();
      client.on('error', ignore);
      try {
        await client.connect();
        await refuseStandby(client);
      } catch (error) {
        void client.end().catch(ignore);
        throw databaseError(error, place);
      }
      return {
        run: statementsOf(client, place),
        onNotification: (listener) => {
          client.on('notification', ({ payload }: Notification) => listener(payload ?? ''));
        },
        onEnd: (listener) => {
          client.once('end', listener);
        },
        close: () => client.end(),
      };
    },
    close: () => pool.end(),
  };
  pools.set(database, pool);
  return database;
}

/** What is done after a transaction. */
const followUps = new WeakMap<RunStatement, (() => void)[]>();

/** Called when the transaction whose statements `run` runs has committed; at once when `run` is of none. */
export function afterCommit(run: RunStatement, follow: () => void): void {
  const known = followUps.get(run);
  if (known === undefined) follow();
  else known.push(follow);
}

const pools = new WeakMap<Database, Pool>();

/** For a library that opens connections of its own otherwise. */
export const poolOf = (database: Database): Pool => pools.get(database) as Pool;

/** How many connections are open, how many of them are idle, and how many statements wait for one. */
export function useOf(database: Database) {
  const { totalCount: open, idleCount: idle, waitingCount: waiting } = poolOf(database);
  return { open, idle, waiting };
}

/** For a library that runs a statement in a transaction, and reads its rows. */
export function asPgClient(run: RunStatement): ClientBase {
  const query = async (text: string, values: unknown[]) => ({ rows: await run(text, values) });
  return { query } as unknown as ClientBase;
}

const ignore = (): void => undefined;

/**
 * A standby may be reached while a primary is replaced. It refuses many statements with errors of their own.
 */
async function refuseStandby(client: PoolClient | Client): Promise<void> {
  const { rows } = await client.query<{ readonly standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby === true)
    throw Object.assign(new Error('The server is a standby.'), { code: IS_STANDBY });
}

function statementsOf(client: Pool | PoolClient | Client, place: DatabasePlace): RunStatement {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    try {
      const named = values.length === 0 ? { text } : { name: nameOf(text), text, values: [...values] };
      return (await client.query<Row>(named)).rows;
    } catch (error) {
      throw databaseError(error, place);
    }
  };
}

/** Names of prepared statements: Postgres parses and plans each once per connection. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `turnwright_${names.size + 1}`;
  names.set(text, name);
  return name;
}

function placeOf(url: string, newClient: () => Client): DatabasePlace {
  try {
    if (!/^postgres(?:ql)?:/.test(url)) throw new Error('another scheme');
    const { host, port, database, user } = newClient();
    return { host, port, database, user };
  } catch (cause) {
    throw new TurnwrightError(
      'invalid_option',
      'This is not the URL of a Postgres database. Examples: postgresql://user@host/name, postgresql:///name?host=/var/run/postgresql',
      { cause },
    );
  }
}

async function loadDriver(): Promise<typeof import('pg')['default']> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    throw new TurnwrightError(
      'not_installed',
      'Sessions in Postgres need the package pg, which is not installed: npm install pg @dbos-inc/dbos-sdk',
      { cause },
    );
  }
}
