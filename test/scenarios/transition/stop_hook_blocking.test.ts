import type { HookCallback } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, noted, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('stop_hook_blocking', () => {
  it('a Stop hook sends the model back to work; the next one knows that one was blocked', async () => {
    const active: unknown[] = [];
    const oncePlease: HookCallback = async (input) => {
      active.push(input['stop_hook_active']);
      return active.length === 1 ? { decision: 'block', reason: 'The tests have not been run.' } : {};
    };
    const run = await rehearse({
      replies: [reply('Done.'), reply(toolUse('Bash', { command: 'true' })), reply('Done, tests pass.')],
      options: { hooks: { Stop: [{ hooks: [oncePlease] }] } },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'synthetic',
      ...['tool_use', 'tool_result'],
      'text',
      'result:success',
    ]);
    expect(noted(run.messages)).toEqual(['Stop hook feedback:\nThe tests have not been run.']);
    expect(active).toEqual([false, true]);
    expect(decided(run.decisions)).toEqual(['stop_hook_blocking', 'next_turn', 'stop completed']);
    expect(successOf(run)).toMatchObject({ num_turns: 3, result: 'Done, tests pass.' });
  });

  it.each([
    ['with words of its own each time', (asked: number) => `Not yet, for the reason ${asked}.`],
    ['with the same words each time', () => 'Keep going.'],
  ])(
    'F95 F96 a hook that always blocks, %s, is overridden at the ninth block, and the run ends well',
    async (_, reasonOf) => {
      const active: unknown[] = [];
      const neverContent: HookCallback = async (input) => {
        active.push(input['stop_hook_active']);
        return { decision: 'block', reason: reasonOf(active.length) };
      };
      const replies = Array.from({ length: 9 }, (_, index) => reply(`Done, attempt ${index + 1}.`));
      const run = await rehearse({ replies, options: { hooks: { Stop: [{ hooks: [neverContent] }] } } });
      expect(active).toEqual([false, ...Array.from({ length: 8 }, () => true)]);
      expect(decided(run.decisions)).toEqual([
        ...Array.from({ length: 8 }, () => 'stop_hook_blocking'),
        'stop completed',
      ]);
      expect(noted(run.messages)).toHaveLength(8);
      // The ninth block is a notice, and the result is the answer that it was about.
      expect(outline(run.messages).slice(-2)).toEqual(['informational', 'result:success']);
      expect(run.messages.at(-2)).toMatchObject({
        level: 'warning',
        content: expect.stringContaining(reasonOf(9)),
      });
      expect(successOf(run)).toMatchObject({
        is_error: false,
        terminal_reason: 'completed',
        stop_reason: 'end_turn',
        result: 'Done, attempt 9.',
      });
    },
  );

  it('a structured value that is owed is asked for, and Stop hooks run at each end', async () => {
    let asked = 0;
    const run = await rehearse({
      replies: [reply('It is three.'), reply(toolUse('StructuredOutput', { n: 3 }))],
      options: {
        outputFormat: {
          type: 'json_schema',
          schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        },
        hooks: {
          Stop: [
            {
              hooks: [
                async () => {
                  asked += 1;
                  return {};
                },
              ],
            },
          ],
        },
      },
    });
    expect(decided(run.decisions)).toEqual(['stop_hook_blocking', 'stop completed']);
    expect(successOf(run)).toMatchObject({
      structured_output: { n: 3 },
      stop_reason: 'tool_use',
      num_turns: 3,
    });
    expect(asked).toBe(2);
  });
});
