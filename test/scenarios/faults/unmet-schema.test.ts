import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { rehearse, submissions } from '../rehearse.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

it('F157 a schema that is never met ends with its own reason, and the next prompt has all attempts again', async () => {
  const wrong = () => reply([toolUse('StructuredOutput', { n: 'three' })]);
  const right = () => reply([toolUse('StructuredOutput', { n: 3 })]);
  const tries = (count: number) => Array.from({ length: count }, wrong);
  const run = await rehearse({
    ...submissions('first', 'second'),
    replies: [...tries(5), ...tries(4), right()],
    options: { outputFormat: { type: 'json_schema', schema } },
  });
  expect(run.results).toMatchObject([
    {
      subtype: 'error_max_structured_output_retries',
      terminal_reason: 'structured_output_retry_exhausted',
      is_error: true,
    },
    { subtype: 'success', structured_output: { n: 3 } },
  ]);
});
