import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('rapid_refill_breaker', () => {
  it('full again right after a compaction, three times in a row: stops and names the largest part', async () => {
    const read = () => reply(toolUse('Read', { file_path: 'large.txt' }));
    const summary = () => reply('<summary>large.txt was read.</summary>', { when: { kind: 'compaction' } });
    const run = await rehearse({
      files: { 'large.txt': `${'seven words stand on each line here\n'.repeat(700)}` },
      replies: [read(), read(), summary(), read(), summary(), read(), summary(), read()],
      options: { engine: { compaction: { window: 20_000 } } },
    });
    expect(outline(run.messages).filter((word) => word === 'compact_boundary')).toHaveLength(3);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'rapid_refill_breaker',
      stop_reason: 'stop_sequence',
      result: expect.stringMatching(/three times|3 times/i),
    });
    expect(successOf(run).result).toContain('Read');
    expect(outline(run.messages).at(-2)).toBe('error:invalid_request');
    expect(decided(run.decisions)).toEqual([
      ...Array.from({ length: 5 }, () => 'next_turn'),
      'stop rapid_refill_breaker',
    ]);
  });
});
