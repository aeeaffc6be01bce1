import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readOnlyFiles } from '../../faulty-files.ts';
import { outline } from '../outline.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

const NOTHING_ASKED = { is_error: true, stop_reason: null, num_turns: 0, total_cost_usd: 0 };

describe('turn_setup_failed', () => {
  it('a session that cannot be written: one error result, nothing asked', async () => {
    const run = await rehearse({ replies: [], options: { engine: { files: readOnlyFiles() } } });
    expect(run.sent).toEqual([]);
    expect(outline(run.messages)).toEqual(['result:error_during_execution']);
    expect(errorResultOf(run)).toMatchObject({
      ...NOTHING_ASKED,
      terminal_reason: 'turn_setup_failed',
      errors: [expect.stringContaining('EROFS')],
    });
    expect(run.error).toMatchObject({ code: 'error_result' });
    expect(run.decisions).toEqual([]);
  });

  it('a session that is not there: refused at the start, without a turn that could have a reason', async () => {
    const sessionId = randomUUID();
    const run = await rehearse({ replies: [], options: { resume: sessionId } });
    expect(run.sent).toEqual([]);
    expect(outline(run.messages)).toEqual(['result:error_during_execution']);
    const refused = errorResultOf(run);
    expect(refused).toMatchObject({
      ...NOTHING_ASKED,
      errors: [`No conversation found with session ID: ${sessionId}`],
    });
    expect(refused).not.toHaveProperty('terminal_reason');
    expect(run.error).toMatchObject({ code: 'error_result' });
    expect(run.decisions).toEqual([]);
  });
});
