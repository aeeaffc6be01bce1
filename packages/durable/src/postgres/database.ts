/** Connections to a Postgres database. The one file that loads `pg`, an optional peer. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { Client, ClientBase, ClientConfig, Notification, Pool, PoolClient } from 'pg';
import { type DatabasePlace, databaseError, formatServer, IS_STANDBY } from './database-error.ts';

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
  /**
   * Commits when `work` resolves, and rolls back when it rejects, or a statement does that it did not wait
   * for: those that are not awaited one by one are sent together.
   */
  transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
}

/** One database, with a pool of connections that are opened when they are needed. */
export interface Database extends Statements {
  /** Its URL with user and host written out, as other clients of Postgres want it. */
  readonly url: string;
  connect(): Promise<OwnConnection>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** `postgresql://user@host/name`, or with a socket: `postgresql:///name?host=/var/run/postgresql`. */
  readonly url: string;
  /** The same database without a pooler, for connections that listen or hold a lock. Default: `url`. */
  readonly direct?: string | undefined;
  /** @default 8 */
  readonly connections?: number;
  /** How long a statement may wait for a free connection. @default 60,000 ms */
  readonly waitMs?: number | undefined;
  /**
   * How long a statement may go without an answer before its connection is given up: one that was cut off
   * silently would stay so for a quarter of an hour. 0: for ever. @default 60,000 ms
   */
  readonly answerMs?: number | undefined;
}

/** How long a server may take to accept a connection, ms. */
const CONNECT_MS = 10_000;
const WAIT_MS = 60_000;
const ANSWER_MS = 60_000;
/** The server ends a transaction whose process says nothing for so long: it may be cut off with its locks. */
const IDLE_TRANSACTION_MS = 60_000;

/**
 * Opens nothing yet. Rejects with `not_installed` when `pg` is missing, and with `invalid_option` for what is
 * not the URL of a Postgres database.
 */
export async function openDatabase({
  url,
  direct = url,
  connections = 8,
  waitMs = WAIT_MS,
  answerMs = ANSWER_MS,
}: DatabaseOptions): Promise<Database> {
  const pg = await loadDriver();
  const how = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    keepAlive: true,
    // Statements that are not awaited one by one are under way together.
    pipeline: true,
  };
  const newClient = (connectionString = url) => new pg.Client({ ...how, connectionString });
  const place: Place = { ...parsePlace(url, newClient), isDirect: false };
  const ownPlace = direct === url ? place : { ...parsePlace(direct, newClient), isDirect: false };
  const pool: Pool = new pg.Pool({
    ...how,
    query_timeout: answerMs,
    // The pool means the wait for a free connection too.
    connectionTimeoutMillis: waitMs,
    Client: class extends pg.Client {
      constructor(config?: ClientConfig) {
        super({ ...config, connectionTimeoutMillis: CONNECT_MS });
      }
    },
    max: connections,
    verify(client, done) {
      look(client, place).then(() => done(), done);
    },
  });
  // A connection that breaks while it is idle is replaced; the next statement reports what is wrong.
  pool.on('error', ignore);
  // One that breaks while a library has it, between two statements, would end a process that does not listen.
  pool.on('connect', (client) => client.on('error', ignore));
  const database: Database = {
    url: completeUrl(url, place.user ?? ''),
    run: createRunStatement(pool, place),
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseError(error, place);
      });
      const query = createRunStatement(client, place);
      const sent: Promise<unknown>[] = [];
      const run: RunStatement = <Row extends object>(statement: string, values?: readonly unknown[]) => {
        const asked = query<Row>(statement, values);
        asked.catch(ignore);
        sent.push(asked);
        return asked;
      };
      followUps.set(run, []);
      let broken: Error | undefined;
      try {
        // It goes along with the first statement, and the end with the last ones.
        void run('begin');
        const done = await work(run);
        void run('commit');
        await Promise.all(sent);
        for (const follow of followUps.get(run) ?? []) follow();
        return done;
      } catch (error) {
        await query('rollback').catch((cause: unknown) => {
          broken = cause instanceof Error ? cause : new Error(errorText(cause));
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async connect() {
      const client = newClient(direct);
      client.on('error', ignore);
      try {
        await client.connect();
        const pid = await look(client, ownPlace);
        if (!ownPlace.isDirect && (await isShared(pid, () => newClient(direct)))) throw shared(ownPlace);
      } catch (error) {
        void client.end().catch(ignore);
        throw databaseError(error, ownPlace);
      }
      return {
        run: createRunStatement(client, ownPlace),
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
export function countConnections(database: Database) {
  const { totalCount: open, idleCount: idle, waitingCount: waiting } = poolOf(database);
  return { open, idle, waiting };
}

/** For a library that runs a statement in a transaction, and reads its rows. */
export function asPgClient(run: RunStatement): ClientBase {
  const query = async (text: string, values: unknown[]) => ({ rows: await run(text, values) });
  return { query } as unknown as ClientBase;
}

const ignore = (): void => undefined;

interface Place extends DatabasePlace {
  /** false: through a pooler, or not known yet. Statements are prepared on connections to Postgres itself. */
  isDirect: boolean;
}

/**
 * Returns the number of the server's process. A standby is refused: it may be reached while a primary is
 * replaced, and has errors of its own for many statements.
 */
async function look(client: PoolClient | Client, place: Place): Promise<number> {
  const { rows } = await client.query<{ readonly standby: boolean; readonly pid: number }>(
    'select pg_is_in_recovery() as standby, pg_backend_pid() as pid',
  );
  const { standby, pid } = rows[0] as { readonly standby: boolean; readonly pid: number };
  if (standby) throw Object.assign(new Error('The server is a standby.'), { code: IS_STANDBY });
  // A pooler gives a connection a number of its own.
  place.isDirect = (client as { readonly processID?: number }).processID === pid;
  return pid;
}

/** Whether a pooler gives another client the process of the server that this one was just given. */
async function isShared(pid: number, newClient: () => Client): Promise<boolean> {
  const other = newClient();
  other.on('error', ignore);
  try {
    await other.connect();
    for (let at = 0; at < SHARED_TRIES; at++) {
      const { rows } = await other.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
      if (rows[0]?.pid === pid) return true;
    }
    return false;
  } finally {
    void other.end().catch(ignore);
  }
}

/** Other clients may take the process in between. */
const SHARED_TRIES = 5;

const shared = (place: Place): TurnwrightError =>
  new TurnwrightError(
    'storage_error',
    `At ${formatServer(place)} is a pooler in transaction mode, which gives no process a connection of its own to listen on or to hold a lock with: give the address of Postgres itself too (--direct, or TURNWRIGHT_DB_DIRECT), or that of a pool in session mode.`,
  );

function createRunStatement(client: Pool | PoolClient | Client, place: Place): RunStatement {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    try {
      const name = values.length === 0 || !place.isDirect ? undefined : nameStatement(text);
      const query = { text, values: [...values], ...(name !== undefined && { name }) };
      return (await client.query<Row>(query)).rows;
    } catch (error) {
      throw databaseError(error, place);
    }
  };
}

/** Names of prepared statements: Postgres parses and plans each once per connection. */
const names = new Map<string, string>();

function nameStatement(text: string): string {
  const name = names.get(text) ?? `turnwright_${names.size + 1}`;
  names.set(text, name);
  return name;
}

function parsePlace(url: string, newClient: (url: string) => Client): DatabasePlace {
  try {
    if (!/^postgres(?:ql)?:/.test(url)) throw new Error('another scheme');
    const { host, port, database, user } = newClient(url);
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

/**
 * The URL with the parts that Postgres' own clients fill in, for a library that wants them written out:
 * `postgresql:///name?host=/var/run/postgresql` has neither user nor host: the user is `user` (that of the
 * process), and the host before the socket's folder is a placeholder, which `?host=` overrides.
 */
export function completeUrl(url: string, user: string): string {
  const found = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^/?#]*)(.*)$/s.exec(url);
  if (found === null) return url;
  const [, scheme, credentials, host = '', rest] = found;
  const who = credentials === undefined || credentials === '' ? encodeURIComponent(user) : credentials;
  return `${scheme}${who}@${host === '' ? 'localhost' : host}${rest}`;
}
