import { goOn, PASS, type Rule } from '../decision.ts';
import { giveUp, recoveryInput, tryRecovery } from '../recovery/context-recovery.ts';
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
      const work = iteration.deps.context.recovery.reduceMedia(recoveryInput(state, iteration), failure);
      const reduced = yield* tryRecovery(work, state, iteration);
      if (reduced !== undefined) {
        const { taskRemaining } = state.budgets;
        return goOn(reactiveCompactRetry(state, reduced.view, { mediaReduced: true, taskRemaining }));
      }
    }
    return yield* giveUp(iteration, state, failure, { text: failureText(failure), reason: 'image_error' });
  },
};
