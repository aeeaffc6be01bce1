import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fault, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { outline } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf, wholeText } from '../sent.ts';

/** `message_start`, then start, delta and stop of the call. */
const AFTER_CALL = 4;
const FAULTS: readonly Fault[] = [
  { name: 'cut', after: AFTER_CALL },
  { name: 'reset-after-events', after: AFTER_CALL },
  { name: 'sse-error', after: AFTER_CALL, type: 'api_error', message: 'Internal server error' },
];

describe('F03 the stream breaks after a complete tool_use block (L4.3)', () => {
  it.each(FAULTS)(
    'F03 $name: the call is kept and runs once, a note is shown and never sent',
    async (fault) => {
      const run = await rehearse({
        replies: [
          reply(toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_1'), { faults: [fault] }),
          reply('Done.'),
        ],
      });
      expect(outline(run.messages).filter((word) => word !== 'tool_result')).toEqual([
        'init',
        'tool_use',
        'error:server_error',
        'text',
        'result:success',
      ]);
      expect(readFileSync(join(run.cwd, 'ran.txt'), 'utf8')).toBe('x\n');
      expect(blocksOf(run.sent[1], 'tool_result').map((block) => block.tool_use_id)).toEqual(['call_1']);
      expect(wholeText(run.sent[1])).not.toContain('broke in the middle');
      expect(successOf(run)).toMatchObject({ is_error: false, terminal_reason: 'completed', num_turns: 2 });
    },
  );

  it('F03 a call that was not complete never runs and is nowhere', async () => {
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: 'echo x >> ran.txt' }, 'call_1'), {
          faults: [{ name: 'cut', after: 3 }],
        }),
        reply('Nothing was done.'),
      ],
    });
    expect(outline(run.messages)).toEqual(['init', 'api_retry', 'text', 'result:success']);
    expect(() => readFileSync(join(run.cwd, 'ran.txt'))).toThrow();
    expect(JSON.stringify(run.entries)).not.toContain('call_1');
  });
});
