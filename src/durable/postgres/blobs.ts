/** Bytes of sessions, in Postgres: large tool results and contents of files before they were changed. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { BlobStore } from '../../protocol/ports.ts';
import type { Statements } from './database.ts';
import { outlasting } from './outlasting.ts';

/**
 * The blobs of one session. `epoch`: of the owner that puts them; a put is refused when a later one has the
 * session. undefined: no owner is asked for.
 */
export function createBlobStore(
  database: Statements,
  sessionId: string,
  epoch: () => number | undefined = () => undefined,
): BlobStore {
  const { run } = outlasting(database);
  return {
    async put(key, bytes) {
      const [stored] = await run(PUT, [sessionId, key, Buffer.from(bytes), epoch() ?? null]);
      if (stored === undefined)
        throw new TurnwrightError(
          'storage_error',
          'Another worker has the session: its blobs are not changed.',
        );
      return key;
    },
    async get(key) {
      const [row] = await run<{ readonly bytes: Buffer }>(
        'select bytes from turnwright.blobs where session_id = $1 and key = $2',
        [sessionId, key],
      );
      if (row !== undefined) return row.bytes;
      throw new TurnwrightError('storage_error', `There is no stored result "${key}" in this session.`);
    },
  };
}

const PUT = `
  with fence as (
    select epoch from turnwright.sessions where session_id = $1 for share
  )
  insert into turnwright.blobs (session_id, key, bytes)
  select $1, $2, $3 where $4::int is null or $4 = (select epoch from fence)
  on conflict (session_id, key) do update set bytes = excluded.bytes
  returning 1`;
