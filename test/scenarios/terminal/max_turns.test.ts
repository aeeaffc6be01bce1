import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

const look = () => reply(['Looking.', toolUse('Read', { file_path: 'a.txt' })]);

describe('max_turns', () => {
  it('the follow-up that would exceed the limit is not made; its tools have run (graceful)', async () => {
    const run = await rehearse({
      files: { 'a.txt': 'x' },
      replies: [look(), look()],
      options: { maxTurns: 2 },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      ...['text', 'tool_use', 'tool_result'],
      ...['text', 'tool_use', 'tool_result'],
      'result:error_max_turns',
    ]);
    expect(errorResultOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'max_turns',
      stop_reason: 'tool_use',
      num_turns: 3,
      errors: ['Reached maximum number of turns (2)'],
    });
    expect(run.error).toMatchObject({ code: 'error_result' });
    expect(decided(run.decisions)).toEqual(['next_turn', 'stop max_turns']);
    expect(run.entries).toContainEqual(
      expect.objectContaining({
        type: 'attachment',
        attachment: { type: 'max_turns_reached', maxTurns: 2, turnCount: 3 },
      }),
    );
  });
});
