import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

const LARGE = 'seven words stand on each line here\n'.repeat(700);
const read = () => reply(toolUse('Read', { file_path: 'large.txt' }));
const summary = () => reply('<summary>It was read.</summary>', { when: { kind: 'compaction' } });
const tooLong = () =>
  reply('never', {
    faults: [
      { name: 'http-status', status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' },
    ],
  });

describe('L10.3 compactions do not repeat themselves', () => {
  it('L10.3 at most one reactive compact between two usable answers, whatever the API goes on to say', async () => {
    const run = await rehearse({
      files: { 'large.txt': LARGE },
      replies: [read(), read(), ...Array.from({ length: 6 }, tooLong), summary()],
      partial: true,
    });
    expect(successOf(run)).toMatchObject({ is_error: true, terminal_reason: 'prompt_too_long' });
    expect(outline(run.messages).filter((word) => word === 'status:compacting')).toHaveLength(1);
  });

  it('L10.3 a usable answer in between allows another', async () => {
    const run = await rehearse({
      files: { 'large.txt': LARGE },
      replies: [read(), read(), tooLong(), summary(), read(), tooLong(), summary(), reply('Done.')],
    });
    expect(decided(run.decisions).filter((word) => word === 'reactive_compact_retry')).toHaveLength(2);
    expect(successOf(run).result).toBe('Done.');
  });

  it('L10.3 at most one autocompact per iteration', async () => {
    const run = await rehearse({
      files: { 'large.txt': LARGE },
      replies: [read(), read(), summary(), read(), summary(), reply('Done.')],
      options: { engine: { compaction: { window: 20_000 } } },
    });
    const perIteration = run.decisions.map(
      ({ prepare }) => prepare.filter(({ step, ran }) => step === 'autocompact' && ran).length,
    );
    expect(Math.max(...perIteration)).toBe(1);
    expect(perIteration.reduce((sum, count) => sum + count, 0)).toBe(2);
  });
});
