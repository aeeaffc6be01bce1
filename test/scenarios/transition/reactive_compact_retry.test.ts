import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline, spoken } from '../outline.ts';
import { MODEL, rehearse, successOf } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

const read = (id: string) => reply(toolUse('Read', { file_path: 'large.txt' }, id));
const LARGE = 'seven words stand on each line here\n'.repeat(700);

describe('reactive_compact_retry', () => {
  it('the API refuses a prompt as too long: one summary, asked again, the refusal never seen', async () => {
    const run = await rehearse({
      files: { 'large.txt': LARGE },
      replies: [
        read('call_1'),
        read('call_2'),
        reply('<summary>large.txt holds seven words a line.</summary>', { when: { kind: 'compaction' } }),
        reply('Seven words a line.'),
      ],
      server: { windows: { [MODEL]: 15_500 } },
      rejectedBy: ['prompt-too-long'],
      options: { engine: { maxOutputTokens: 1_000 } },
    });
    expect(decided(run.decisions)).toEqual([
      'next_turn',
      'next_turn',
      'reactive_compact_retry',
      'stop completed',
    ]);
    expect(outline(run.messages)).toEqual([
      'init',
      ...['tool_use', 'tool_result', 'tool_use', 'tool_result'],
      ...['status:compacting', 'status:null', 'compact_boundary', 'synthetic'],
      'text',
      'result:success',
    ]);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      terminal_reason: 'completed',
      num_turns: 4,
      result: 'Seven words a line.',
    });
    expect(spoken(run.messages).join()).not.toMatch(/too long/i);
    const last = run.sent.at(-1);
    expect(wholeText(last)).toContain('large.txt holds seven words a line.');
    expect(wholeText(last)).not.toContain('call_1');
    expect(wholeText(last)).toContain('call_2');
    expect(run.entries.map((entry) => entry.type)).toContain('boundary');
  });

  it('the summary fails: the trim that needs no model takes its place', async () => {
    const run = await rehearse({
      files: { 'large.txt': LARGE },
      replies: [
        read('call_1'),
        read('call_2'),
        reply('never', {
          when: { kind: 'compaction' },
          faults: [{ name: 'http-status', status: 400, message: 'no summaries today' }],
        }),
        reply('On with it.'),
      ],
      server: { windows: { [MODEL]: 15_500 } },
      rejectedBy: ['prompt-too-long'],
      options: { engine: { maxOutputTokens: 1_000 } },
    });
    expect(decided(run.decisions)).toEqual([
      'next_turn',
      'next_turn',
      'reactive_compact_retry',
      'stop completed',
    ]);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'On with it.' });
    expect(wholeText(run.sent.at(-1))).toContain('were removed because they no longer fit');
  });
});
