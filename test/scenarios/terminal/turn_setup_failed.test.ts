import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { outline } from '../outline.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

describe('turn_setup_failed', () => {
  it('a session that is not there: one error result, nothing asked', async () => {
    const run = await rehearse({ replies: [], options: { resume: randomUUID() } });
    expect(run.sent).toEqual([]);
    expect(outline(run.messages)).toEqual(['result:error_during_execution']);
    expect(errorResultOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'turn_setup_failed',
      stop_reason: null,
      num_turns: 0,
      errors: [expect.stringContaining('no session')],
      total_cost_usd: 0,
    });
    expect(run.error).toMatchObject({ code: 'error_result' });
    expect(run.decisions).toEqual([]);
  });
});
