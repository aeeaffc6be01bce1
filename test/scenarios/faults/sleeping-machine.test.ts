import { virtualClock } from '@turnwright/testing';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';
import { isDelta, passTimeUntil } from '../virtual-time.ts';

describe('F40 the machine sleeps in the middle of an answer', () => {
  it('F40 the leap of the clock is noticed on waking, long before any limit, and the request repeated', async () => {
    const clock = virtualClock();
    let slept = false;
    const run = await rehearse({
      replies: [reply('Half of it', { faults: [{ name: 'stall', after: 3 }] }), reply('The whole of it.')],
      options: { includePartialMessages: true, engine: { clock } },
      onMessage: (message, { server }) => {
        if (slept || !isDelta(message)) return;
        slept = true;
        // Not before the next read is outstanding: it is once the consumer has come back for more.
        setImmediate(() => {
          clock.setWall(clock.nowMs() + 3_600_000);
          void passTimeUntil(clock, () => server.requests.length > 1, 5_000);
        });
      },
    });
    const [attempt] = run.decisions[0]?.attempts ?? [];
    expect(attempt?.outcome).toBe('stalled');
    expect(attempt?.endMs).toBeLessThanOrEqual(20_000);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'The whole of it.' });
    expect(clock.pending).toBe(0);
  });
});
