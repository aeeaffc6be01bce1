import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('max_output_tokens_escalate', () => {
  it('the same request is sent with 64 000, and the truncated answer is retracted', async () => {
    const long = `${'so on and '.repeat(4_000)}The end.`;
    const run = await rehearse({ replies: [reply(long), reply(long)] });
    expect(run.sent.map((body) => body.max_tokens)).toEqual([8_000, 64_000]);
    expect(run.sent[1]?.messages).toEqual(run.sent[0]?.messages);
    expect(outline(run.messages)).toEqual(['init', 'text', 'text, supersedes 1', 'result:success']);
    expect(decided(run.decisions)).toEqual(['max_output_tokens_escalate', 'stop completed']);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      terminal_reason: 'completed',
      stop_reason: 'end_turn',
      num_turns: 1,
      result: long,
    });
    expect(run.entries.filter((entry) => entry.type === 'retract')).toHaveLength(1);
  });
});
