import { randomUUID } from 'node:crypto';
import { createMemoryLeaseStore } from '@turnwright/engine/session/in-process/lease-store.ts';
import { virtualClock } from '@turnwright/testing';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { until } from '../processes.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { passTimeUntil } from '../virtual-time.ts';

describe('F35 a connection is accepted and nothing ever comes', () => {
  it('F35 the limit before the first byte ends it, and the session is free again', async () => {
    const clock = virtualClock();
    const leases = createMemoryLeaseStore();
    const sessionId = randomUUID();
    let over = false;
    const run = await rehearse({
      replies: [reply('never', { faults: ['stall-before-headers'] })],
      options: { sessionId, engine: { clock, leases, maxRetries: 0 } },
      onMessage: (message, { server }) => {
        if (message.type === 'result') over = true;
        if (message.type !== 'system' || message.subtype !== 'init') return;
        void until(() => server.requests.length > 0).then(() => passTimeUntil(clock, () => over));
      },
    });
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: null,
    });
    expect(run.decisions[0]?.attempts).toMatchObject([{ outcome: 'timeout' }]);
    expect(clock.pending).toBe(0);

    const again = await rehearse({
      place: run,
      replies: [reply('Here I am.')],
      options: { resume: sessionId, engine: { leases } },
    });
    expect(successOf(again).result).toBe('Here I am.');
  });
});
