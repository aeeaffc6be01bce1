import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;

describe('structured_output_retry_exhausted', () => {
  it('nudges and refused calls share the five attempts', async () => {
    const plain = () => reply('It is three.');
    const wrong = () => reply(toolUse('StructuredOutput', { n: 'three' }));
    const run = await rehearse({
      replies: [plain(), wrong(), plain(), wrong(), plain()],
      options: { outputFormat: { type: 'json_schema', schema } },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      ...['text', 'synthetic'],
      ...['tool_use', 'tool_result'],
      ...['text', 'synthetic'],
      ...['tool_use', 'tool_result'],
      ...['text', 'synthetic'],
      'result:error_max_structured_output_retries',
    ]);
    expect(errorResultOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'structured_output_retry_exhausted',
      stop_reason: 'end_turn',
      num_turns: 6,
      errors: [expect.stringContaining('5 attempts')],
    });
    expect(decided(run.decisions).at(-1)).toBe('stop structured_output_retry_exhausted');
    expect(run.sent).toHaveLength(5);
  });
});
