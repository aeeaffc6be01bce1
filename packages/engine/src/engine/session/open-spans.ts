/** Loads what makes spans, for sessions with a tracer. */
import type { TracingOptions } from '../../protocol/tracing.ts';
import type { SessionSpans } from '../../telemetry/session-spans.ts';

export type { SessionSpans };

/** The asynchronous context of the call tells the tracer which span is the parent of the session's. */
export async function openSpans(options: TracingOptions): Promise<SessionSpans> {
  const spans = await import('../../telemetry/session-spans.ts');
  return new spans.SessionSpans(options);
}
