import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('malformed_tool_use_exhausted', () => {
  it('a call announced three times and never made: two nudges, then one error', async () => {
    const hollow = () => reply('I will look.', { stop_reason: 'tool_use' });
    const run = await rehearse({ replies: [hollow(), hollow(), hollow()] });
    expect(outline(run.messages)).toEqual([
      'init',
      ...['text', 'synthetic, retracts 1'],
      ...['text, supersedes 1', 'synthetic, retracts 1'],
      'text, supersedes 1',
      'error:server_error',
      'result:success',
    ]);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'malformed_tool_use_exhausted',
      stop_reason: 'stop_sequence',
      num_turns: 3,
      result: expect.stringContaining('3 times in a row'),
    });
    expect(decided(run.decisions)).toEqual([
      'unusable_answer_retry',
      'unusable_answer_retry',
      'stop malformed_tool_use_exhausted',
    ]);
  });
});
