import { goOn, type Rule, stop } from '../decision.ts';
import { outcomeOf } from '../outcome.ts';
import { errorMessage, RESUME_AFTER_CUT, userMessage } from '../say.ts';
import { maxOutputTokensEscalate, maxOutputTokensRecovery } from '../transitions.ts';

const MAX_RESUMES = 3;

/**
 * The answer hit the output cap. At the default cap the same request goes out again with a higher one and the cut
 * answer is taken back; after that the cut text is kept and the model is asked to go on, three times at most.
 */
export const outputCap: Rule = {
  name: 'output_cap',
  applies: ({ stopReason }) => stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded',
  async *run(facts, state, iteration) {
    const windowFull = facts.stopReason === 'model_context_window_exceeded';
    const { params, deps } = iteration;
    const raised = Math.min(params.escalatedOutputCap, deps.modelLimits(state.model.current).maxOutputTokens);
    const mayEscalate =
      !windowFull &&
      params.maxOutputTokens === undefined &&
      !state.recovery.escalated &&
      raised > (iteration.trace.request?.maxTokens ?? params.defaultOutputCap);
    if (mayEscalate) {
      yield* iteration.takeBack(facts.messages, 'escalated');
      return goOn(maxOutputTokensEscalate(state, raised, facts.outputTokens));
    }
    if (state.recovery.outputTokenCount < MAX_RESUMES) {
      // Thinking alone cannot be continued, only asked for again.
      const kept = facts.answer === 'text';
      if (!kept) yield* iteration.takeBack(facts.messages, 'unusable');
      if (!kept) iteration.response.messages = [];
      const resume = yield* iteration.say(userMessage(deps, RESUME_AFTER_CUT, 'resume'));
      return goOn(maxOutputTokensRecovery(state, outcomeOf(iteration, [resume])));
    }
    yield* iteration.say(
      errorMessage(
        deps,
        `The answer was longer than the output limit allows, and ${MAX_RESUMES} attempts to continue it were cut off as well.`,
        'max_output_tokens',
      ),
    );
    return stop(state, 'api_error');
  },
};
