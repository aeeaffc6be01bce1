/** Sessions that outlive a process and a machine: Postgres holds them, workers run them. */
export { type DurableClient, durableClient, type SendOptions, type Sent } from './client.ts';
export { openDispatch } from './dbos.ts';
export type { Dispatch, Run } from './dispatch.ts';
export type { FollowOptions } from './follow.ts';
export { type HealthServer, serveHealth, type WorkerFigure, type WorkerHealth } from './health.ts';
export { createAdmission, type SharedAdmission } from './postgres/admission/admission.ts';
export type { Limit } from './postgres/admission/bucket.ts';
export { type LimitScope, setLimit } from './postgres/admission/buckets.ts';
export { type AppendQueue, createAppendQueue } from './postgres/append-queue.ts';
export { createBlobStore } from './postgres/blobs.ts';
export {
  type Database,
  type OwnConnection,
  openDatabase,
  type RunStatement,
  type Statements,
} from './postgres/database.ts';
export { createInbox, putItem } from './postgres/inbox.ts';
export { createJournalStore } from './postgres/journal.ts';
export { createListener, type Happening, type Listener, notify } from './postgres/listen.ts';
export { checkTables, type Migrated, migrate, TABLES_VERSION } from './postgres/migrations.ts';
export { type Overview, overviewOf, pruneSessions, type SeenWorker } from './postgres/overview.ts';
export type { SessionRow } from './postgres/runs.ts';
export type { OpenQuestion, SessionState, SessionStatus } from './postgres/sessions.ts';
export type { StreamRow, StreamRows } from './postgres/stream-rows.ts';
export { prepareDatabase } from './prepare-database.ts';
export type { Followed } from './stream-reader.ts';
export {
  MODULE_FIELDS,
  type Worker,
  type WorkerModule,
  type WorkerOptions,
  worker,
} from './worker.ts';
export type { Workspace } from './workspace.ts';
