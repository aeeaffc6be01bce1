/** Loads what makes spans, for sessions with a tracer. */
import type { TracingOptions } from '../../protocol/tracing.ts';
import type { SessionSpans } from '../../telemetry/session-spans.ts';

export type { SessionSpans };

/** What is active when this is called, in the sense of `AsyncLocalStorage`, is the parent of the session's spans. */
export async function openSpans(options: TracingOptions): Promise<SessionSpans> {
  const spans = await import('../../telemetry/session-spans.ts');
  return new spans.SessionSpans(options);
}
