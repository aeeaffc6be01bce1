import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';

describe('F28 a local server that reports an overflow in its own words', () => {
  it('is recovered from like any other, and the run ends well', async () => {
    const run = await rehearse({
      prompt: 'Read it.',
      files: { 'notes.txt': 'A line of notes.\n'.repeat(500) },
      replies: [
        reply(toolUse('Read', { file_path: 'notes.txt' })),
        reply(toolUse('Read', { file_path: 'notes.txt' })),
        {
          blocks: [],
          faults: [
            {
              name: 'http-status',
              status: 400,
              type: 'exceed_context_size_error',
              message:
                'request (33001 tokens) exceeds the available context size (32768 tokens), try increasing it',
            },
          ],
        },
        reply('<summary>Notes.</summary>', { when: { kind: 'compaction' } }),
        reply('Read.'),
      ],
    });
    expect(successOf(run).result).toBe('Read.');
    const transitions = run.decisions.flatMap(({ decision }) =>
      decision?.kind === 'continue' ? [decision.transition] : [],
    );
    expect(transitions).toContain('reactive_compact_retry');
  });
});
