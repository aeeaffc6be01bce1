import { describe, expect, it } from 'vitest';
import { reply } from '../../../src/rehearsal/index.ts';
import { decided, outline, spoken } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

const failing = (status: number, more: object = {}) =>
  reply('never', { faults: [{ name: 'http-status', status, ...more }] });

describe('api_error', () => {
  it('every retry is used, each wait announced; then the failure is shown once', async () => {
    const run = await rehearse({
      replies: [failing(500), failing(500), failing(500)],
      options: { engine: { maxRetries: 2 } },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'api_retry',
      'api_retry',
      'error:server_error',
      'result:success',
    ]);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'api_error',
      stop_reason: 'stop_sequence',
      api_error_status: 500,
      num_turns: 1,
      result: 'API Error: 500 Internal server error',
    });
    expect(run.waits).toEqual([500, 1_000]);
    expect(run.error).toMatchObject({ code: 'error_result', message: expect.stringContaining('500') });
    expect(decided(run.decisions)).toEqual(['stop api_error']);
    expect(run.decisions[0]?.attempts).toHaveLength(3);
  });

  it('what asking again cannot mend is not asked again', async () => {
    const run = await rehearse({ replies: [failing(400, { message: 'no such thing' })] });
    expect(outline(run.messages)).toEqual(['init', 'error:unknown', 'result:success']);
    expect(successOf(run)).toMatchObject({ terminal_reason: 'api_error', api_error_status: 400 });
    expect(run.waits).toEqual([]);
  });

  it('the output cap, after one escalation and three resumes', async () => {
    const endless = () => reply('so on and '.repeat(30_000));
    const run = await rehearse({ replies: [endless(), endless(), endless(), endless(), endless()] });
    expect(decided(run.decisions)).toEqual([
      'max_output_tokens_escalate',
      ...Array.from({ length: 3 }, () => 'max_output_tokens_recovery'),
      'stop api_error',
    ]);
    expect(outline(run.messages).at(-2)).toBe('error:max_output_tokens');
    expect(successOf(run)).toMatchObject({ is_error: true, terminal_reason: 'api_error', num_turns: 4 });
    expect(successOf(run).result).toBe(spoken(run.messages).at(-1));
  });
});
