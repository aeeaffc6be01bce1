import { PASS, type Rule, stop } from '../decision.ts';
import { errorMessage } from '../say.ts';

/** An error that is not the model call's own (those are values): a bug, a broken tool set, a full disk. */
export const threw: Rule = {
  name: 'threw',
  applies: (facts) => facts.thrown !== undefined,
  async *run(facts, state, iteration) {
    if (facts.thrown === undefined) return PASS;
    const { error } = facts.thrown;
    const text = error instanceof Error ? error.message : String(error);
    const image =
      error instanceof Error &&
      'code' in error &&
      (error.code === 'image_size' || error.code === 'image_resize');
    const message = errorMessage(iteration.deps, text, image ? 'invalid_request' : 'unknown');
    try {
      yield* iteration.say(message);
    } catch {
      yield message; // what threw may be the journal itself; the reader still has to learn of it
    }
    return stop(state, image ? 'image_error' : 'model_error', { errors: [text] });
  },
};
