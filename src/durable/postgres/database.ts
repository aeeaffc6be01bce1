/** Connections to a Postgres database. The one file that loads `pg`, an optional peer. */
import type { Client, Notification, Pool, PoolClient } from 'pg';
import { TurnwrightError } from '../../protocol/errors.ts';
import { errorText } from '../../util/text/error-text.ts';

/** Runs one statement; `values` are its `$1`, `$2` … Returns the rows. */
export type RunStatement = <Row extends object>(
  statement: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** A connection of its own, for LISTEN and for locks that last as long as it does. */
export interface OwnConnection {
  readonly run: RunStatement;
  onNotification(listener: (payload: string) => void): void;
  /** Called once, when the connection is lost or closed. */
  onEnd(listener: () => void): void;
  close(): Promise<void>;
}

/** One database, with a pool of connections that are opened when they are needed. */
export interface Database {
  readonly run: RunStatement;
  /** Commits when `work` resolves, and rolls back when it rejects. */
  transaction<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
  connect(): Promise<OwnConnection>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** `postgresql://user@host/name`, or with a socket: `postgresql:///name?host=/var/run/postgresql`. */
  readonly url: string;
  /** @default 8 */
  readonly connections?: number;
}

/** Opens nothing yet. Rejects with `not_installed` when `pg` is missing. */
export async function openDatabase({ url, connections = 8 }: DatabaseOptions): Promise<Database> {
  const pg = await loadDriver();
  const pool: Pool = new pg.Pool({ connectionString: url, max: connections });
  // A connection that breaks while it is idle is replaced; the next statement reports what is wrong.
  pool.on('error', () => undefined);
  return {
    run: statementsOf(pool),
    async transaction(work) {
      const client = await pool.connect();
      const run = statementsOf(client);
      let broken: Error | undefined;
      try {
        await run('begin');
        const done = await work(run);
        await run('commit');
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
      const client: Client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      return {
        run: statementsOf(client),
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
}

function statementsOf(client: Pool | PoolClient | Client): RunStatement {
  return async <Row extends object>(statement: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(statement, [...values])).rows;
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
