/** Archives or restores, and kills itself before its n-th step: a statement, or a call of the store. */

import pg from 'pg';
import { archiveSessions, folderStore, openDatabase, restoreSession } from '../../src/index.ts';

const env = (name: string): string => process.env[name] ?? '';
let steps = 0;
function step(): void {
  steps += 1;
  if (steps === Number(env('KILL_AT'))) process.kill(process.pid, 'SIGKILL');
}

const query = pg.Client.prototype.query as unknown as (this: pg.Client, ...given: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]): unknown {
  step();
  return query.apply(this, given);
} as typeof pg.Client.prototype.query;

const store = folderStore(env('FOLDER'));
const blobs: typeof store = {
  put(key, bytes) {
    step();
    return store.put(key, bytes);
  },
  get(key) {
    step();
    return store.get(key);
  },
};
const database = await openDatabase({ url: env('DB') });
if (env('WHAT') === 'archive') await archiveSessions(database, { blobs, olderThanMs: 30 * 86_400_000 });
else await restoreSession(database, { sessionId: env('SESSION'), blobs });
await database.close();
process.stdout.write(`${steps}\n`);
