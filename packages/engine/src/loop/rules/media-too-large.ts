import type { ModelFailure } from '../../protocol/model/failure.ts';
import { goOn } from '../decision.ts';
import { failureText } from '../loop-messages.ts';
import { giveUp, recoveryInput, tryRecovery } from '../recovery/context-recovery.ts';
import { PASS, type Rule } from '../rule.ts';
import { reactiveCompactRetry } from '../transitions.ts';

/**
 * A part of the conversation was refused: an image or document, or a block that the refusal names. It is
 * replaced, and the request is made again; once, unless each refusal names a block of its own (F11).
 */
export const mediaTooLarge: Rule = {
  name: 'media_too_large',
  applies: ({ failure }) => failure !== undefined && isRefusedPart(failure),
  async run(facts, output, iteration) {
    const { state } = output;
    const { failure } = facts;
    if (failure === undefined) return PASS;
    if (!state.recovery.mediaReduced) {
      const work = iteration.deps.context.recovery.reduceMedia(recoveryInput(output, iteration), failure);
      const reduced = await tryRecovery(work, state, iteration);
      if (reduced !== undefined) {
        const { taskRemaining } = state.budgets;
        return goOn(
          reactiveCompactRetry(state, reduced.view, { mediaReduced: !reduced.named, taskRemaining }),
        );
      }
    }
    if (failure.kind === 'invalid_request') return PASS; // rule 6
    return giveUp(iteration, state, failure, {
      text: failureText(failure, state.model.current),
      reason: 'image_error',
    });
  },
};

function isRefusedPart({ kind, block }: ModelFailure): boolean {
  return kind === 'media_too_large' || (kind === 'invalid_request' && block?.at !== undefined);
}
