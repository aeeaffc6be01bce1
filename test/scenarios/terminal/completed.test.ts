import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline, toolResults } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('completed', () => {
  it('a plain answer', async () => {
    const run = await rehearse({ replies: [reply('Good day.')] });
    expect(outline(run.messages)).toEqual(['init', 'text', 'result:success']);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      terminal_reason: 'completed',
      stop_reason: 'end_turn',
      num_turns: 1,
      result: 'Good day.',
      permission_denials: [],
    });
    expect(run.error).toBeUndefined();
    expect(decided(run.decisions)).toEqual(['stop completed']);
    expect(run.decisions[0]?.rules.map((rule) => rule.verdict)).not.toContain('stop');
  });

  it('after a round of real tools', async () => {
    const run = await rehearse({
      files: { 'notes.txt': 'the answer is 42\n' },
      replies: [
        reply([
          'Looking.',
          toolUse('Read', { file_path: 'notes.txt' }, 'call_read'),
          toolUse('Bash', { command: 'wc -l < notes.txt' }),
        ]),
        reply('It is {{results.call_read | /answer is (\\d+)/}}.'),
      ],
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'tool_use',
      'tool_use',
      'tool_result',
      'tool_result',
      'text',
      'result:success',
    ]);
    expect(toolResults(run.messages).map(({ text, isError }) => [text.trim(), isError])).toEqual([
      [expect.stringContaining('the answer is 42'), false],
      ['1', false],
    ]);
    expect(successOf(run)).toMatchObject({ terminal_reason: 'completed', num_turns: 3, result: 'It is 42.' });
    expect(decided(run.decisions)).toEqual(['next_turn', 'stop completed']);
  });
});
