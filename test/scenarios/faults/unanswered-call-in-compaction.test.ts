import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { cutJournalAfter } from '../journal.ts';
import { outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf, messageRequests, openCalls } from '../sent.ts';

const read = (id: string) => reply(toolUse('Read', { file_path: 'large.txt' }, id));

describe('F04 an orphan is in the history when it is compacted', () => {
  it('F04 the compaction request is valid too, and succeeds', async () => {
    const first = await rehearse({
      files: { 'large.txt': 'seven words stand on each line here\n'.repeat(700) },
      replies: [read('call_1'), read('call_2'), reply('Read twice.')],
      options: { engine: { compaction: { window: 400_000 } } },
    });
    // As if the process had died while the second call ran.
    let intents = 0;
    cutJournalAfter(first, ({ type }) => type === 'intent' && ++intents === 2);
    const run = await rehearse({
      place: first,
      prompt: `Where were we? ${'word '.repeat(5_000)}`,
      replies: [
        reply('<summary>large.txt was read once.</summary>', { when: { kind: 'compaction' } }),
        reply('We read a file.'),
      ],
      options: { resume: first.sessionId, engine: { compaction: { window: 20_000 } } },
    });
    expect(outline(run.messages)).toContain('compact_boundary');
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'We read a file.' });
    expect(messageRequests(run.server).map(({ kind }) => kind)).toEqual(['compaction', 'main']);
    expect(run.sent.flatMap(openCalls)).toEqual([]);
    expect(blocksOf(run.sent[0], 'tool_result').at(-1)).toMatchObject({
      tool_use_id: 'call_2',
      content: expect.stringContaining('outcome unknown'),
    });
  });
});
