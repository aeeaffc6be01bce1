/** Sessions that outlive a process and a machine: Postgres holds them, workers run them. */
export {
  type DurableClient,
  type DurableClientOptions,
  durableClient,
  type SendOptions,
  type Sent,
} from './client.ts';
export type { Dispatch, Executor, ExecutorOptions, Run, Runner, RunState } from './dispatch.ts';
export { inProcessRunner } from './in-process-runner.ts';
export { type Operator, openOperator, type SessionDetails } from './operate.ts';
export type { Limit } from './postgres/admission/bucket.ts';
export { type LimitScope, setLimit } from './postgres/admission/buckets.ts';
export { type Database, openDatabase } from './postgres/database.ts';
export { type Overview, overviewOf, type SeenWorker } from './postgres/overview.ts';
export type { SessionRow } from './postgres/runs.ts';
export { checkTables, type Migrated, TABLES_VERSION } from './postgres/tables/migrations.ts';
export {
  setTenantLimits,
  type TenantLimitChanges,
  type TenantLimits,
  type TenantUse,
  tenantUse,
} from './postgres/tenants/tenant-limits.ts';
export { pendingMigrations, prepareDatabase } from './prepare-database.ts';
export { archiveSessions, restoreSession } from './retention/archive-sessions.ts';
export { folderStore } from './retention/folder-store.ts';
export { pruneSessions } from './retention/prune-sessions.ts';
export { type Shortened, shortenSessions } from './retention/shorten-sessions.ts';
export type { OpenQuestion, SessionState, SessionStatus } from './session-status.ts';
export type { FollowOptions } from './stream/follow.ts';
export type { Followed } from './stream/reader.ts';
export type { WorkerFigure } from './watch/figure.ts';
export { type HealthServer, serveHealth, type WorkerHealth } from './watch/health.ts';
export { type InspectionSources, openInspectionSources } from './watch/inspection-sources.ts';
export type { LogLine } from './watch/log.ts';
export { worker } from './worker.ts';
export { MODULE_FIELDS, type Worker, type WorkerModule, type WorkerOptions } from './worker-options.ts';
export type { Workspace } from './workspace.ts';
