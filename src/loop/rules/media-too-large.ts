import { goOn, PASS, type Rule } from '../decision.ts';
import { applyRecovery, giveUp, recoveryInput } from '../recovery/context-recovery.ts';
import { failureText } from '../say.ts';
import { reactiveCompactRetry } from '../transitions.ts';

/** An image or document was refused: strip or replace it, once, then ask again. */
export const mediaTooLarge: Rule = {
  name: 'media_too_large',
  async *run(facts, state, iteration) {
    const { failure } = facts;
    if (failure?.kind !== 'media_too_large') return PASS;
    iteration.deps.onStage?.('recovery_check');
    if (!state.recovery.mediaReduced) {
      const reduced = yield* iteration.deps.context.recovery.reduceMedia(
        recoveryInput(state, iteration),
        failure,
      );
      if (reduced.kind === 'edits') {
        const view = await applyRecovery(reduced, state, iteration);
        return goOn(
          reactiveCompactRetry(state, view, {
            mediaReduced: true,
            taskRemaining: state.budgets.taskRemaining,
          }),
        );
      }
    }
    return yield* giveUp(iteration, state, failure, { text: failureText(failure), reason: 'image_error' });
  },
};
