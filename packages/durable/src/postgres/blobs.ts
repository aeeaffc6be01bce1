/** Bytes of sessions, in Postgres: large tool results and contents of files before they were changed. */
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';
import type { Statements } from './database.ts';
import { groupCalls, perDatabase } from './group-calls.ts';
import type { Ownership } from './journal-rows.ts';
import { outlasting } from './outlasting.ts';

/**
 * The blobs of one session. `own`: who puts them; a put is refused when another owner has the session.
 * undefined: no owner is asked for.
 */
export function createBlobStore(
  database: Statements,
  sessionId: string,
  own: () => Ownership | undefined = () => undefined,
): BlobStore {
  const { run } = outlasting(database);
  return {
    async put(key, bytes) {
      const { epoch = null, owner = null } = own() ?? {};
      const [stored] = await run(PUT, [sessionId, key, Buffer.from(bytes), epoch, owner]);
      if (stored === undefined)
        throw new TurnwrightError(
          'storage_error',
          'Another worker has the session: its blobs are not changed.',
        );
      return key;
    },
    async get(key) {
      const bytes = await bytesOf(database)({ sessionId, key });
      if (bytes !== undefined) return bytes;
      throw new TurnwrightError('storage_error', `There is no stored result "${key}" in this session.`);
    },
  };
}

interface Asked {
  readonly sessionId: string;
  readonly key: string;
}

/** Each session asks for one when it begins. */
const bytesOf = perDatabase((database) => {
  const { run } = outlasting(database);
  return groupCalls(
    async (asked: readonly Asked[]) => {
      const rows = await run<{ readonly at: number; readonly bytes: Buffer }>(
        `select g.at::int, b.bytes from unnest($1::text[], $2::text[]) with ordinality as g (session_id, key, at)
           join turnwright.blobs b using (session_id, key)`,
        [asked.map(({ sessionId }) => sessionId), asked.map(({ key }) => key)],
      );
      const found = new Map(rows.map(({ at, bytes }) => [at, bytes]));
      return asked.map((_, at) => found.get(at + 1));
    },
    { most: 20 },
  );
});

const PUT = `
  with fence as (
    select from turnwright.sessions where session_id = $1 and epoch = $4 and owner = $5 for share
  )
  insert into turnwright.blobs (session_id, key, bytes)
  select $1, $2, $3 where $4::int is null or exists (select from fence)
  on conflict (session_id, key) do update set bytes = excluded.bytes
  returning 1`;
