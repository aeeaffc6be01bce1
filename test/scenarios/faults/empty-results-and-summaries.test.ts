import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { hostTool, hostTools } from '../host-tools.ts';
import { outline, textOf } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

describe('F09 nothing where something is due', () => {
  it.each([
    ['nothing', ''],
    ['whitespace', ' \n\t '],
  ])('F09 a tool that returns %s: "(no output)"', async (_what, given) => {
    const run = await rehearse({
      replies: [reply(toolUse('mcp__host__quiet')), reply('It said nothing.')],
      options: hostTools(hostTool('quiet', () => given)),
    });
    expect(blocksOf(run.sent[1], 'tool_result').map((block) => textOf(block.content))).toEqual([
      '(no output)',
    ]);
  });

  it('F09 a blank summary is a failed compaction: no message of it, the view stays, the work goes on', async () => {
    const read = () => reply(toolUse('Read', { file_path: 'large.txt' }));
    const blank = () => reply(' \n', { when: { kind: 'compaction' } });
    const run = await rehearse({
      files: { 'large.txt': 'seven words stand on each line here\n'.repeat(700) },
      replies: [read(), read(), blank(), blank(), reply('Done.')],
      options: { tools: ['Read'], engine: { compaction: { window: 19_000 } } },
    });
    expect(outline(run.messages)).not.toContain('compact_boundary');
    expect(outline(run.messages)).not.toContain('synthetic');
    expect(run.messages).toContainEqual(
      expect.objectContaining({ subtype: 'status', compact_result: 'failed' }),
    );
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'Done.' });
    expect(blocksOf(run.sent.at(-1), 'tool_result')).toHaveLength(2);
  });
});
