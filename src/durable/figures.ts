/** Figures of a worker, for supervisors and for Prometheus. */
import type { WorkerFigure, WorkerHealth } from './health.ts';

/** Sums since the start of the worker. */
const COUNTERS = {
  runs_started: 'Runs of sessions that began.',
  runs_finished: 'Runs that ended with nothing left to do.',
  runs_parked: 'Runs that ended to wait for an answer or a time.',
  runs_lost: 'Runs that ended because another worker has the session.',
  runs_failed: 'Runs that ended with an error of the worker or the database.',
  results: 'Results of submissions, errors included.',
  runs_handed_over_dead: 'Runs taken from workers that were dead.',
  runs_handed_over_hung: 'Runs taken from workers that were stopped or cut off.',
  runs_handed_over_lost: 'Runs that nobody worked on.',
  sessions_forgotten: 'Sessions that were idle although a prompt had no result, and were queued again.',
} as const;

type Counter = keyof typeof COUNTERS;

interface Figures {
  count(counter: Counter, by?: number): void;
  /** A question began to wait (1), or does not wait any more (-1). */
  asking(change: 1 | -1): void;
  readonly health: WorkerHealth;
}

interface FiguresOptions {
  /** Sessions that run now. */
  readonly running: () => number;
  /** Why the worker does not work; undefined: it does. */
  readonly trouble: () => string | undefined;
}

export function createFigures({ running, trouble }: FiguresOptions): Figures {
  const counts = new Map<Counter, number>();
  let asking = 0;
  const gauge = (name: string, help: string, value: number): WorkerFigure => ({
    name: `turnwright_${name}`,
    help,
    type: 'gauge',
    value,
  });
  return {
    count(counter, by = 1) {
      counts.set(counter, (counts.get(counter) ?? 0) + by);
    },
    asking(change) {
      asking += change;
    },
    health: {
      state() {
        const why = trouble();
        return why === undefined ? { ok: true } : { ok: false, why };
      },
      figures: () => [
        gauge('sessions_running', 'Sessions that run on this worker now.', running()),
        gauge('questions_waiting', 'Questions of running sessions that wait for an answer now.', asking),
        gauge('worker_heap_bytes', 'Heap in use.', process.memoryUsage().heapUsed),
        ...Object.entries(COUNTERS).map(([name, help]) => ({
          name: `turnwright_${name}_total`,
          help,
          type: 'counter' as const,
          value: counts.get(name as Counter) ?? 0,
        })),
      ],
    },
  };
}
