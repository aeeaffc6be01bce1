import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { untilFile } from '../processes.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

describe('F39 the connection is reset after a tool of that response has run', () => {
  it('F39 it does not run again: the run goes on from its recorded result', async () => {
    const run = await rehearse({
      replies: [
        reply([toolUse('Bash', { command: 'echo x >> ran.txt; echo ran' }, 'call_1'), 'And now'], {
          timing: { blockPauseMs: 150 },
          faults: [{ name: 'reset-after-events', after: 6 }],
        }),
        reply('It ran once.'),
      ],
      onMessage: (message, { cwd }) => message.type === 'assistant' && untilFile(join(cwd, 'ran.txt')),
    });
    expect(readFileSync(join(run.cwd, 'ran.txt'), 'utf8')).toBe('x\n');
    expect(blocksOf(run.sent[1], 'tool_result')).toMatchObject([
      { tool_use_id: 'call_1', content: expect.stringContaining('ran') },
    ]);
    expect(JSON.stringify(run.sent[1]?.messages)).not.toContain('And now');
    expect(run.entries.filter((entry) => entry.type === 'intent')).toHaveLength(1);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'It ran once.' });
  });
});
