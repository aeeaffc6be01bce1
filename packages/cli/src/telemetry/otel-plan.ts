/** What is reported, and where to, by the variables that OpenTelemetry and Claude Code document. */
import { isSwitchedOn } from './wants-telemetry.ts';

export type Signal = 'traces' | 'metrics' | 'logs';

export interface SignalPlan {
  readonly signal: Signal;
  readonly protocol: 'grpc' | 'http/json' | 'http/protobuf';
}

export interface OtelPlan {
  readonly signals: readonly SignalPlan[];
  readonly claudeCodeNames: boolean;
  /** What of it cannot be done; one sentence each. */
  readonly problems: readonly string[];
  readonly contents: { readonly messages: boolean; readonly tools: boolean };
}

type Env = Readonly<Record<string, string | undefined>>;

const PROTOCOLS = ['grpc', 'http/json', 'http/protobuf'] as const;
const SIGNALS: readonly Signal[] = ['traces', 'metrics', 'logs'];

/** `asked`: by `--otel`, or for Turnwright, so that what is not set has the defaults of OpenTelemetry. */
export function planTelemetry(env: Env, asked: boolean): OtelPlan {
  const claudeCodeNames = isSwitchedOn(env['CLAUDE_CODE_ENABLE_TELEMETRY']);
  const problems: string[] = [];
  const signals = SIGNALS.flatMap((signal): SignalPlan[] => {
    const name = `OTEL_${signal.toUpperCase()}_EXPORTER`;
    // Claude Code reports what was named; events are only there under its names.
    const byDefault = asked && (signal !== 'logs' || claudeCodeNames) ? 'otlp' : 'none';
    const exporters = split(env[name]);
    const wanted = exporters.length > 0 ? exporters : [byDefault];
    for (const exporter of wanted.filter((each) => each !== 'otlp' && each !== 'none'))
      problems.push(`${name} names "${exporter}", which is not supported: "otlp" and "none" are.`);
    if (!wanted.includes('otlp')) return [];
    if (signal === 'logs' && !claudeCodeNames) {
      problems.push(`${name} has no effect: events are reported with CLAUDE_CODE_ENABLE_TELEMETRY=1.`);
      return [];
    }
    return [{ signal, protocol: readProtocol(signal, env, problems) }];
  });
  const all = split(env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']).some(
    (value) => isSwitchedOn(value) || /^(?:span|event|span_and_event)(?:_only)?$/i.test(value),
  );
  return {
    signals,
    claudeCodeNames,
    problems,
    contents: {
      messages: all || isSwitchedOn(env['OTEL_LOG_USER_PROMPTS']),
      tools: all || isSwitchedOn(env['OTEL_LOG_TOOL_CONTENT']),
    },
  };
}

function readProtocol(signal: Signal, env: Env, problems: string[]): SignalPlan['protocol'] {
  const names = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL'];
  for (const name of names) {
    const value = env[name]?.trim();
    if (value === undefined || value === '') continue;
    const known = PROTOCOLS.find((protocol) => protocol === value);
    if (known !== undefined) return known;
    problems.push(`${name} is "${value}", which is no protocol: ${PROTOCOLS.join(', ')} are.`);
  }
  return 'http/protobuf';
}

const split = (value: string | undefined): readonly string[] =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
