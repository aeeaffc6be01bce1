/** Which database a command is about. */
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

/** The flag, else the variable. */
export function databaseUrl(
  { db }: { readonly db?: string | undefined },
  { env }: Pick<World, 'env'>,
): string {
  const url = db ?? env['TURNWRIGHT_DB'];
  if (url === undefined || url === '')
    throw new UsageError(
      'No database is given: --db <url>, or export TURNWRIGHT_DB="postgresql:///turnwright?host=/var/run/postgresql"',
    );
  return url;
}
