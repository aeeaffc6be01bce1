/** Money for one attempt, of a budget that holds: where it will be there later, a run may wait for it. */
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { CallOptions } from '../../protocol/model/model.ts';
import type { Reservation, SpendGuard, SpendNeed } from '../../protocol/model/spend-guard.ts';
import type { Clock } from '../../protocol/ports.ts';

interface AffordOptions {
  readonly isTooLong: CallOptions['isTooLong'] | undefined;
  readonly life: Pick<Life, 'signal'>;
  readonly clock: Pick<Clock, 'nowMs' | 'sleep'>;
}

/** There may be money earlier than was said: a limit can be raised. */
const LOOK_AGAIN_MS = 30_000;

/** `parked`: what has to be waited for is too long for the run. Calls that may not park fail instead. */
export async function afford(
  guard: SpendGuard,
  need: SpendNeed,
  { life, clock, isTooLong }: AffordOptions,
): Promise<
  | Reservation
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'parked'; readonly wakeAt: number; readonly why: string }
> {
  for (;;) {
    const answer = await guard.reserve(need, life);
    if (answer.kind === 'refused') return { kind: 'failed', failure: answer.failure };
    if (answer.kind !== 'later') return answer;
    const { wakeAt, why } = answer;
    if (isTooLong === undefined) return { kind: 'failed', failure: { kind: 'budget', message: why } };
    const ms = Math.max(0, wakeAt - clock.nowMs());
    if (isTooLong(ms)) return { kind: 'parked', wakeAt, why };
    try {
      await clock.sleep(Math.min(ms, LOOK_AGAIN_MS), life.signal);
    } catch {
      return { kind: 'aborted' };
    }
  }
}
