import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('blocking_limit', () => {
  it('with compaction off, a request that is bound to be refused is not made (preventive)', async () => {
    const run = await rehearse({
      prompt: 'word '.repeat(4_000),
      replies: [],
      options: {
        settings: { autoCompactEnabled: false },
        engine: { compaction: { auto: false, window: 4_000 } },
      },
    });
    expect(run.sent).toEqual([]);
    expect(outline(run.messages).filter((word) => word !== 'informational')).toEqual([
      'init',
      'error:invalid_request',
      'result:success',
    ]);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'blocking_limit',
      stop_reason: 'stop_sequence',
      api_error_status: null,
      num_turns: 0,
      result: expect.stringContaining('Prompt is too long'),
    });
    expect(run.error).toMatchObject({ code: 'error_result' });
    expect(decided(run.decisions)).toEqual(['stop blocking_limit']);
  });
});
