import { goOn, stop } from '../decision.ts';
import { MAX_RESUMES } from '../limits.ts';
import { errorMessage, loopUserMessage, RESUME_AFTER_CUT } from '../loop-messages.ts';
import type { Rule } from '../rule.ts';
import { maxOutputTokensEscalate, maxOutputTokensRecovery } from '../transitions.ts';
import { turnOutput } from '../turn-output.ts';

/**
 * The response reached the output cap. At the default cap it is retracted and the request is repeated with a
 * higher cap; after that the truncated text is kept and the model is asked to continue, three times at most.
 */
export const outputCap: Rule = {
  name: 'output_cap',
  applies: ({ stopReason }) => stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded',
  async run(facts, output, iteration) {
    const { state } = output;
    const windowFull = facts.stopReason === 'model_context_window_exceeded';
    const { params, deps } = iteration;
    const raised = Math.min(params.escalatedOutputCap, deps.modelLimits(state.model.current).maxOutputTokens);
    const mayEscalate =
      !windowFull &&
      params.maxOutputTokens === undefined &&
      !output.response.capWasLowered &&
      !state.recovery.escalated &&
      raised > (output.response.maxTokens ?? params.defaultOutputCap);
    if (mayEscalate) {
      await iteration.retract(facts.messages, 'escalated');
      return goOn(maxOutputTokensEscalate(state, raised, facts.outputTokens));
    }
    if (state.recovery.outputTokenCount < MAX_RESUMES) {
      // A response of thinking alone cannot be continued; it is requested again.
      const kept = facts.answer === 'text' ? facts.messages : [];
      if (kept.length === 0) await iteration.retract(facts.messages, 'unusable');
      const resume = await iteration.emit(loopUserMessage(deps, RESUME_AFTER_CUT, 'resume'));
      const { capWasLowered, maxTokens } = output.response;
      return goOn(
        maxOutputTokensRecovery(state, {
          ...turnOutput(output, iteration, [resume], kept),
          paused: false,
          loweredCap: capWasLowered ? maxTokens : undefined,
        }),
      );
    }
    await iteration.emit(
      errorMessage(
        deps,
        `The answer was longer than the output limit allows, and ${MAX_RESUMES} attempts to continue it were cut off as well.`,
        'max_output_tokens',
      ),
    );
    return stop(state, 'api_error');
  },
};
