/** A model call of the host's own under a strict budget: its attempts are not seen, so it counts as one. */
import { replaceUsage } from '../../model/catalog/usage.ts';
import type {
  CallModel,
  CallOptions,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../../protocol/model/model.ts';
import type { AttemptCost, SpendGuard } from '../../protocol/model/spend-guard.ts';
import { EMPTY_USAGE, type StreamEvent, type Usage } from '../../protocol/model/wire.ts';

interface Guarded {
  readonly call: CallModel;
  readonly guard: SpendGuard;
  readonly info: ModelInfo;
}

export async function* guardedCall(
  { call, guard, info }: Guarded,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { retry } = options;
  const held = await guard.reserve({ request, info, maxTokens: request.maxTokens }, options);
  if (held.kind === 'aborted') return { kind: 'aborted', retry, attempts: [] };
  if (held.kind === 'refused') return { kind: 'failed', failure: held.failure, retry, attempts: [] };
  let usage: Usage | undefined;
  let outcome: ModelOutcome | undefined;
  const run = call({ ...request, maxTokens: held.maxTokens }, options);
  try {
    for (;;) {
      const step = await run.next();
      if (step.done === true) {
        outcome = step.value;
        return outcome;
      }
      if (step.value.kind === 'events') usage = usageAfter(step.value.events, usage);
      yield step.value;
    }
  } finally {
    held.settle(costOf(outcome, usage));
    if (outcome === undefined) await run.return({ kind: 'aborted', retry, attempts: [] });
  }
}

function usageAfter(events: readonly StreamEvent[], before: Usage | undefined): Usage | undefined {
  let usage = before;
  for (const event of events) {
    if (event.type === 'message_start') usage = { ...EMPTY_USAGE, ...event.message.usage };
    if (event.type === 'message_delta') usage = replaceUsage(usage ?? EMPTY_USAGE, event.usage);
  }
  return usage;
}

function costOf(outcome: ModelOutcome | undefined, usage: Usage | undefined): AttemptCost {
  if (outcome?.kind === 'complete') return { kind: 'complete', usage };
  const isRefused = outcome?.kind === 'failed' && (outcome.failure.status ?? 0) >= 400;
  return isRefused || outcome?.kind === 'parked' ? { kind: 'free' } : { kind: 'partial', usage };
}
