import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { MODEL, rehearse, successOf } from '../rehearse.ts';

describe('prompt_too_long', () => {
  it('nothing can be made smaller: the refusal is shown once', async () => {
    const failures: unknown[] = [];
    const run = await rehearse({
      replies: [],
      server: { windows: { [MODEL]: 6_000 } },
      rejectedBy: ['prompt-too-long'],
      options: {
        // No step may touch it.
        systemPrompt: 'word '.repeat(8_000),
        hooks: {
          StopFailure: [
            {
              hooks: [
                async (input) => {
                  failures.push(input['error']);
                  return {};
                },
              ],
            },
          ],
          Stop: [{ hooks: [async () => ({ decision: 'block', reason: 'never asked' })] }],
        },
      },
    });
    expect(outline(run.messages)).toEqual(['init', 'error:invalid_request', 'result:success']);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'prompt_too_long',
      stop_reason: 'stop_sequence',
      api_error_status: 400,
      num_turns: 1,
      result: 'Prompt is too long',
    });
    expect(failures).toEqual(['invalid_request']);
    expect(decided(run.decisions)).toEqual(['stop prompt_too_long']);
    expect(run.report.rejected.length).toBeGreaterThan(0);
  });
});
