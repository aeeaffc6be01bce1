import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { filesThatFill } from '../../faulty-files.ts';
import { decided, outline } from '../outline.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

describe('model_error', () => {
  it('what is not the model call’s own failure: here a record that could not be written', async () => {
    let failed = false;
    const files = filesThatFill((text) => {
      const hit = !failed && text.includes('"Unwritable."');
      failed ||= hit;
      return hit;
    });
    const run = await rehearse({ replies: [reply('Unwritable.')], options: { engine: { files } } });
    expect(failed).toBe(true);
    expect(outline(run.messages)).toEqual(['init', 'error:unknown', 'result:error_during_execution']);
    expect(errorResultOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'model_error',
      num_turns: 1,
      errors: [expect.stringContaining('could not be written')],
    });
    expect(run.error).toMatchObject({ code: 'error_result' });
    expect(decided(run.decisions)).toEqual(['stop model_error']);
  });
});
