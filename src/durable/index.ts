/** Sessions that outlive a process and a machine: Postgres holds them, workers run them. */
export { type HealthServer, serveHealth, type WorkerFigure, type WorkerHealth } from './health.ts';
export { type Database, type OwnConnection, openDatabase, type RunStatement } from './postgres/database.ts';
export { checkTables, type Migrated, migrate, TABLES_VERSION } from './postgres/migrations.ts';
export { type Overview, overviewOf, pruneSessions, type SeenWorker } from './postgres/overview.ts';
