import { query, type SDKMessage } from '@turnwright/engine';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { tempFolder } from '../temp-folder.ts';

const LOOKS = 60;

it('F53 a 529 at the sixtieth call of a subagent: it is asked again with its history, not from scratch', async () => {
  const server = await startRehearsal();
  const cwd = tempFolder({ 'note.txt': 'A note.' });
  const read = () => reply(toolUse('Read', { file_path: `${cwd}/note.txt` }));
  server.setScenario({
    name: 'overloaded subagent',
    replies: [
      reply(toolUse('Agent', { description: 'read', prompt: 'Read it.', subagent_type: 'general-purpose' })),
      ...Array.from({ length: LOOKS }, read),
      reply([], { faults: [{ name: 'http-status', status: 529, retryAfter: '0' }] }),
      reply('Read sixty times.'),
      reply('Done.'),
    ],
  });
  const messages: SDKMessage[] = [];
  try {
    for await (const message of query({
      prompt: 'Go.',
      options: { cwd, env: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url } },
    }))
      messages.push(message);
  } finally {
    await server.close();
  }
  const retries = messages.filter((message) => message.type === 'tool_progress' && message.subagent_retry);
  expect(retries).toMatchObject([
    {
      tool_name: 'Agent',
      subagent_type: 'general-purpose',
      subagent_retry: { attempt: 1, error_status: 529 },
    },
  ]);
  const asked = server.requests.filter(({ path }) => path === '/v1/messages');
  // The main agent twice, the subagent sixty-one times, and its one failure.
  expect(asked).toHaveLength(LOOKS + 4);
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
  const calls = messages.filter(
    (message) => message.type === 'assistant' && message.parent_tool_use_id !== null,
  );
  expect(calls).toHaveLength(LOOKS);
});
