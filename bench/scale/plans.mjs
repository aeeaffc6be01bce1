// What is asked of the model: sizes of a deployment, the first walls of one cell, and what all of it costs.

import { simulateCell } from './cell.mjs';

/** Assumptions that are not measured here. Each is printed with the figures. */
export const ASSUMED = {
  /** An iteration of a real session: what the model and its tools take. */
  modelMs: 6_500,
  toolsMs: 1_500,
  /** Iterations from a session's start to its end. */
  iterations: 10,
  /** Worker CPU of an iteration with real payloads: JSON of long histories, results of tools. */
  workerMsPerIteration: 5,
  /** Journal and WAL of an iteration with real payloads; large results lie in blobs. */
  journalBytesPerIteration: 7_000,
  walBytesPerIteration: 20_000,
  postgresCoresOfCell: 16,
  /** A database is planned for this share of its cores, and a worker for the same of its own. */
  plannedUse: 0.5,
  /** Mean load as a share of the peak: what a day's journal is reckoned with. */
  meanOfPeak: 0.3,
  dollarsPerCellMonth: 1_500,
  dollarsPerWorkerCoreMonth: 25,
  dollarsPerTerabyteMonth: 20,
  dollarsPerModelCall: 0.01,
};

const SECONDS_PER_MONTH = 30 * 86_400;
const COMPRESSION = 6;

/** A deployment for so many active sessions: cells by the planned use, and one of them simulated at its share. */
export function deployment(activeSessions, costs, { seconds = 60, seed = 1 } = {}) {
  const { iterations, modelMs, toolsMs, plannedUse, postgresCoresOfCell } = ASSUMED;
  const iterationsPerSecond = (activeSessions * 1_000) / (modelMs + toolsMs);
  const postgresCores =
    (iterationsPerSecond * (costs.postgresMsPerIteration + costs.postgresMsPerRun / iterations)) / 1_000;
  const workerCores = (iterationsPerSecond * ASSUMED.workerMsPerIteration) / 1_000 / plannedUse;
  const cells = Math.max(1, Math.ceil(postgresCores / (postgresCoresOfCell * plannedUse)));
  const simulated = simulateCell({
    cell: { postgresCores: postgresCoresOfCell, workerCores: Math.max(1, Math.ceil(workerCores / cells)) },
    load: {
      startsPerSecond: iterationsPerSecond / iterations / cells,
      iterations,
      modelMs,
      toolsMs,
      deltaBatches: 0,
      followed: 0,
    },
    costs: realPayload(costs),
    // A cell reaches its load when the sessions that began first have ended.
    warmUpSeconds: (2 * iterations * (modelMs + toolsMs)) / 1_000,
    seconds,
    seed,
  });
  const journalBytesPerDay =
    iterationsPerSecond * ASSUMED.journalBytesPerIteration * 86_400 * ASSUMED.meanOfPeak;
  const spare = cells === 1 ? 0 : Math.ceil(cells / 8);
  const storedTerabytes = (3 * journalBytesPerDay + (27 * journalBytesPerDay) / COMPRESSION) / 1e12;
  return {
    activeSessions,
    iterationsPerSecond,
    postgresCores,
    cells,
    spare,
    workerCores,
    walMegabytesPerSecond: (iterationsPerSecond * ASSUMED.walBytesPerIteration) / 1e6,
    journalTerabytesPerDay: journalBytesPerDay / 1e12,
    simulated,
    dollarsPerMonth:
      (cells + spare) * ASSUMED.dollarsPerCellMonth +
      workerCores * ASSUMED.dollarsPerWorkerCoreMonth +
      storedTerabytes * ASSUMED.dollarsPerTerabyteMonth,
    modelDollarsPerMonth:
      iterationsPerSecond * ASSUMED.meanOfPeak * SECONDS_PER_MONTH * ASSUMED.dollarsPerModelCall,
  };
}

/**
 * Which part is used up first when one cell gets more and more sessions: doubles the load until a part is used up, or until
 * an iteration waits a second for the database.
 */
export function firstWall(costs, { followed, deltaBatches, seconds = 20 }) {
  const { iterations, modelMs, toolsMs, postgresCoresOfCell } = ASSUMED;
  let before;
  for (let active = 500; ; active *= 2) {
    const startsPerSecond = (active * 1_000) / (modelMs + toolsMs) / iterations;
    const found = simulateCell({
      cell: { postgresCores: postgresCoresOfCell, workerCores: 1_000 },
      // Short sessions reach the load of long ones at once.
      load: {
        startsPerSecond: startsPerSecond * iterations,
        iterations: 1,
        modelMs,
        toolsMs,
        deltaBatches,
        followed,
      },
      costs: { ...realPayload(costs), postgresMsPerRun: costs.postgresMsPerRun / iterations },
      warmUpSeconds: (2 * (modelMs + toolsMs)) / 1_000,
      seconds,
    });
    const parts = { 'CPU of the database': found.postgresUsed, 'lock of NOTIFY': found.notifyLockUsed };
    const [wall, used] = Object.entries(parts).toSorted(([, a], [, b]) => b - a)[0];
    if (used > 0.85 || found.addedMs.p95 > 1_000) return { active, before, wall, used, found };
    before = active;
  }
}

const realPayload = (costs) => ({
  ...costs,
  workerMsPerIteration: ASSUMED.workerMsPerIteration,
  walBytesPerIteration: ASSUMED.walBytesPerIteration,
});
