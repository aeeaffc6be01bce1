import { describe, expect, it } from 'vitest';
import type { HookCallback } from '../../../src/index.ts';
import { reply, toolUse } from '../../../src/rehearsal/index.ts';
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

  it('F95 a hook that always blocks is overridden at the ninth time, and the run ends well', async () => {
    let asked = 0;
    const neverContent: HookCallback = async () => {
      asked += 1;
      return { decision: 'block', reason: `Not yet, for the reason ${asked}.` };
    };
    const run = await rehearse({
      replies: [reply('Done.', { times: 9 })],
      options: { hooks: { Stop: [{ hooks: [neverContent] }] } },
    });
    expect(run.sent).toHaveLength(9);
    expect(outline(run.messages).slice(-2)).toEqual(['informational', 'result:success']);
    expect(successOf(run)).toMatchObject({ is_error: false, terminal_reason: 'completed', result: 'Done.' });
  });

  it('F96 a hook that says the same twice, with no tool call in between, is overridden then', async () => {
    const run = await rehearse({
      replies: [
        reply('Done.'),
        reply(toolUse('Bash', { command: 'true' })),
        reply('Done again.'),
        reply('Really done.'),
      ],
      options: { hooks: { Stop: [{ hooks: [async () => ({ decision: 'block', reason: 'Not yet.' })] }] } },
    });
    // The call in between counts as an attempt; the third time nothing was done.
    expect(decided(run.decisions)).toEqual([
      'stop_hook_blocking',
      'next_turn',
      'stop_hook_blocking',
      'stop completed',
    ]);
    expect(outline(run.messages).slice(-2)).toEqual(['informational', 'result:success']);
    expect(successOf(run)).toMatchObject({ terminal_reason: 'completed', result: 'Really done.' });
  });

  it('a structured value that is owed is asked for, and no hook is', async () => {
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
    expect(asked).toBe(0);
  });
});
