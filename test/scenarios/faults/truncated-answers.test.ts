import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { decided } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

it('F148 an answer that is cut off every time: a bounded number of attempts, then a stop that says why', async () => {
  const cut = () => reply('On and on', { stop_reason: 'max_tokens' });
  const run = await rehearse({ replies: [cut(), cut(), cut(), cut(), cut()] });
  expect(decided(run.decisions)).toEqual([
    'max_output_tokens_escalate',
    'max_output_tokens_recovery',
    'max_output_tokens_recovery',
    'max_output_tokens_recovery',
    'stop api_error',
  ]);
  expect(successOf(run)).toMatchObject({
    is_error: true,
    terminal_reason: 'api_error',
    result: expect.stringContaining('output limit'),
  });
});
