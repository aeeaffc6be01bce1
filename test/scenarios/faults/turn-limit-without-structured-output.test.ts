import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { errorResultOf, rehearse } from '../rehearse.ts';

it('F159 the turn limit is reached with the structured output still owed: a failure by its name, no success', async () => {
  const run = await rehearse({
    replies: [reply([toolUse('Bash', { command: 'true' })])],
    options: {
      maxTurns: 1,
      outputFormat: { type: 'json_schema', schema: { type: 'object', required: ['n'] } },
    },
  });
  const result = errorResultOf(run);
  expect(result).toMatchObject({ subtype: 'error_max_turns', terminal_reason: 'max_turns', is_error: true });
  expect(result).not.toHaveProperty('structured_output');
});
