/** Sessions that outlive a process and a machine: Postgres holds them, workers run them. */
export { type DurableClient, durableClient, type SendOptions, type Sent } from './client.ts';
export type { Dispatch, Executor, ExecutorOptions, Run, Runner, RunState } from './dispatch.ts';
export { type HealthServer, serveHealth, type WorkerFigure, type WorkerHealth } from './health.ts';
export { inProcessRunner } from './in-process-runner.ts';
export type { Limit } from './postgres/admission/bucket.ts';
export { type LimitScope, setLimit } from './postgres/admission/buckets.ts';
export { type Database, openDatabase } from './postgres/database.ts';
export { type Overview, overviewOf, type SeenWorker } from './postgres/overview.ts';
export type { SessionRow } from './postgres/runs.ts';
export type { OpenQuestion, SessionState, SessionStatus } from './postgres/sessions.ts';
export { checkTables, type Migrated, TABLES_VERSION } from './postgres/tables/migrations.ts';
export { pendingMigrations, prepareDatabase } from './prepare-database.ts';
export { pruneSessions } from './prune-sessions.ts';
export type { FollowOptions } from './stream/follow.ts';
export type { Followed } from './stream/reader.ts';
export { type Worker, type WorkerOptions, worker } from './worker.ts';
export { MODULE_FIELDS, type WorkerModule } from './worker-module.ts';
export type { Workspace } from './workspace.ts';
