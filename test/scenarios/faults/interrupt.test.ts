import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { toolResults } from '../outline.ts';
import { conversation, rehearse } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

it('F135 an interrupt stops the stream and the tools that run; the history stays valid and the session goes on', async () => {
  const talk = conversation();
  talk.say('Look around.');
  const run = await rehearse({
    prompt: talk.prompts,
    replies: [
      reply([
        toolUse('Bash', { command: 'echo quick' }, 'call_1'),
        toolUse('Bash', { command: 'sleep 60' }, 'call_2'),
      ]),
      reply('Going on.'),
    ],
    onMessage: async (message, { query }) => {
      // The first call has answered, the second runs.
      if (message.type === 'user' && toolResults([message])[0]?.id === 'call_1') await query.interrupt();
      if (message.type !== 'result') return;
      if (message.subtype === 'success') talk.end();
      else talk.say('And now?');
    },
  });
  expect(run.results).toMatchObject([
    { subtype: 'error_during_execution', terminal_reason: 'aborted_tools' },
    { subtype: 'success', result: 'Going on.' },
  ]);
  expect(blocksOf(run.sent[1], 'tool_result')).toMatchObject([
    { tool_use_id: 'call_1', content: 'quick' },
    { tool_use_id: 'call_2', is_error: true },
  ]);
});
