import type { RecoveryOutcome } from '../../protocol/context.ts';
import type { ModelFailure } from '../../protocol/failure.ts';
import type { LoopMessage } from '../../protocol/messages.ts';
import { type Decision, goOn, PASS, type Rule, type Verdict } from '../decision.ts';
import type { Iteration } from '../iteration.ts';
import { applyRecovery, giveUp, holdsMedia, recoveryInput } from '../recovery/context-recovery.ts';
import type { State } from '../state.ts';
import { collapseDrainRetry, reactiveCompactRetry } from '../transitions.ts';

const TEXT = 'Prompt is too long';

/**
 * The request did not fit. Cheapest first: commit staged collapses, then one summary, then the trim that needs no
 * model; each at most as often as L7 allows. The failure is shown only when nothing is left to try.
 */
export const promptTooLong: Rule = {
  name: 'prompt_too_long',
  async *run(facts, state, iteration) {
    const { failure } = facts;
    if (failure?.kind !== 'prompt_too_long') return PASS;
    iteration.deps.onStage?.('recovery_check');
    const recovered = yield* recover(failure, state, iteration);
    if (recovered.kind !== 'pass') return recovered;
    if (holdsMedia(state) && !state.recovery.mediaReduced) {
      const reduced = yield* iteration.deps.context.recovery.reduceMedia(
        recoveryInput(state, iteration),
        failure,
      );
      if (reduced.kind === 'edits') return yield* retry(reduced, state, iteration, { mediaReduced: true });
    }
    return yield* giveUp(iteration, state, failure, {
      text: TEXT,
      reason: holdsMedia(state) && failure.status === 413 ? 'image_error' : 'prompt_too_long',
    });
  },
};

async function* recover(
  failure: ModelFailure,
  state: State,
  iteration: Iteration,
): AsyncGenerator<LoopMessage, Verdict> {
  const { recovery } = iteration.deps.context;
  if (state.transition?.reason !== 'collapse_drain_retry') {
    const drained = yield* recovery.drainCollapses(recoveryInput(state, iteration));
    if (drained.kind === 'edits')
      return goOn(collapseDrainRetry(state, await applyRecovery(drained, state, iteration)));
  }
  if (!state.recovery.hasAttemptedReactiveCompact) {
    const compacted = yield* recovery.reactiveCompact(recoveryInput(state, iteration), failure);
    if (compacted.kind === 'edits') return yield* retry(compacted, state, iteration, {});
  }
  if (!state.recovery.trimmed) {
    const trimmed = yield* recovery.mechanicalTrim(recoveryInput(state, iteration));
    if (trimmed.kind === 'edits') return yield* retry(trimmed, state, iteration, { trimmed: true });
  }
  return PASS;
}

async function* retry(
  outcome: Extract<RecoveryOutcome, { kind: 'edits' }>,
  state: State,
  iteration: Iteration,
  how: { readonly trimmed?: boolean; readonly mediaReduced?: boolean },
): AsyncGenerator<LoopMessage, Decision> {
  const view = await applyRecovery(outcome, state, iteration);
  const remaining = state.budgets.taskRemaining;
  const taskRemaining =
    outcome.compacted && remaining !== undefined
      ? Math.max(0, remaining - iteration.trace.tokens)
      : remaining;
  return goOn(reactiveCompactRetry(state, view, { ...how, taskRemaining }));
}
