import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('F38 the connection is reset after some text, before any tool', () => {
  it('F38 the emitted text is retracted, the same request is sent again, the text appears once', async () => {
    const run = await rehearse({
      replies: [
        // start, block, delta, stop, block: a whole block was shown when it breaks.
        reply(['The first half.', 'The second half.'], {
          faults: [{ name: 'reset-after-events', after: 5 }],
        }),
        reply(['The first half.', 'The second half.']),
      ],
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'api_retry',
      'text, supersedes 1',
      'text',
      'result:success',
    ]);
    expect(run.sent[1]?.messages).toEqual(run.sent[0]?.messages);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      result: 'The second half.',
      num_turns: 1,
    });
    expect(run.decisions[0]?.attempts.map(({ wasted }) => wasted === true)).toEqual([true, false]);
    expect(run.entries.filter((entry) => entry.type === 'retract')).toHaveLength(1);
  });
});
