import { randomUUID } from 'node:crypto';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';
import { type TranscriptLine, transcriptPlace } from '../transcript.ts';

async function goOnWith(lines: readonly TranscriptLine[]) {
  const sessionId = randomUUID();
  const place = transcriptPlace(sessionId, lines);
  const run = await rehearse({
    place,
    prompt: 'Go on.',
    replies: [reply('Gladly.')],
    options: { resume: sessionId },
  });
  expect(successOf(run)).toMatchObject({ is_error: false, result: 'Gladly.' });
  return blocksOf(run.sent[0], 'text').map((block) => block.text);
}

describe('F73 links between records that lead nowhere', () => {
  it('F73 a parent that is missing: the session is not blank', async () => {
    const texts = await goOnWith([
      { type: 'user', text: 'One?' },
      { type: 'assistant', text: 'One.' },
      { type: 'user', text: 'Two?', parentUuid: randomUUID() },
      { type: 'assistant', text: 'Two.' },
    ]);
    expect(texts).toContain('Two?');
    expect(texts).toContain('Two.');
  });

  it('F73 parents in a circle: it ends, and the session is not blank', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const texts = await goOnWith([
      { type: 'user', text: 'One?', uuid: first, parentUuid: second },
      { type: 'assistant', text: 'One.', uuid: second, parentUuid: first },
    ]);
    expect(texts).toEqual([expect.stringContaining('# Where you are'), 'One?', 'One.', 'Go on.']);
  });
});
