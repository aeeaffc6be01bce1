import { randomUUID } from 'node:crypto';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';
import { transcriptPlace } from '../transcript.ts';

describe('F72 a session file of another version', () => {
  it('F72 a transcript without our envelope: every entry is there when the session goes on', async () => {
    const sessionId = randomUUID();
    const place = transcriptPlace(sessionId, [
      { type: 'user', text: 'One?' },
      { type: 'assistant', text: 'One.' },
      { type: 'user', text: 'Two?' },
      { type: 'assistant', text: 'Two.' },
      { type: 'a-type-of-tomorrow', text: 'whatever' },
    ]);
    const run = await rehearse({
      place,
      prompt: 'Three?',
      replies: [reply('Three.')],
      options: { resume: sessionId },
    });
    expect(blocksOf(run.sent[0], 'text').map((block) => block.text)).toEqual([
      expect.stringContaining('# Where you are'),
      'One?',
      'One.',
      'Two?',
      'Two.',
      'Three?',
    ]);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'Three.', session_id: sessionId });
  });
});
