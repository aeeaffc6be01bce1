import { errorText } from '@turnwright/base/text/error-text.ts';
import { stop } from '../decision.ts';
import { errorMessage } from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';

/** An error that is not the model call's own (those are values): a bug, a broken tool set, a full disk. */
export const unexpectedError: Rule = {
  name: 'unexpected_error',
  applies: (facts) => facts.thrown !== undefined,
  async run(facts, output, iteration) {
    const { state } = output;
    if (facts.thrown === undefined) return PASS;
    const { error } = facts.thrown;
    const text = errorText(error);
    const image =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'image_size' || error.code === 'image_resize');
    const message = errorMessage(iteration.deps, text, image ? 'invalid_request' : 'unknown');
    try {
      await iteration.emit(message);
    } catch {
      await iteration.output.emit([message]); // the journal itself may be what failed; the consumer gets the error all the same
    }
    return stop(state, image ? 'image_error' : 'model_error', { errors: [text] });
  },
};
