import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('token_budget_continuation', () => {
  it('below the target the model is sent on, until 95 % are spent', async () => {
    const some = (text: string, tokens: number) => reply(text, { usage: { output_tokens: tokens } });
    const run = await rehearse({
      replies: [some('First part.', 500), some('Second part.', 460)],
      options: { engine: { tokenBudget: { target: 1_000 } } },
    });
    expect(outline(run.messages)).toEqual(['init', 'text', 'synthetic', 'text', 'result:success']);
    expect(decided(run.decisions)).toEqual(['token_budget_continuation', 'stop completed']);
    expect(successOf(run)).toMatchObject({ is_error: false, num_turns: 2, result: 'Second part.' });
  });
});
