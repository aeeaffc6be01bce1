import { reply, thinking } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

describe('unusable_answer_retry', () => {
  it('an empty answer is nudged once, and not sent back', async () => {
    const run = await rehearse({
      replies: [reply('', { faults: ['empty-response'] }), reply('Here it is.')],
    });
    expect(outline(run.messages)).toEqual(['init', 'synthetic', 'text', 'result:success']);
    expect(run.sent[1]?.messages.map(({ role }) => role)).toEqual(['user']);
    expect(decided(run.decisions)).toEqual(['unusable_answer_retry', 'stop completed']);
    expect(successOf(run)).toMatchObject({ num_turns: 2, result: 'Here it is.' });
  });

  it('thinking alone is nudged and not sent back; a second time it is an empty success', async () => {
    const run = await rehearse({ replies: [reply(thinking('Hm.')), reply(thinking('Hm again.'))] });
    expect(outline(run.messages)).toEqual([
      'init',
      ...['thinking', 'synthetic'],
      'thinking',
      'result:success',
    ]);
    expect(blocksOf(run.sent[1], 'thinking')).toEqual([]);
    expect(successOf(run)).toMatchObject({ is_error: false, terminal_reason: 'completed', result: '' });
  });
});
