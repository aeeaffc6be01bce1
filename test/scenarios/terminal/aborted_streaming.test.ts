import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, noted, outline } from '../outline.ts';
import { until } from '../processes.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

/** Says something whole, begins something else, and falls silent. */
const falling = () => reply(['First.', 'Second'], { faults: [{ name: 'stall', after: 6 }] });

describe('aborted_streaming', () => {
  it('an interrupt keeps what was said and notes the interruption', async () => {
    const run = await rehearse({
      replies: [falling()],
      onMessage: (message, { query }) => message.type === 'assistant' && query.interrupt(),
    });
    expect(outline(run.messages)).toContain('user');
    expect(outline(run.messages).slice(0, 2)).toEqual(['init', 'text']);
    expect(noted(run.messages)).toEqual(['[Request interrupted by user]']);
    expect(errorResultOf(run)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
      stop_reason: null,
      num_turns: 2,
      errors: [expect.stringMatching(/interrupted/i)],
    });
    expect(decided(run.decisions)).toEqual(['stop aborted_streaming']);
    await until(() => run.server.timeline.some((event) => event.kind === 'socket_closed'));
  });

  it('an interrupt that comes while a retry is waited for ends the wait', async () => {
    const run = await rehearse({
      replies: [reply('never', { faults: [{ name: 'http-status', status: 529 }] })],
      onMessage: (message, { query }) =>
        message.type === 'system' && message.subtype === 'api_retry' && query.interrupt(),
    });
    expect(outline(run.messages)).toEqual(['init', 'api_retry', 'user', 'result:error_during_execution']);
    expect(errorResultOf(run)).toMatchObject({ terminal_reason: 'aborted_streaming', stop_reason: null });
    expect(run.sent).toHaveLength(1);
  });
});
