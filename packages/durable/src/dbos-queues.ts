/**
 * When DBOS looks for runs: at once where there may be one, and rarely by itself. Left alone it looks ten
 * times a second, with nothing to do.
 */
import { randomInt } from 'node:crypto';
import { systemClock } from '@turnwright/base/clock.ts';

/** Without any hint: each transaction that asks for a run gives one, unless a connection is lost. */
const ALONE_MS = 4_000;
/** Right behind one. */
const BETWEEN_MS = 100;
/** How often it reads the list of queues, and looks for runs with a delay or in a queue of its own. */
const UPKEEP_MS = 10_000;

/** The part of DBOS's queue runner that decides when a queue is looked at. */
interface QueueRunner {
  readonly states: ReadonlyMap<string, QueueState>;
  runQueuePoll(executor: unknown, state: QueueState, inFlight: unknown, wake: () => void): Promise<void>;
  adjustInterval(executor: unknown, state: QueueState, contended: boolean): void;
}

interface QueueState {
  /** ms since 1970. */
  nextPollAt: number;
  /** false: a queue of DBOS itself, where no run of a session is. */
  readonly queue: { readonly databaseBacked: boolean };
}

interface QueueLooks {
  /** There may be a run. */
  hint(): void;
  /** From now on none is taken. */
  stop(): void;
}

/** Takes effect for queues that DBOS is launched with afterwards. */
export async function lookOnHint(): Promise<QueueLooks> {
  const { wfQueueRunner } = await import('@dbos-inc/dbos-sdk/internal/wfqueue');
  const { workflowTimeoutConfig } = await import('@dbos-inc/dbos-sdk/internal/workflow_management');
  workflowTimeoutConfig.pollingIntervalMs = UPKEEP_MS;
  const runner = wfQueueRunner as unknown as QueueRunner;
  Object.assign(runner.constructor, { reconcileIntervalMs: UPKEEP_MS, transitionIntervalMs: UPKEEP_MS });
  const { runQueuePoll } = Object.getPrototypeOf(runner) as QueueRunner;
  let hintedAt = 0;
  let wakeRunner = () => {};
  runner.runQueuePoll = (executor, state, inFlight, wake) => {
    wakeRunner = wake;
    return runQueuePoll.call(runner, executor, state, inFlight, wake);
  };
  // What a hint is about may not be committed yet, or its session's run before it may not have ended: it is
  // looked for again after half of the time that has passed. Workers that claim at once get in each other's
  // way: none waits for long.
  runner.adjustInterval = (_executor, state, contended) => {
    const now = systemClock.nowMs();
    const since = Math.min(ALONE_MS, Math.max(BETWEEN_MS, (now - hintedAt) / 2));
    const pause = state.queue.databaseBacked ? (contended ? BETWEEN_MS : since) : UPKEEP_MS;
    state.nextPollAt = now + randomInt(Math.round(pause * 0.9), Math.round(pause * 1.1));
  };
  return {
    hint() {
      const now = systemClock.nowMs();
      hintedAt = now;
      for (const state of runner.states.values())
        if (state.queue.databaseBacked) state.nextPollAt = Math.min(state.nextPollAt, now);
      wakeRunner();
    },
    stop: () => wfQueueRunner.stop(),
  };
}
