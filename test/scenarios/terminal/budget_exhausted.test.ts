import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { conversation, errorResultOf, rehearse } from '../rehearse.ts';

describe('budget_exhausted', () => {
  it('the response that spends the last of it is shown and its tools answered; no further request is made', async () => {
    const run = await rehearse({
      files: { 'a.txt': 'x' },
      replies: [
        reply(['Looking.', toolUse('Read', { file_path: 'a.txt' })], { usage: { output_tokens: 100_000 } }),
      ],
      options: { maxBudgetUsd: 0.5 },
    });
    expect(outline(run.messages).slice(0, 3)).toEqual(['init', 'text', 'tool_use']);
    const result = errorResultOf(run);
    expect(result).toMatchObject({
      subtype: 'error_max_budget_usd',
      is_error: true,
      terminal_reason: 'budget_exhausted',
      stop_reason: 'tool_use',
      errors: ['Reached maximum budget ($0.5)'],
    });
    expect(result.num_turns).toBe(1 + outline(run.messages).filter((word) => word === 'tool_result').length);
    expect(result.total_cost_usd).toBeGreaterThanOrEqual(0.5);
    expect(decided(run.decisions)).toEqual(['stop budget_exhausted']);
    expect(run.sent).toHaveLength(1);
  });

  it('a session without budget sends no prompt, however slow the consumer is', async () => {
    const { prompts, say, end } = conversation();
    say('One.');
    const run = await rehearse({
      prompt: prompts,
      replies: [reply('Dear.', { usage: { output_tokens: 100_000 } }), reply('Never.')],
      options: { maxBudgetUsd: 0.5, includePartialMessages: true },
      partial: true,
      async onMessage(message, { server }) {
        if (message.type === 'result') {
          say('Two.');
          end();
        }
        for (let turn = 0; turn < 100 && server.timeline.length > 0; turn++)
          await new Promise((resolve) => setImmediate(resolve));
      },
    });
    expect(run.results.map(({ subtype }) => subtype)).toEqual([
      'error_max_budget_usd',
      'error_max_budget_usd',
    ]);
    expect(run.results.map(({ num_turns }) => num_turns)).toEqual([1, 0]);
    expect(run.sent).toHaveLength(1);
  });
});
