import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { toolResults } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';

it.each([['end_turn'], ['stop_sequence']])(
  'F49 a stop reason of %s beside a tool call: the tool runs, and the loop goes on',
  async (stopReason) => {
    const run = await rehearse({
      replies: [
        reply([toolUse('Bash', { command: 'echo ran' }, 'call_1')], { stop_reason: stopReason }),
        reply('Done.'),
      ],
    });
    expect(toolResults(run.messages)).toMatchObject([{ id: 'call_1', isError: false, text: 'ran' }]);
    expect(successOf(run)).toMatchObject({ result: 'Done.', num_turns: 2 });
  },
);
