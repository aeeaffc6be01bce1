import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';

const marked = (text: string, ttl: '5m' | '1h') => ({
  type: 'text' as const,
  text,
  cache_control: { type: 'ephemeral' as const, ttl },
});

describe('F13 a caller with cache marks of its own', () => {
  it('the request has four marks at most, none of a longer life behind a shorter', async () => {
    const run = await rehearse({
      prompt: [marked('One.', '5m'), marked('Two.', '1h'), marked('Three.', '5m'), marked('Four.', '1h')],
      replies: [reply('Hello.')],
    });
    expect(successOf(run).result).toBe('Hello.');
    const marks = JSON.stringify(run.sent[0]).match(/"cache_control":\{[^}]*\}/g) ?? [];
    expect(marks.length).toBeGreaterThan(0);
    expect(marks.length).toBeLessThanOrEqual(4);
    expect(new Set(marks).size, 'one life for all').toBe(1);
  });
});
