import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

describe('F158 a model that wraps what it was asked for', () => {
  it.each([
    ['in a field of its own', { output: { n: 3 } }],
    ['as a text', { output: '{"n":3}' }],
    ['as a text in the wrapper of a wrapper', { output: { result: { n: 3 } } }],
  ])('F158 %s: taken as it was meant', async (_how, input) => {
    const run = await rehearse({
      replies: [reply([toolUse('StructuredOutput', input)])],
      options: { outputFormat: { type: 'json_schema', schema } },
    });
    expect(successOf(run)).toMatchObject({ structured_output: { n: 3 }, num_turns: 2 });
  });

  it('F158 a list as a text', async () => {
    const run = await rehearse({
      replies: [reply([toolUse('StructuredOutput', { value: '[1,2]' })])],
      options: {
        outputFormat: { type: 'json_schema', schema: { type: 'array', items: { type: 'integer' } } },
      },
    });
    expect(successOf(run).structured_output).toEqual([1, 2]);
  });

  it('F158 a value that fits as it is is not unwrapped, and what fits in no way is corrected in one step', async () => {
    const any = { type: 'object' } as const;
    const whole = await rehearse({
      replies: [reply([toolUse('StructuredOutput', { output: { n: 3 } })])],
      options: { outputFormat: { type: 'json_schema', schema: any } },
    });
    expect(successOf(whole).structured_output).toEqual({ output: { n: 3 } });
    const corrected = await rehearse({
      replies: [
        reply([toolUse('StructuredOutput', { output: { m: 3 } })]),
        reply([toolUse('StructuredOutput', { n: 3 })]),
      ],
      options: { outputFormat: { type: 'json_schema', schema } },
    });
    expect(successOf(corrected)).toMatchObject({ structured_output: { n: 3 }, num_turns: 3 });
  });
});
