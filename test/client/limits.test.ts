import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, throughBothDoors } from './doors.ts';

const schema = {
  type: 'object',
  properties: { word: { type: 'string' } },
  required: ['word'],
  additionalProperties: false,
};

throughBothDoors('limits and structured output', (stage) => {
  it('the value of the schema is on the result', async () => {
    const { result } = await stage.run([reply(toolUse('StructuredOutput', { word: 'larch' }))], {
      outputFormat: { type: 'json_schema', schema },
    });
    expect(result).toMatchObject({ subtype: 'success', structured_output: { word: 'larch' } });
  });

  it('a value that does not fit is asked for again', async () => {
    const { result } = await stage.run(
      [
        reply(toolUse('StructuredOutput', { word: 7 })),
        reply(toolUse('StructuredOutput', { word: 'seven' })),
      ],
      { outputFormat: { type: 'json_schema', schema } },
    );
    expect(result).toMatchObject({ structured_output: { word: 'seven' } });
  });

  it('never valid: an error of its own', async () => {
    stage.play(reply(toolUse('StructuredOutput', { word: 7 }), { times: 'any' }));
    const { result, error } = await gather(
      stage.start('Go.', { outputFormat: { type: 'json_schema', schema } }),
    );
    expect(result).toMatchObject({
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'structured_output_retry_exhausted',
      is_error: true,
    });
    expect(error).toMatchObject({ message: expect.stringContaining('returned an error result') });
  });

  it('maxTurns', async () => {
    stage.play(reply(toolUse('Bash', { command: 'echo hi' }), { times: 'any' }));
    const { result } = await gather(stage.start('Go.', { maxTurns: 2, allowedTools: ['Bash(echo:*)'] }));
    expect(result).toMatchObject({
      subtype: 'error_max_turns',
      terminal_reason: 'max_turns',
      num_turns: 3,
      errors: ['Reached maximum number of turns (2)'],
    });
    expect(stage.asked()).toHaveLength(2);
  });

  it('maxBudgetUsd', async () => {
    stage.play(
      reply(toolUse('Bash', { command: 'echo hi' }), { times: 'any', usage: { output_tokens: 100_000 } }),
    );
    const { result } = await gather(
      stage.start('Go.', { maxBudgetUsd: 1, model: 'opus', allowedTools: ['Bash(echo:*)'] }),
    );
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' });
    expect(result?.total_cost_usd).toBeGreaterThan(1);
  });
});
