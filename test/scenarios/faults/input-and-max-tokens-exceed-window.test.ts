import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { MODEL, rehearse, successOf } from '../rehearse.ts';

describe('F20 "input length and max_tokens exceed context limit"', () => {
  it('F20 max_tokens is lowered to what is left, and the refusal is not emitted', async () => {
    const run = await rehearse({
      prompt: 'word '.repeat(8_000),
      replies: [reply('Many words.')],
      server: { windows: { [MODEL]: 20_000 } },
      rejectedBy: ['output-over-window'],
    });
    expect(outline(run.messages)).toEqual(['init', 'text', 'result:success']);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'Many words.' });
    const caps = run.sent.map((body) => body.max_tokens);
    expect(caps).toHaveLength(2);
    expect(caps[0]).toBe(8_000);
    expect(caps[1]).toBeLessThan(8_000);
    expect(caps[1]).toBeGreaterThanOrEqual(3_000);
    expect(decided(run.decisions)).toEqual(['stop completed']);
  });

  it('the lowered cap is kept while the answer is continued: one refusal for all of it', async () => {
    const cut = (text: string) => reply(text, { stop_reason: 'max_tokens' });
    const run = await rehearse({
      prompt: 'word '.repeat(8_000),
      replies: [cut('One '), cut('two '), reply('three.')],
      server: { windows: { [MODEL]: 20_000 } },
      rejectedBy: ['output-over-window'],
    });
    expect(successOf(run).result).toBe('One two three.');
    const [first, ...caps] = run.sent.map((body) => body.max_tokens);
    expect(first).toBe(8_000);
    expect(caps).toHaveLength(3);
    expect(new Set(caps).size).toBe(1);
  });
});
