import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { decided, outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

describe('hook_stopped', () => {
  it('a PostToolUse hook that says continue: false: the result stands, no further request', async () => {
    const run = await rehearse({
      files: { 'a.txt': 'x' },
      replies: [reply(['Looking.', toolUse('Read', { file_path: 'a.txt' })])],
      options: {
        hooks: {
          PostToolUse: [
            { matcher: 'Read', hooks: [async () => ({ continue: false, stopReason: 'policy' })] },
          ],
        },
      },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'text',
      'tool_use',
      'tool_result',
      'informational',
      'result:success',
    ]);
    expect(successOf(run)).toMatchObject({
      is_error: false,
      terminal_reason: 'hook_stopped',
      stop_reason: 'tool_use',
      num_turns: 2,
      result: '',
    });
    expect(decided(run.decisions)).toEqual(['stop hook_stopped']);
    expect(run.entries).toContainEqual(
      expect.objectContaining({
        attachment: expect.objectContaining({ type: 'hook_stopped_continuation', message: 'policy' }),
      }),
    );
  });
});
