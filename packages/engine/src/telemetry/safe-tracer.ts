/**
 * A tracer that never fails: spans cannot break what they describe. A span knows the context that its
 * children are started in, so that parents do not depend on what is active when a child begins.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanAttributes, TraceContext, Tracer, TraceSpan, TracingOptions } from '../protocol/tracing.ts';

/**
 * Where a context of OpenTelemetry holds its span. The API makes the key with `Symbol.for`, so that several
 * copies of it in one process understand each other's contexts.
 */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/** As OpenTelemetry numbers them. */
export const INTERNAL = 0;
export const CLIENT = 2;
const STATUS_ERROR = 2;

/** Spans have the time of this machine, whatever clock a session has. ms since 1970. */
export const spanNow = (): number => performance.timeOrigin + performance.now();

/** Ids of nothing but zeros are none. */
const PARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Attributes whose value may be unknown: they are then left out. */
export type OptionalAttributes = Readonly<Record<string, SpanAttributes[string] | undefined>>;

export class OpenSpan {
  readonly #span: TraceSpan | undefined;
  /** What its children are started in; undefined: there is neither a span nor a context. */
  readonly context: TraceContext | undefined;
  isEnded = false;

  /** `span`: undefined when the tracer failed; its children are then those of its parent. */
  constructor(span: TraceSpan | undefined, within: TraceContext | undefined) {
    this.#span = span;
    this.context = span === undefined ? within : (within ?? new PlainContext()).setValue(SPAN_KEY, span);
  }

  /** As the header `traceparent` says it; undefined: there is no span that others could be children of. */
  get traceparent(): string | undefined {
    const span = harmless(() => this.#span?.spanContext?.());
    if (span === undefined || !PARENT.test(`00-${span.traceId}-${span.spanId}-00`)) return undefined;
    return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & 0xff).toString(16).padStart(2, '0')}`;
  }

  set(attributes: OptionalAttributes): void {
    harmless(() => this.#span?.setAttributes(knownAttributes(attributes)));
  }

  /** `error`: the type of the error that it ended with. Only the first end counts. `atMs`: since 1970. */
  end(error: string | undefined, attributes: OptionalAttributes = {}, atMs?: number): void {
    if (this.isEnded) return;
    this.isEnded = true;
    harmless(() => this.#span?.setAttributes(knownAttributes({ ...attributes, 'error.type': error })));
    if (error !== undefined) harmless(() => this.#span?.setStatus({ code: STATUS_ERROR }));
    harmless(() => this.#span?.end(atMs));
  }
}

export class SafeTracer {
  readonly #tracer: Tracer;
  readonly #context: TraceContext | undefined;
  /** Runs a function in the asynchronous context of the caller of `query()`. */
  readonly #asCaller = AsyncLocalStorage.snapshot();

  constructor({ tracer, context, traceparent }: TracingOptions) {
    this.#tracer = tracer;
    this.#context = context ?? remoteContext(traceparent);
  }

  /**
   * Without a parent, it is a child of what the caller of `query()` named, or had active. `startTime`: ms
   * since 1970, default now.
   */
  start(
    name: string,
    kind: number,
    attributes: OptionalAttributes,
    parent: OpenSpan | undefined,
    startTime?: number,
  ): OpenSpan {
    const within = this.#within(parent);
    const options = {
      kind,
      attributes: knownAttributes(attributes),
      ...(startTime !== undefined && { startTime }),
    };
    const span = harmless(() =>
      within === undefined
        ? this.#asCaller(() => this.#tracer.startSpan(name, options))
        : this.#tracer.startSpan(name, options, within),
    );
    return new OpenSpan(span, within);
  }

  /** Runs with the span as the active one, so that spans of the caller's own code are its children. */
  startActive<T>(
    name: string,
    attributes: OptionalAttributes,
    parent: OpenSpan | undefined,
    run: (span: OpenSpan) => Promise<T>,
  ): Promise<T> {
    const within = this.#within(parent);
    let running: Promise<T> | undefined;
    if (within !== undefined && this.#tracer.startActiveSpan !== undefined) {
      const options = { kind: INTERNAL, attributes: knownAttributes(attributes) };
      const begin = (span: TraceSpan) => (running ??= run(new OpenSpan(span, within)));
      harmless(() => this.#tracer.startActiveSpan?.(name, options, within, begin));
    }
    running ??= run(this.start(name, INTERNAL, attributes, parent));
    return running;
  }

  #within(parent: OpenSpan | undefined): TraceContext | undefined {
    return parent?.context ?? this.#context;
  }
}

/** A context without anything of the caller's: it was not given, and the active one cannot be read. */
class PlainContext implements TraceContext {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): TraceContext {
    return new PlainContext(new Map([...this.#values, [key, value]]));
  }

  deleteValue(key: symbol): TraceContext {
    return new PlainContext(new Map([...this.#values].filter(([other]) => other !== key)));
  }
}

/** A parent in another process; undefined: the text is no `traceparent`. */
function remoteContext(traceparent: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags = ''] = PARENT.exec(traceparent?.trim().toLowerCase() ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return new PlainContext().setValue(SPAN_KEY, { spanContext: () => parent });
}

/** undefined: it threw. */
export function harmless<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Without those that are not known. */
export function knownAttributes(attributes: OptionalAttributes): Record<string, SpanAttributes[string]> {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, SpanAttributes[string]>;
}
