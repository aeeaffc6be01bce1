/**
 * Tracing: the part of OpenTelemetry's API that the engine calls, and the ports of the rooms whose work
 * becomes spans. A tracer of the package `@opentelemetry/api` has this shape; the engine does not depend on
 * it.
 */

type AttributeValue = string | number | boolean | string[];
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
  /** `endTime`: ms since 1970. Default: now. */
  end(endTime?: number): void;
  /** Without it, nothing of the span is passed on to other processes. */
  spanContext?(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
}

interface SpanOptions {
  readonly kind: number;
  // biome-ignore lint/suspicious/noExplicitAny: lists are mutable in the types of OpenTelemetry.
  readonly attributes: Record<string, any>;
  /** ms since 1970. Default: now. */
  readonly startTime?: number;
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

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  readonly advice?: { explicitBucketBoundaries?: number[] } | undefined;
}

/** A `Meter` of OpenTelemetry. */
export interface Meter {
  createCounter(
    name: string,
    options: InstrumentOptions,
  ): { add(value: number, attributes: SpanAttributes): void };
  createHistogram(
    name: string,
    options: InstrumentOptions,
  ): { record(value: number, attributes: SpanAttributes): void };
}

/** A `Logger` of OpenTelemetry: what it is given is an event. */
export interface EventLogger {
  // biome-ignore lint/suspicious/noExplicitAny: values are mutable in the types of OpenTelemetry.
  emit(record: { readonly [field: string]: any }): void;
}

/** Which contents spans and events hold. Default: none. */
export interface TracedContents {
  /** Prompts, answers, and what the model was sent. */
  readonly messages?: boolean | undefined;
  /** Inputs and results of tools. */
  readonly tools?: boolean | undefined;
}

/** See `Options.tracing`. */
export interface TracingOptions {
  readonly tracer: Tracer;
  /**
   * Counts and measures what the spans show. Default: nothing is measured.
   *
   * @example
   * ```ts
   * // With `metrics` of `@opentelemetry/api`: measuredBy(metrics.getMeter('my-app'))
   * const measuredBy = (tracer: Tracer, meter: Meter): Options => ({ tracing: { tracer, meter } });
   * ```
   */
  readonly meter?: Meter | undefined;
  /** Receives the events that Claude Code documents. @default none */
  readonly logger?: EventLogger | undefined;
  /** Metrics and events also under the names that Claude Code documents. @default false */
  readonly claudeCodeNames?: boolean | undefined;
  /**
   * Parent of the submissions in another process, as its `traceparent` (W3C). What is not one is ignored;
   * `context` goes before it.
   */
  readonly traceparent?: string | undefined;
  /** @default none */
  readonly contents?: TracedContents | undefined;
  /** A span for each iteration, between the submission and what it did. @default true */
  readonly iterations?: boolean | undefined;
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
  readonly input?: unknown;
}

/** Spans of the tool calls of one agent. */
export interface CallSpans {
  /** Runs the call within a span, until `ended`: it may be answered before it has ended by itself. */
  around<T>(call: TracedCall, run: () => Promise<T>): Promise<T>;
  /** Of its span, for other processes; undefined: it has none. */
  traceparentOf(callId: string): string | undefined;
  /** `error`: why there is no good result. Without a span, and the second time, it does nothing. */
  ended(
    call: TracedCall,
    error: string | undefined,
    output?: { readonly data: unknown; readonly content: unknown },
  ): void;
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
  around<T extends { readonly kind: string }>(
    hook: TracedHook,
    run: (traceparent: string | undefined) => Promise<T>,
  ): Promise<T>;
}
