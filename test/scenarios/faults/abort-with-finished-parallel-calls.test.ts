import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { hostTool, hostTools } from '../host-tools.ts';
import { toolResults } from '../outline.ts';
import { conversation, rehearse } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const QUICK = ['a', 'c', 'e'];
const ALL = ['a', 'b', 'c', 'd', 'e'];

describe('F02 abort while 3 of 5 parallel tools are done', () => {
  it('F02 three real results are kept, two are made, and the next request has them in the model’s order', async () => {
    const talk = conversation();
    talk.say('Look at five things.');
    const tools = ALL.map((name) =>
      hostTool(
        name,
        (extra) =>
          QUICK.includes(name)
            ? `${name} is fine`
            : new Promise((_, reject) =>
                extra.signal.addEventListener('abort', () => reject(new Error('stopped'))),
              ),
        { readOnlyHint: true },
      ),
    );
    const run = await rehearse({
      prompt: talk.prompts,
      replies: [
        reply(ALL.map((name) => toolUse(`mcp__host__${name}`, {}, `call_${name}`))),
        reply('Three are fine.'),
      ],
      options: hostTools(...tools),
      onMessage: (message, { query }) => {
        if (message.type === 'user' && JSON.stringify(message).includes('call_e')) void query.interrupt();
        if (message.type !== 'result') return;
        if (message.terminal_reason === 'completed') talk.end();
        else talk.say('And now?');
      },
    });
    expect(run.results.map((result) => result.terminal_reason)).toEqual(['aborted_tools', 'completed']);
    const shown = toolResults(run.messages);
    expect(
      shown
        .filter(({ isError }) => !isError)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(QUICK.map((name) => `call_${name}`));
    expect(
      shown
        .filter(({ isError }) => isError)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['call_b', 'call_d']);
    const sent = blocksOf(run.sent[1], 'tool_result');
    expect(sent.map((block) => block.tool_use_id)).toEqual(ALL.map((name) => `call_${name}`));
    expect(sent.map((block) => block.is_error === true)).toEqual([false, true, false, true, false]);
  });
});
