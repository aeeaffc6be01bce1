/** Bytes of sessions, in Postgres: large tool results and contents of files before they were changed. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { BlobStore } from '../../protocol/ports.ts';
import type { Statements } from './database.ts';
import { outlasting } from './outlasting.ts';

/** The blobs of one session. */
export function createBlobStore(database: Statements, sessionId: string): BlobStore {
  const { run } = outlasting(database);
  return {
    async put(key, bytes) {
      await run(
        `insert into turnwright.blobs (session_id, key, bytes) values ($1, $2, $3)
          on conflict (session_id, key) do update set bytes = excluded.bytes`,
        [sessionId, key, Buffer.from(bytes)],
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
