import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';

describe('F37 pings come, content does not', () => {
  it('F37 the limit on content decides: pings do not keep an answer alive', async () => {
    const run = await rehearse({
      replies: [
        reply('Half of it', { faults: [{ name: 'stall', after: 3, pingMs: 10 }] }),
        reply('The whole of it.'),
      ],
      options: { engine: { timeouts: { contentMs: 200, idleMs: 60_000 } } },
    });
    expect(run.decisions[0]?.attempts.map((attempt) => attempt.outcome)).toEqual(['stalled', 'complete']);
    expect(successOf(run).result).toBe('The whole of it.');
  });

  it('F37 with that limit off, pings keep it alive as long as it takes', async () => {
    const run = await rehearse({
      replies: [reply('Late, but whole.', { timing: { ttftMs: 400, pings: 10 } })],
      options: { engine: { timeouts: { contentMs: Number.POSITIVE_INFINITY, idleMs: 60_000 } } },
    });
    expect(run.decisions[0]?.attempts.map((attempt) => attempt.outcome)).toEqual(['complete']);
    expect(successOf(run).result).toBe('Late, but whole.');
  });
});
