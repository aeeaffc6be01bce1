/** A model call of the host's own under a strict budget: its attempts are not seen, so it counts as one. */

import { afford } from '../../model/retry/afford.ts';
import type {
  CallModel,
  CallOptions,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../../protocol/model/model.ts';
import type { AttemptCost, SpendGuard } from '../../protocol/model/spend-guard.ts';
import { UsageMeter } from '../../protocol/model/usage.ts';
import type { StreamEvent, Usage } from '../../protocol/model/wire.ts';
import type { Clock } from '../../protocol/ports.ts';

interface Guarded {
  readonly call: CallModel;
  readonly guard: SpendGuard;
  readonly info: ModelInfo;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
}

export async function* guardedCall(
  { call, guard, info, clock }: Guarded,
  request: ModelRequest,
  options: CallOptions,
): AsyncGenerator<ModelOutput, ModelOutcome> {
  const { retry } = options;
  const { life = options, isTooLong } = options;
  const need = { request, info, maxTokens: request.maxTokens };
  const held = await afford(guard, need, { life, clock, isTooLong });
  if (held.kind !== 'reserved') return { ...held, retry, attempts: [] };
  const meter = new UsageMeter();
  let outcome: ModelOutcome | undefined;
  const run = call({ ...request, maxTokens: held.maxTokens }, options);
  try {
    for (;;) {
      const step = await run.next();
      if (step.done === true) {
        outcome = step.value;
        return outcome;
      }
      if (step.value.kind === 'events') count(step.value.events, meter);
      yield step.value;
    }
  } finally {
    held.settle(classifyCost(outcome, meter.usage));
    if (outcome === undefined) await run.return({ kind: 'aborted', retry, attempts: [] });
  }
}

function count(events: readonly StreamEvent[], meter: UsageMeter): void {
  for (const event of events) {
    if (event.type === 'message_start') meter.begin(event.message.usage);
    if (event.type === 'message_delta') meter.add(event.usage);
  }
}

function classifyCost(outcome: ModelOutcome | undefined, usage: Usage | undefined): AttemptCost {
  if (outcome?.kind === 'complete') return { kind: 'complete', usage };
  const isRefused = outcome?.kind === 'failed' && (outcome.failure.status ?? 0) >= 400;
  return isRefused || outcome?.kind === 'parked' ? { kind: 'free' } : { kind: 'partial', usage };
}
