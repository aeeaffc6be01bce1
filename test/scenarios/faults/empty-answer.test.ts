import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { decided } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

it('F151 an answer with nothing in it: one nudge, then the end; no loop of "continue"', async () => {
  const run = await rehearse({ replies: [reply([]), reply([])] });
  expect(decided(run.decisions)).toEqual(['unusable_answer_retry', 'stop completed']);
  expect(successOf(run)).toMatchObject({ is_error: false, result: '' });
  expect(run.sent).toHaveLength(2);
});

it('F151 the empty answer is not sent back', async () => {
  const run = await rehearse({ replies: [reply([]), reply('There.')] });
  expect(run.sent[1]?.messages.map(({ role }) => role)).toEqual(['user']);
  expect(successOf(run).result).toBe('There.');
});
