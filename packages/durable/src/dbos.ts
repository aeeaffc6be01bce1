/**
 * DBOS: which worker runs a session, and that one does. The one file that knows it. DBOS keeps no state of a
 * run: a workflow is an order to work on a session, and the journal says what there is to do.
 */
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import { lookOnHint } from './dbos-queues.ts';
import type { Dispatch, Executor, ExecutorOptions, Run, Runner } from './dispatch.ts';
import { formatRunId, parseRunId } from './dispatch.ts';
import { afterCommit, asPgClient, type Database, poolOf, type RunStatement } from './postgres/database.ts';
import { notify } from './postgres/listener.ts';
import { withHosts } from './postgres/runs.ts';
import { takeInTurn } from './take-in-turn.ts';

const WORKFLOW = 'turnwright-run';
const QUEUE = 'turnwright';
const SCHEMA = 'turnwright_dbos';
/** Any worker may carry on what any other began: the journal is read, and no code is replayed. */
const APPLICATION_VERSION = 'journal-1';
/** How soon a queue is looked at first; workers of the version before look so often. */
const POLL_MS = 100;
/** Else a minute: that a run has ended is written so late then, and the next one of its session waits. */
const MOST_RETRY_SECONDS = 1;

const nameQueue = (host: string | null): string => (host === null ? QUEUE : `${QUEUE}@${host}`);

/** Its methods reject with `not_installed` when the package is missing. */
export const dbosRunner: Runner = { prepare, isPrepared, open, start };

async function prepare(url: string): Promise<void> {
  const { logger, migrateSystemDatabase } = await tables();
  await migrateSystemDatabase(url, logger, SCHEMA);
}

async function isPrepared(database: Database): Promise<boolean> {
  const { logger, verifySystemDatabase } = await tables();
  const verified = verifySystemDatabase(database.url, logger, poolOf(database), SCHEMA).then(() => true);
  return verified.catch(() => false);
}

/** `DBOS.migrate` has a logger of its own that writes to stdout. */
async function tables() {
  await loadDbos();
  const { GlobalLogger } = await import('@dbos-inc/dbos-sdk/internal/telemetry/logs');
  const logger = new GlobalLogger(undefined, { logger: SILENT });
  return { logger, ...(await import('@dbos-inc/dbos-sdk/internal/system_database')) };
}

/** Tells this process's worker, if it has one, that there may be a run for it. */
let hint = (): void => {};

async function open(database: Database): Promise<Dispatch> {
  const client = await connect(database);
  const resume = async (runs: readonly Run[]) => {
    for (const host of new Set(runs.map((run) => run.host))) {
      const ids = runs.flatMap((run) => (run.host === host ? formatRunId(run) : []));
      await client.resumeWorkflows(ids, { queueName: nameQueue(host) });
    }
    if (runs.length > 0) await notify(database.run, 'order', '');
    hint();
  };
  /** Transactions that tell all workers that there are runs for them. */
  const told = new WeakSet<RunStatement>();
  const list = (of: Parameters<typeof client.listWorkflows>[0]) =>
    client.listWorkflows({ ...of, workflowName: WORKFLOW, loadInput: false, loadOutput: false });
  return {
    async enqueue(statement, run) {
      if (!told.has(statement)) void notify(statement, 'order', '');
      told.add(statement);
      await client.enqueueInTransaction(
        asPgClient(statement),
        {
          workflowName: WORKFLOW,
          workflowID: formatRunId(run),
          queueName: nameQueue(run.host),
          queuePartitionKey: run.sessionId,
          appVersion: APPLICATION_VERSION,
        },
        run.sessionId,
        run.run,
      );
      afterCommit(statement, hint);
    },
    async states(runs) {
      const known = await list({ workflowIDs: runs.map(formatRunId) });
      const found = new Map(known.map((workflow) => [workflow.workflowID, workflow]));
      return runs.map((run) => {
        const { status, executorId = '' } = found.get(formatRunId(run)) ?? {};
        if (status === 'PENDING') return { heldBy: executorId };
        return status === 'ENQUEUED' || status === 'DELAYED' ? 'waiting' : 'gone';
      });
    },
    async handOver(statement, workerId) {
      const found = await list({ executorId: workerId, status: 'PENDING' });
      const ids = found.map(({ workflowID }) => workflowID);
      const runs = await withHosts(statement, ids.map(parseRunId));
      await resume(runs);
      return runs.length;
    },
    async handOverRuns(runs) {
      // DBOS resumes none when it does not know one.
      const found = await list({ workflowIDs: runs.map(formatRunId), status: 'PENDING' });
      const ids = new Set(found.map(({ workflowID }) => workflowID));
      await resume(runs.filter((run) => ids.has(formatRunId(run))));
    },
    async prune(beforeMs) {
      const endTime = new Date(beforeMs).toISOString();
      const next = () => list({ status: ['SUCCESS', 'ERROR', 'CANCELLED'], endTime, limit: 1_000 });
      for (let ended = await next(); ended.length > 0; ended = await next())
        await client.deleteWorkflows(ended.map(({ workflowID }) => workflowID));
    },
    close: () => client.destroy(),
  };
}

/** DBOS is one for a process: a second executor is refused. */
async function start(options: ExecutorOptions): Promise<Executor> {
  const { database, workerId, host, concurrency, work, stderr } = options;
  const { DBOS } = await loadDbos();
  if (DBOS.isInitialized())
    throw new TurnwrightError(
      'invalid_option',
      'This process has a worker already, or uses DBOS itself: start one worker for each process.',
    );
  DBOS.setConfig({
    name: QUEUE,
    ...toSystemDatabase(database),
    maxConcurrentQueueDispatches: 1,
    executorID: workerId,
    applicationVersion: APPLICATION_VERSION,
    listenQueues: [nameQueue(null), nameQueue(host)],
    useListenNotify: false,
    // There are no schedules.
    schedulerPollingIntervalMs: 600_000,
    runMigrations: false,
    logger: { ...SILENT, error: (problem) => stderr(`DBOS: ${String(problem)}`) },
  });
  const looks = await lookOnHint();
  hint = looks.hint;
  const workThenLook: typeof work = (...given) => work(...given).finally(hint);
  DBOS.registerWorkflow(workThenLook, { name: WORKFLOW, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER });
  (await import('@dbos-inc/dbos-sdk/internal/utils')).dbRetryConfig.maxBackoffSec = MOST_RETRY_SECONDS;
  const client = await connect(database);
  // Before the launch: a queue that is new then is first looked at after a second.
  for (const name of [nameQueue(null), nameQueue(host)])
    await client.registerQueue(name, {
      partitionConcurrency: 1,
      workerConcurrency: concurrency,
      minPollingIntervalMs: POLL_MS,
      onConflict: 'always_update',
    });
  await client.destroy();
  await DBOS.launch();
  await takeInTurn(options, { schema: SCHEMA, hostQueue: nameQueue(host), onMore: hint });
  return {
    hear: hint,
    stop(limitMs) {
      // DBOS would take what comes until it has begun to shut down.
      looks.stop();
      return DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: limitMs });
    },
  };
}

const connect = async (database: Database) =>
  (await loadDbos()).DBOSClient.create({
    ...toSystemDatabase(database),
    applicationName: QUEUE,
    logger: SILENT,
  });

/** The connections of Turnwright, so that a process has one pool. */
const toSystemDatabase = (database: Database) => ({
  systemDatabaseUrl: database.url,
  systemDatabaseSchemaName: SCHEMA,
  systemDatabasePool: poolOf(database),
});

const SILENT = { info() {}, debug() {}, warn() {}, error() {} };

async function loadDbos(): Promise<typeof import('@dbos-inc/dbos-sdk')> {
  try {
    return await import('@dbos-inc/dbos-sdk');
  } catch (cause) {
    throw new TurnwrightError(
      'not_installed',
      'Workers need the package @dbos-inc/dbos-sdk, which is not installed: npm install @dbos-inc/dbos-sdk pg',
      { cause },
    );
  }
}
