import { virtualClock } from '@turnwright/testing';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { errorResultOf, rehearse, successOf } from '../rehearse.ts';
import { isDelta, passTimeUntil } from '../virtual-time.ts';

/** Headers, the beginning of an answer, then silence with the socket open. */
const falling = () => reply('Half of it', { faults: [{ name: 'stall', after: 3 }] });

describe('F34 a stream falls silent', () => {
  it('F34 after 90 s without a byte it is taken for broken and asked again; the text appears once', async () => {
    const clock = virtualClock();
    let began: number | undefined;
    const run = await rehearse({
      replies: [falling(), reply('The whole of it.')],
      options: { includePartialMessages: true, engine: { clock } },
      onMessage: (message, { server }) => {
        if (began !== undefined || !isDelta(message)) return;
        began = clock.monotonicMs();
        void passTimeUntil(clock, () => server.requests.length > 1, 5_000);
      },
    });
    const [attempt] = run.decisions[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ outcome: 'stalled' });
    expect((attempt?.endMs ?? 0) - (began ?? 0)).toBe(90_000);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'The whole of it.' });
    expect(run.sent.map((body) => body.stream)).toEqual([true, false]);
    expect(clock.pending).toBe(0);
  });

  it('F34 an abort during the silence needs no time to pass', async () => {
    const clock = virtualClock();
    const run = await rehearse({
      replies: [falling()],
      options: { includePartialMessages: true, engine: { clock } },
      onMessage: (message, { query }) => isDelta(message) && query.interrupt(),
    });
    expect(errorResultOf(run)).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(clock.monotonicMs()).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
