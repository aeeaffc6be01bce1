import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, noted, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('max_output_tokens_recovery', () => {
  it('with a cap of the caller’s there is no escalation: the text is kept and continued', async () => {
    const run = await rehearse({
      replies: [reply('one two three four '.repeat(100)), reply('five.')],
      options: { engine: { maxOutputTokens: 100 } },
    });
    expect(run.sent.map((body) => body.max_tokens)).toEqual([100, 100]);
    expect(run.sent[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(outline(run.messages)).toEqual(['init', 'text', 'synthetic', 'text', 'result:success']);
    expect(noted(run.messages)[0]).toMatch(/cut off at the output limit/);
    expect(decided(run.decisions)).toEqual(['max_output_tokens_recovery', 'stop completed']);
    expect(successOf(run)).toMatchObject({
      stop_reason: 'end_turn',
      num_turns: 2,
      result: expect.stringMatching(/^one two three .*five\.$/),
    });
  });

  it('a full window is continued too, and never escalated', async () => {
    const run = await rehearse({
      replies: [reply('Half of it', { faults: ['model-context-window-exceeded'] }), reply('and the rest.')],
    });
    expect(run.sent.map((body) => body.max_tokens)).toEqual([8_000, 8_000]);
    expect(decided(run.decisions)).toEqual(['max_output_tokens_recovery', 'stop completed']);
    expect(successOf(run).result).toBe('Half of itand the rest.');
  });
});
