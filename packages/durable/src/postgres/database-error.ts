/** What Postgres reports, in one sentence that says what to do; and whether the server is only away. */

import { codeOf, errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';

/** Where a database is, without its password. */
export interface DatabasePlace {
  readonly host: string;
  readonly port: number;
  readonly database: string | undefined;
  readonly user: string | undefined;
}

/**
 * The server is away, or cannot work now: it ends, starts, was replaced by a standby, cannot be reached, or
 * has no disk, memory or connection left.
 */
export function isOutage(error: unknown): boolean {
  const cause = causeOf(error);
  const code = String(codeOf(cause) ?? '');
  if (cause instanceof AggregateError) return cause.errors.some(isOutage);
  if (isOfPooler(cause)) return false;
  return (
    AWAY.has(code) || PASSING.test(code) || [LOST, ALL_IN_USE].some((kind) => kind.test(errorText(cause)))
  );
}

/** The code for a statement that a server refuses because it can only be read. */
export const IS_STANDBY = '25006';

/** The code with which the tables refuse a session that was taken out (`tables/migration-steps.ts`). */
export const IS_REMOVED = 'TW001';

/** Classes of Postgres: connections that fail, resources that are used up, and errors of the system below. */
const PASSING = /^(?:08|53|58)\w{3}$/;

/** 57P01 to 57P03: it ends or starts. A standby may become the primary. */
const AWAY: ReadonlySet<string> = new Set([
  ...['57P01', '57P02', '57P03', IS_STANDBY],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ENOTDIR', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['EAI_AGAIN', 'ENOTFOUND'],
]);

/** pgbouncer refuses settings of a connection that it does not know. */
const isOfPooler = (error: unknown): boolean => /unsupported startup parameter/.test(errorText(error));

/** Errors of the driver that have no code. */
const LOST =
  /^Connection terminated|^Client has encountered a connection error|^timeout expired$|^Query read timeout/;
/** Of its pool: no connection became free. */
const ALL_IN_USE = /^timeout exceeded when trying to connect/;

/** Two transactions waited for each other: one was undone, and may be repeated. */
export const isConflict = (error: unknown): boolean =>
  ['40P01', '40001'].includes(String(codeOf(causeOf(error)) ?? ''));

/** `storage_error` with a sentence; an error that is a sentence already is returned unchanged. */
export function databaseError(error: unknown, place: DatabasePlace): TurnwrightError {
  if (error instanceof TurnwrightError) return error;
  // The sentence is that of our own trigger.
  if (codeOf(error) === IS_REMOVED)
    return new TurnwrightError('session_removed', errorText(error), { cause: error });
  return new TurnwrightError('storage_error', describeError(error, place), { cause: error });
}

function describeError(error: unknown, place: DatabasePlace): string {
  const { database, user } = place;
  const server = formatServer(place);
  const code = String(codeOf(error) ?? '');
  switch (code) {
    case '3D000':
      return `The server at ${server} has no database "${database}": createdb ${database}`;
    case '28000':
    case '28P01':
      return `The server at ${server} refuses the user "${user}": ${errorText(error)}`;
    case '42P01':
    case '3F000':
      return `The database "${database}" has no tables of Turnwright yet: npx turnwright durable migrate`;
    case '42501':
      return `The user "${user}" may not do this in the database "${database}": ${errorText(error)}`;
    case '53300':
      return `The server at ${server} has no connection left: raise max_connections, or run fewer processes.`;
    case '53100':
      return `The disk of the server at ${server} is full: ${errorText(error)}`;
    case '53200':
    case '58030':
      return `The server at ${server} cannot work now: ${errorText(error)}`;
    case '55P03':
      return `Another program uses the tables of the database "${database}", a backup for example: try again when it has ended.`;
    case '57P03':
      return `The server at ${server} is starting or shutting down: ${errorText(error)}`;
    case IS_STANDBY:
      return `The server at ${server} is a standby, which cannot be written to: use the address of the primary.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `There is no host "${place.host}": check the URL of the database.`;
    default:
      if (ALL_IN_USE.test(errorText(error)))
        return `No connection of this process to ${server} became free: it has more to do than the database answers. Try again, or send less at the same time.`;
      if (isOfPooler(error))
        return `The pooler at ${server} does not let the setting of a connection through: ignore_startup_parameters = idle_in_transaction_session_timeout (in pgbouncer.ini), or give the address of Postgres itself.`;
      return isOutage(error)
        ? `Postgres does not answer at ${server}: start it, or check the URL of the database. (${firstText(error)})`
        : `The database "${database}" reports: ${errorText(error)}`;
  }
}

function firstText(error: unknown): string {
  return error instanceof AggregateError ? firstText(error.errors[0]) : errorText(error);
}

export const formatServer = ({ host, port }: DatabasePlace): string =>
  host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`;

const causeOf = (error: unknown): unknown => (error instanceof TurnwrightError ? error.cause : error);
