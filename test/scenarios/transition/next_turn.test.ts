import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

describe('next_turn', () => {
  it('results go back to the model in its own order, whatever the order they came in', async () => {
    const run = await rehearse({
      files: { 'b.txt': 'b' },
      replies: [
        reply([
          toolUse('Bash', { command: 'sleep 0.05; echo slow' }, 'call_slow'),
          toolUse('Read', { file_path: 'b.txt' }, 'call_b'),
          toolUse('Read', { file_path: 'missing.txt' }, 'call_missing'),
        ]),
        reply('Seen.'),
      ],
    });
    expect(decided(run.decisions)).toEqual(['next_turn', 'stop completed']);
    expect(run.decisions.map((record) => record.in)).toEqual([undefined, 'next_turn']);
    expect(run.decisions.map((record) => record.budgets.turnCount)).toEqual([1, 2]);
    const results = blocksOf(run.sent[1], 'tool_result');
    expect(results.map((block) => block.tool_use_id)).toEqual(['call_slow', 'call_b', 'call_missing']);
    expect(results.map((block) => block.is_error === true)).toEqual([false, false, true]);
    expect(successOf(run)).toMatchObject({ num_turns: 4, stop_reason: 'end_turn', result: 'Seen.' });
  });
});
