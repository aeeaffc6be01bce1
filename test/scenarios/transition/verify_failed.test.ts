import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('verify_failed', () => {
  it('one message says what does not hold, and the end that follows is verified', async () => {
    const run = await rehearse({
      replies: [
        reply('Done, all tests pass.'),
        reply(toolUse('Write', { file_path: 'done.txt', content: 'yes\n' })),
        reply('Now it is done.'),
      ],
      options: { permissionMode: 'acceptEdits', verify: { commands: ['cat done.txt'], exist: ['done.txt'] } },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'synthetic',
      'tool_use',
      'tool_result',
      'text',
      'result:success',
    ]);
    expect(decided(run.decisions)).toEqual(['verify_failed', 'next_turn', 'stop completed']);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      terminal_reason: 'completed',
      result: 'Now it is done.',
      verification: {
        status: 'verified',
        checks: [
          { kind: 'command', name: 'cat done.txt', outcome: 'passed', by: 'engine' },
          { kind: 'exist', name: 'done.txt', outcome: 'passed' },
        ],
      },
    });
    const [, asked] = run.sent;
    expect(JSON.stringify(asked?.messages.at(-1))).toContain('`cat done.txt` failed: Exit code 1.');
    expect(JSON.stringify(asked?.messages.at(-1))).toContain('done.txt does not exist.');
  });
});
