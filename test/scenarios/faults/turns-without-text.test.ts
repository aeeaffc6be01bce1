import { reply, text, thinking, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { outline } from '../outline.ts';
import { rehearse } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const blank = /"text":"\s*"/;

describe('F08 turns with nothing said in them', () => {
  it('F08 only calls, or only thinking before them: no empty text is recorded, emitted or sent', async () => {
    const read = (id: string) => toolUse('Read', { file_path: 'a.txt' }, id);
    const run = await rehearse({
      files: { 'a.txt': 'x' },
      replies: [
        reply([text(''), read('call_1')]),
        reply([thinking('Once more.'), text(' \n'), read('call_2')]),
        reply('Done.'),
      ],
    });
    expect(outline(run.messages)).toEqual([
      'init',
      ...['tool_use', 'tool_result'],
      ...['thinking', 'tool_use', 'tool_result'],
      'text',
      'result:success',
    ]);
    for (const body of run.sent) expect(JSON.stringify(body.messages)).not.toMatch(blank);
    expect(JSON.stringify(run.entries.filter((entry) => entry.type === 'assistant'))).not.toMatch(blank);
    expect(blocksOf(run.sent[2], 'thinking')).toHaveLength(1);
  });
});
