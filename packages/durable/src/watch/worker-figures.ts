/** Figures of a worker, for supervisors and for Prometheus. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemClock } from '@turnwright/base/clock.ts';
import type { SDKResultMessage } from '@turnwright/engine';
import type { WorkerFigure } from './figure.ts';
import type { WorkerHealth } from './health.ts';
import { createHistogram, type Histogram, SECONDS } from './histogram.ts';

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
  /** A run began, so many seconds after it was queued. Returns what is called when it has ended. */
  began(waitedSeconds: number): () => void;
  /** A request to a model has ended. */
  modelAsked(request: { readonly startMs: number; readonly endMs: number }): void;
  /** A result of a tenant's session. */
  answered(tenant: string, result: SDKResultMessage): void;
  readonly health: WorkerHealth;
}

interface FiguresOptions {
  /** Sessions that run now. */
  readonly running: () => number;
  /** Why the worker does not work; undefined: it does. */
  readonly trouble: () => string | undefined;
  /** Connections to the database. */
  readonly pool: () => { readonly open: number; readonly idle: number; readonly waiting: number };
  /** Of the database as a whole. */
  readonly database: () => Promise<readonly WorkerFigure[]>;
}

/** Further tenants and models are counted together, so that a scrape stays small. */
const MOST_PAIRS = 500;

const KINDS = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadInputTokens',
  cache_write: 'cacheCreationInputTokens',
} as const;

export function createFigures({ running, trouble, pool, database }: FiguresOptions): Figures {
  const counts = new Map<Counter, number>();
  const used = createSums();
  const reasons = createSums();
  const waits = createHistogram(SECONDS);
  const runs = createHistogram(SECONDS);
  const requests = createHistogram(SECONDS);
  const delays = monitorEventLoopDelay({ resolution: 50 });
  delays.enable();
  let asking = 0;
  let modelSeconds = 0;

  const own = (): readonly WorkerFigure[] => {
    const { heapUsed, rss } = process.memoryUsage();
    const { open, idle, waiting } = pool();
    const longest = delays.max / 1e9;
    delays.reset();
    return [
      gauge('sessions_running', 'Sessions that run on this worker now.', running()),
      gauge('questions_waiting', 'Questions of running sessions that wait for an answer now.', asking),
      gauge('worker_heap_bytes', 'Heap in use.', heapUsed),
      gauge('worker_resident_bytes', 'Resident set.', rss),
      gauge('worker_stop_seconds', 'Longest stop of the event loop since the last scrape.', longest),
      gauge('worker_connections', 'Connections to the database.', open),
      gauge('worker_connections_idle', 'Connections that nothing uses now.', idle),
      gauge('worker_connections_awaited', 'Statements that wait for a connection.', waiting),
      ...Object.entries(COUNTERS).map(([name, help]) =>
        counter(name, help, counts.get(name as Counter) ?? 0),
      ),
      ...reasons
        .list(['reason'])
        .map(([labels, value]) =>
          counter(
            'results_by_reason',
            'Results of submissions by the reason for which they ended.',
            value,
            labels,
          ),
        ),
      counter('model_seconds', 'Time that model requests took, of all results.', modelSeconds),
      ...used
        .list(['tenant', 'model', 'kind'])
        .map(([labels, value]) =>
          labels['kind'] === 'dollars'
            ? counter(
                'cost_dollars',
                'Cost by tenant and model, as results report it.',
                value,
                without(labels),
              )
            : counter('tokens', 'Tokens by tenant, model and kind.', value, labels),
        ),
      histogram('queue_wait_seconds', 'From the request for a run to its begin on this worker.', waits),
      histogram('run_seconds', 'How long runs of this worker took.', runs),
      histogram('model_request_seconds', 'How long requests to models took, failed ones too.', requests),
    ];
  };

  return {
    count(name, by = 1) {
      counts.set(name, (counts.get(name) ?? 0) + by);
    },
    asking(change) {
      asking += change;
    },
    began(waitedSeconds) {
      waits.add(Math.max(0, waitedSeconds));
      const sinceMs = systemClock.monotonicMs();
      return () => runs.add((systemClock.monotonicMs() - sinceMs) / 1_000);
    },
    modelAsked: ({ startMs, endMs }) => requests.add((endMs - startMs) / 1_000),
    answered(tenant, result) {
      reasons.add([result.terminal_reason ?? result.subtype], 1);
      modelSeconds += result.duration_api_ms / 1_000;
      for (const [model, usage] of Object.entries(result.model_usage_since_last_result ?? {})) {
        for (const [kind, field] of Object.entries(KINDS)) used.add([tenant, model, kind], usage[field]);
        used.add([tenant, model, 'dollars'], usage.costUSD);
      }
    },
    health: {
      state() {
        const why = trouble();
        return why === undefined ? { ok: true } : { ok: false, why };
      },
      figures: async () => [...own(), ...(await database())],
    },
  };
}

type Labels = Readonly<Record<string, string>>;

const gauge = (name: string, help: string, value: number): WorkerFigure => ({
  name: `turnwright_${name}`,
  help,
  type: 'gauge',
  value,
});

const counter = (name: string, help: string, value: number, labels?: Labels): WorkerFigure => ({
  name: `turnwright_${name}_total`,
  help,
  type: 'counter',
  value,
  ...(labels !== undefined && { labels }),
});

const histogram = (name: string, help: string, { buckets, count, sum }: Histogram): WorkerFigure => ({
  name: `turnwright_${name}`,
  help,
  type: 'histogram',
  buckets,
  count,
  sum,
});

const without = ({ kind: _, ...labels }: Labels): Labels => labels;

/** Sums by the values of labels. */
function createSums() {
  const sums = new Map<string, number>();
  return {
    add(values: readonly string[], by: number) {
      if (by === 0) return;
      const own = JSON.stringify(values);
      const key =
        sums.has(own) || sums.size < MOST_PAIRS
          ? own
          : JSON.stringify(values.map((value, at) => (at === values.length - 1 ? value : '(others)')));
      sums.set(key, (sums.get(key) ?? 0) + by);
    },
    list: (names: readonly string[]): readonly (readonly [Labels, number])[] =>
      [...sums].map(([key, value]) => {
        const values = JSON.parse(key) as readonly string[];
        return [Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])), value] as const;
      }),
  };
}
