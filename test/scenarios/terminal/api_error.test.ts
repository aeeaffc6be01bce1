import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
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

  it.each([
    [401, 'Invalid API key \u00b7 '],
    [402, 'API Error: 402 '],
    [403, 'Failed to authenticate. API Error: 403 '],
    [404, "There's an issue with the selected model (claude-opus-5-5). "],
    [429, 'API Error: Request rejected (429) \u00b7 '],
  ])('a %i is explained, and the message names the failed request', async (status, words) => {
    const run = await rehearse({
      replies: [failing(status, { message: 'no such thing' })],
      options: { engine: { maxRetries: 0 } },
    });
    expect(successOf(run).result.startsWith(words)).toBe(true);
    expect(successOf(run).result).toContain('no such thing');
    const shown = run.messages.find(({ type }) => type === 'assistant');
    expect(shown).toMatchObject({
      message: { model: '<synthetic>', context_management: null, usage: { iterations: null } },
      request_id: expect.stringMatching(/^req_/),
      api_error_status: status,
      api_error_type: expect.stringMatching(/_error$/),
    });
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
