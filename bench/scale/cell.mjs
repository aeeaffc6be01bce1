// One cell as a discrete-event model: a Postgres with its own workers. Sessions come, are dispatched, iterate (the
// model answers, tools run, entries are appended, deltas are published) and end.
//
// What is modelled: CPU of the database and of the workers, each a queue before its cores; the lock that a commit with
// NOTIFY takes, which is one for the whole database; the disk, a delay for each commit; the poll of the queue. What is
// not: memory, vacuum, the network.

import { EventQueue, Station } from './event-queue.mjs';
import { exponential, randomOf } from './random.mjs';

/**
 * `cell`: `postgresCores`, `workerCores` (or `sharedCores` for all of it on one machine), `slots` (runs at a time).
 * `load`: `startsPerSecond` (or `sessions`, all at the start), `iterations` of a session, `modelMs`, `toolsMs`,
 * `deltaBatches` of an answer, `followed` (share of sessions, 0 to 1).
 * `costs`: see costs.json. Figures are those of `seconds` after `warmUpSeconds`.
 */
export function simulateCell({ cell, load, costs, seconds, warmUpSeconds = 0, seed = 1 }) {
  const queue = new EventQueue();
  const random = randomOf(seed);
  const postgres = new Station(queue, cell.sharedCores ?? cell.postgresCores);
  const workers = cell.sharedCores === undefined ? new Station(queue, cell.workerCores) : postgres;
  const notifyLock = new Station(queue, 1);
  const slots = cell.slots ?? Number.POSITIVE_INFINITY;
  let added = [];
  let dispatched = [];
  let iterations = 0;
  let finished = 0;
  let lastEndMs = 0;
  let walBytes = 0;

  const cpu = (station, meanMs, next) => station.serve(exponential(random, meanMs), next);

  function start() {
    const askedMs = queue.nowMs;
    cpu(postgres, costs.postgresMsPerRun, () =>
      queue.after(random() * costs.pollMs, () =>
        slotted((release) => {
          dispatched.push(queue.nowMs - askedMs);
          iterate(load.iterations, random() < load.followed, () => {
            finished++;
            lastEndMs = queue.nowMs;
            release();
          });
        }),
      ),
    );
  }

  /** A run occupies its slot until it ends, however long that takes. */
  let taken = 0;
  const waitingRuns = [];
  function slotted(run) {
    if (taken === slots) {
      waitingRuns.push(run);
      return;
    }
    taken++;
    run(() => {
      taken--;
      const next = waitingRuns.shift();
      if (next !== undefined) slotted(next);
    });
  }

  function iterate(left, followed, end) {
    if (left === 0) {
      end();
      return;
    }
    const startedMs = queue.nowMs;
    const outsideMs = exponential(random, load.modelMs) + exponential(random, load.toolsMs);
    let open = 1;
    const over = () => {
      if (--open > 0) return;
      iterations++;
      added.push(queue.nowMs - startedMs - outsideMs);
      iterate(left - 1, followed, end);
    };
    // Deltas come while the model answers; nothing waits for them but the next append of the session.
    const batches = followed ? load.deltaBatches : 0;
    open += batches;
    for (let n = 1; n <= batches; n++) queue.after((outsideMs * n) / (batches + 1), () => publish(over));
    queue.after(outsideMs, () =>
      cpu(workers, costs.workerMsPerIteration, () =>
        cpu(postgres, costs.postgresMsPerIteration, () => {
          walBytes += costs.walBytesPerIteration;
          queue.after(costs.commitMs * costs.commitsPerIteration, over);
        }),
      ),
    );
  }

  /** A batch of deltas: one row, and a commit that notifies the followers. */
  function publish(done) {
    cpu(workers, costs.workerMsPerDeltaBatch, () =>
      cpu(postgres, costs.postgresMsPerDeltaBatch, () => notifyLock.serve(costs.notifyLockMs, done)),
    );
  }

  if (load.sessions === undefined) {
    const arrive = () => {
      start();
      queue.after(exponential(random, 1_000 / load.startsPerSecond), arrive);
    };
    queue.after(exponential(random, 1_000 / load.startsPerSecond), arrive);
  } else for (let n = 0; n < load.sessions; n++) start();
  queue.runUntil(warmUpSeconds * 1_000);
  for (const station of [postgres, workers, notifyLock]) station.busyMs = 0;
  [added, dispatched] = [[], []];
  iterations = 0;
  walBytes = 0;
  queue.runUntil((warmUpSeconds + seconds) * 1_000);

  const elapsedMs = load.sessions !== undefined && finished === load.sessions ? lastEndMs : seconds * 1_000;
  return {
    iterationsPerSecond: (iterations * 1_000) / elapsedMs,
    finished,
    elapsedMs,
    addedMs: quantiles(added),
    dispatchMs: quantiles(dispatched),
    postgresUsed: postgres.usedOf(elapsedMs),
    workersUsed: workers.usedOf(elapsedMs),
    notifyLockUsed: notifyLock.usedOf(elapsedMs),
    walMegabytesPerSecond: walBytes / 1_000 / elapsedMs,
  };
}

function quantiles(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
