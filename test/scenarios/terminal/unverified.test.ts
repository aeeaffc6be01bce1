import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('unverified', () => {
  it('the answer stands, is an error, and says what does not hold', async () => {
    const run = await rehearse({
      replies: [reply('Done.'), reply('Really done.')],
      options: { verify: { commands: ['exit 3'], attempts: 1 } },
    });
    expect(outline(run.messages)).toEqual(['init', 'text', 'synthetic', 'text', 'result:success']);
    expect(successOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'unverified',
      stop_reason: 'end_turn',
      result: 'Really done.',
      verification: { status: 'unverified', reason: '`exit 3` failed: Exit code 3.' },
    });
    expect(decided(run.decisions)).toEqual(['verify_failed', 'stop unverified']);
  });
});
