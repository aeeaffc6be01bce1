import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('stop_hook_prevented', () => {
  it('a Stop hook that says continue: false ends the run as the success it was', async () => {
    const run = await rehearse({
      replies: [reply('All done.')],
      options: {
        hooks: { Stop: [{ hooks: [async () => ({ continue: false, stopReason: 'Enough for today.' })] }] },
      },
    });
    expect(outline(run.messages)).toEqual(['init', 'text', 'informational', 'result:success']);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      terminal_reason: 'stop_hook_prevented',
      stop_reason: 'end_turn',
      num_turns: 1,
      result: 'All done.',
    });
    expect(decided(run.decisions)).toEqual(['stop stop_hook_prevented']);
  });
});
