/** Instruments that never fail, made at their first use. */
import type { Meter, SpanAttributes } from '../protocol/tracing.ts';
import { harmless, knownAttributes, type OptionalAttributes } from './safe-tracer.ts';
import type { MetricRow } from './signal-names.ts';

type Measure = (value: number, attributes: SpanAttributes) => void;

export class SafeMeter {
  readonly #meter: Meter;
  readonly #instruments = new Map<string, Measure | undefined>();

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** Adds to a counter, or records in a histogram, by what its row says. */
  record(row: MetricRow, value: number, attributes: OptionalAttributes): void {
    const [name] = row;
    if (!this.#instruments.has(name))
      this.#instruments.set(
        name,
        harmless(() => this.#open(row)),
      );
    harmless(() => this.#instruments.get(name)?.(value, knownAttributes(attributes)));
  }

  #open([name, unit, description, bounds]: MetricRow): Measure {
    if (bounds === undefined) {
      const counter = this.#meter.createCounter(name, { unit, description });
      return (value, attributes) => counter.add(value, attributes);
    }
    const advice = { explicitBucketBoundaries: [...bounds] };
    const histogram = this.#meter.createHistogram(name, { unit, description, advice });
    return (value, attributes) => histogram.record(value, attributes);
  }
}
