/**
 * Reports of a run to a collector of OpenTelemetry. What cannot be reported is said once and harms nothing:
 * queues are bounded, and the end of the process waits for them for a second at most.
 */
import { arch, platform, release } from 'node:os';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { machineSettingsFile, type Options, resolveSettings, VERSION } from '@turnwright/engine';
import type { RunFlags } from '../flags/run-flags.ts';
import type { World } from '../world.ts';
import { loadOtel, OtelMissing, type OtelPart } from './otel-packages.ts';
import { type OtelPlan, planTelemetry, type Signal, type SignalPlan } from './otel-plan.ts';
import { isSwitchedOn } from './wants-telemetry.ts';

export interface Telemetry {
  readonly tracing: NonNullable<Options['tracing']>;
  /** Sends what is left. Never rejects. */
  close(): Promise<void>;
}

/** How long the end of the process waits for the collector, in ms. */
const CLOSE_MS = 1_000;
const NAME = 'turnwright';

/** undefined: nothing is to be reported, or nothing can be. `warn`: called once for each reason. */
export async function openTelemetry(
  world: Pick<World, 'cwd' | 'env'>,
  flags: RunFlags,
  warn: (sentence: string) => void,
): Promise<Telemetry | undefined> {
  const env = { ...(await readPersonalVariables(world)), ...world.env };
  const asked = flags.otel === true || isSwitchedOn(env['TURNWRIGHT_OTEL']);
  if (!asked && !isSwitchedOn(env['CLAUDE_CODE_ENABLE_TELEMETRY'])) return undefined;
  const plan = planTelemetry(env, asked);
  for (const problem of plan.problems) warn(`OpenTelemetry: ${problem}`);
  if (plan.signals.length === 0) {
    if (plan.problems.length === 0)
      warn('OpenTelemetry: nothing is reported, because no exporter is set. Set OTEL_METRICS_EXPORTER=otlp.');
    return undefined;
  }
  // The packages read the variables of the process.
  for (const [name, value] of Object.entries(env))
    if (name.startsWith('OTEL_') && process.env[name] === undefined) process.env[name] = value;
  try {
    return startReporting(plan, env, warn);
  } catch (error) {
    const why = errorText(error);
    warn(
      `OpenTelemetry: nothing is reported, because ${error instanceof OtelMissing ? why : `it failed: ${why}`}`,
    );
    return undefined;
  }
}

/** `env` of the settings that the person or the machine's owner wrote. */
async function readPersonalVariables({ cwd, env }: Pick<World, 'cwd' | 'env'>) {
  const managedSettingsFile = machineSettingsFile(process.platform);
  const { effective } = await resolveSettings({ cwd, env, settingSources: ['user'], managedSettingsFile });
  const variables = Object.entries((effective as { readonly env?: object }).env ?? {});
  return Object.fromEntries(variables.filter(([, value]) => typeof value === 'string')) as Record<
    string,
    string
  >;
}

function startReporting(
  { signals, claudeCodeNames, contents }: OtelPlan,
  env: World['env'],
  warn: (sentence: string) => void,
): Telemetry {
  const losses = new Losses();
  const { trace } = loadOtel('api') as unknown as {
    readonly trace: { getTracer(name: string): NonNullable<Options['tracing']>['tracer'] };
  };
  const resource = describeResource();
  const open = (signal: Signal) => {
    const plan = signals.find((each) => each.signal === signal);
    return (
      plan &&
      OPEN[signal]({ resource, exporter: watched(openExporter(plan, claudeCodeNames), losses.note), env })
    );
  };
  const traces = open('traces');
  const metrics = open('metrics');
  const logs = open('logs');
  return {
    tracing: {
      tracer: (traces?.getTracer(NAME, VERSION) ?? trace.getTracer(NAME)) as never,
      meter: metrics?.getMeter(NAME, VERSION) as never,
      logger: logs?.getLogger(NAME, VERSION) as never,
      claudeCodeNames,
      contents,
      traceparent: env['TRACEPARENT'],
    },
    async close() {
      await closeWithin([traces, metrics, logs], losses.note);
      losses.tell(warn);
    },
  };
}

/** Nothing about the command line that was typed: the prompt is a part of it. */
function describeResource(): unknown {
  const { resourceFromAttributes, detectResources, envDetector } = loadOtel('resources') as unknown as {
    resourceFromAttributes(attributes: object): { merge(other: unknown): unknown };
    detectResources(options: object): unknown;
    readonly envDetector: unknown;
  };
  return resourceFromAttributes({
    'service.name': NAME,
    'service.version': VERSION,
    'os.type': platform() === 'win32' ? 'windows' : platform(),
    'os.version': release(),
    'host.arch': arch() === 'x64' ? 'amd64' : arch(),
  }).merge(detectResources({ detectors: [envDetector] }));
}

interface Opening {
  readonly resource: unknown;
  readonly exporter: unknown;
  readonly env: World['env'];
}

const OPEN: Readonly<Record<Signal, (opening: Opening) => OtelPart>> = {
  traces({ resource, exporter }) {
    const { BasicTracerProvider, BatchSpanProcessor } = loadOtel('sdk-trace-base') as never as {
      readonly BasicTracerProvider: new (options: object) => OtelPart;
      readonly BatchSpanProcessor: new (exporter: unknown) => unknown;
    };
    return new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  },
  metrics({ resource, exporter, env }) {
    const { MeterProvider, PeriodicExportingMetricReader } = loadOtel('sdk-metrics') as never as {
      readonly MeterProvider: new (options: object) => OtelPart;
      readonly PeriodicExportingMetricReader: new (options: object) => unknown;
    };
    const exportIntervalMillis = readMs(env['OTEL_METRIC_EXPORT_INTERVAL'], 60_000);
    const exportTimeoutMillis = Math.min(
      exportIntervalMillis,
      readMs(env['OTEL_METRIC_EXPORT_TIMEOUT'], 30_000),
    );
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis });
    return new MeterProvider({ resource, readers: [reader] });
  },
  logs({ resource, exporter, env }) {
    const { BatchLogRecordProcessor, LoggerProvider } = loadOtel('sdk-logs') as never as {
      readonly BatchLogRecordProcessor: new (options: object) => unknown;
      readonly LoggerProvider: new (options: object) => OtelPart;
    };
    const scheduledDelayMillis = readMs(env['OTEL_LOGS_EXPORT_INTERVAL'], 5_000);
    return new LoggerProvider({
      resource,
      processors: [new BatchLogRecordProcessor({ exporter, scheduledDelayMillis })],
    });
  },
};

const PACKAGE_OF = { grpc: 'grpc', 'http/json': 'http', 'http/protobuf': 'proto' } as const;
const SINGULAR = { traces: 'trace', metrics: 'metrics', logs: 'logs' } as const;
const CLASS = {
  traces: 'OTLPTraceExporter',
  metrics: 'OTLPMetricExporter',
  logs: 'OTLPLogExporter',
} as const;

/** Address, headers, time limit and compression are read from the usual variables by the package. */
function openExporter({ signal, protocol }: SignalPlan, claudeCodeNames: boolean): object {
  const exports = loadOtel(`exporter-${SINGULAR[signal]}-otlp-${PACKAGE_OF[protocol]}`);
  const Exporter = exports[CLASS[signal]] as unknown as new (options: object) => object;
  // As Claude Code documents it, where nothing else is set.
  const isDelta =
    claudeCodeNames && process.env['OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE'] === undefined;
  return new Exporter(signal === 'metrics' && isDelta ? { temporalityPreference: DELTA } : {});
}

/** `AggregationTemporalityPreference.DELTA`. */
const DELTA = 0;

interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** The same exporter; what it could not deliver is noted, and what it throws does not get any further. */
function watched(exporter: object, warn: (error: unknown) => void): unknown {
  const send = (items: unknown, done: (result: ExportResult) => void) => {
    try {
      (exporter as { export(items: unknown, done: (result: ExportResult) => void): void }).export(
        items,
        (result) => {
          if (result.code !== 0) warn(result.error ?? 'the collector did not take them');
          done(result);
        },
      );
    } catch (error) {
      warn(error);
      done({ code: 1 });
    }
  };
  return new Proxy(exporter, {
    get(target, name) {
      if (name === 'export') return send;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** What went wrong is said at the end, when nothing else is on the screen; the first reason is enough. */
class Losses {
  #why: string | undefined;

  readonly note = (error: unknown): void => {
    this.#why ??= errorText(error);
  };

  tell(warn: (sentence: string) => void): void {
    if (this.#why !== undefined) warn(`OpenTelemetry: reports were lost: ${this.#why}`);
  }
}

async function closeWithin(
  providers: readonly (OtelPart | undefined)[],
  warn: (error: unknown) => void,
): Promise<void> {
  const ended = Promise.all(providers.map((provider) => provider?.shutdown?.())).then(
    () => undefined,
    (error: unknown) => warn(error),
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      warn(`the collector did not take them within ${CLOSE_MS / 1000} s`);
      resolve();
    }, CLOSE_MS);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}

function readMs(value: string | undefined, byDefault: number): number {
  const ms = Number(value ?? '');
  return Number.isFinite(ms) && ms > 0 ? ms : byDefault;
}
