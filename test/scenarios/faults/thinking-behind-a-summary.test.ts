/** FD10: thinking that was signed behind messages which a summary replaced is not sent again. */

import { reply, thinking, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, submissions } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const run = (model: string) =>
  rehearse({
    ...submissions('Look.', '/compact', 'Go on.', 'And on.'),
    replies: [
      reply([thinking('Before.'), toolUse('Read', { file_path: 'a.txt' }, 'call_1')]),
      reply([thinking('Before too.'), 'Read it.']),
      reply('<summary>We read a file.</summary>', { when: { kind: 'compaction' } }),
      reply([thinking('After.'), 'On it.']),
      reply('Done.'),
    ],
    files: { 'a.txt': 'text' },
    options: { model, thinking: { type: 'adaptive' }, tools: ['Read'], allowedTools: ['Read'] },
  });
const thoughts = ({ sent }: Awaited<ReturnType<typeof run>>) =>
  sent.slice(-2).map((body) => blocksOf(body, 'thinking').map((block) => block['thinking']));

describe('thinking behind a summary', () => {
  it('is cut where the model binds it to what precedes it, and kept from then on', async () => {
    expect(thoughts(await run('claude-opus-5-5'))).toEqual([[], ['After.']]);
  });

  it('stays for a model that does not', async () => {
    const [kept] = thoughts(await run('claude-sonnet-4-6'));
    expect(kept).not.toEqual([]);
  });
});
