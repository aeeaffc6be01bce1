/**
 * Tracing: the part of OpenTelemetry's API that the engine calls, and the ports of the rooms whose work
 * becomes spans. A tracer of the package `@opentelemetry/api` has this shape; the engine does not depend on
 * it.
 */

type AttributeValue = string | number | boolean;
export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

/** A `Context` of OpenTelemetry: what a span is started in, its parent included. */
export interface TraceContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): TraceContext;
  deleteValue(key: symbol): TraceContext;
}

/** A `Span` of OpenTelemetry. */
export interface TraceSpan {
  setAttributes(attributes: SpanAttributes): unknown;
  addEvent(name: string, attributes: SpanAttributes): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

interface SpanOptions {
  readonly kind: number;
  readonly attributes: Record<string, AttributeValue>;
}

/**
 * A `Tracer` of OpenTelemetry.
 *
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 * const tracer: Tracer = trace.getTracer('my-app');
 * ```
 */
export interface Tracer {
  startSpan(name: string, options: SpanOptions, context?: TraceContext): TraceSpan;
  /** Also makes the span the active one while `run` works. Without it, spans are started alone. */
  startActiveSpan?(
    name: string,
    options: SpanOptions,
    context: TraceContext,
    run: (span: TraceSpan) => unknown,
  ): unknown;
}

/** See `Options.tracing`. */
export interface TracingOptions {
  readonly tracer: Tracer;
  /**
   * The context that the spans of submissions are started in.
   * @default the one that is active when `query()` is called
   */
  readonly context?: TraceContext | undefined;
}

/** A `tool_use` block: the same object at the begin and at the end. */
interface TracedCall {
  readonly id: string;
  readonly name: string;
}

/** Spans of the tool calls of one agent. */
export interface CallSpans {
  /** Runs the call within a span, until `ended`: it may be answered before it has ended by itself. */
  around<T>(call: TracedCall, run: () => Promise<T>): Promise<T>;
  /** `error`: why there is no good result. Without a span, and the second time, it does nothing. */
  ended(call: TracedCall, error: string | undefined): void;
}

interface TracedHook {
  readonly event: string;
  /** A callback, a command, … */
  readonly type: string;
  /** The call that the event is about, and the agent that the event concerns. */
  readonly toolUseId?: string | undefined;
  readonly agentId?: string | undefined;
}

export interface HookSpans {
  around<T extends { readonly kind: string }>(hook: TracedHook, run: () => Promise<T>): Promise<T>;
}
