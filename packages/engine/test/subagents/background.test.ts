import { readFileSync } from 'node:fs';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import {
  agentsUnderTest,
  answersIn,
  resultIn,
  startAgent,
} from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, hang, say } from '@turnwright/testing';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { query } from '../../src/index.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

const system = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' ? [message] : []));

it('an agent in the background lets its call return; its end starts another turn, with its report', async () => {
  const server = await startRehearsal();
  const agent = {
    description: 'dig',
    prompt: 'Dig for gold.',
    subagent_type: 'worker',
    run_in_background: true,
  };
  server.setScenario({
    name: 'background',
    replies: [
      reply(toolUse('Agent', agent), { when: { lastMessage: '^Go\\.$' } }),
      reply('It is gold.', { when: { lastMessage: 'Dig for gold' } }),
      reply('I started it.', { when: { lastMessage: 'works in the background' } }),
      reply('Gold it is.', { when: { lastMessage: 'task-notification' } }),
    ],
  });
  const messages: SDKMessage[] = [];
  try {
    for await (const message of query({
      prompt: 'Go.',
      options: {
        cwd: tempFolder(),
        env: { HOME: tempFolder(), ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url },
        agents: { worker: { description: 'Works.', prompt: 'You work.' } },
      },
    }))
      messages.push(message);
  } finally {
    await server.close();
  }
  expect(answersIn(messages)[0]).toMatchObject({
    isError: false,
    data: { status: 'async_launched', isAsync: true, description: 'dig' },
  });
  const { agentId, outputFile } = answersIn(messages)[0]?.data ?? {};
  const told = system(messages);
  expect(told.find(({ subtype }) => subtype === 'task_started')).toMatchObject({
    task_id: agentId,
    subagent_type: 'worker',
    is_backgrounded: true,
  });
  expect(told.find(({ subtype }) => subtype === 'task_notification')).toMatchObject({
    task_id: agentId,
    status: 'completed',
    usage: { tool_uses: 0 },
  });
  expect(readFileSync(String(outputFile), 'utf8')).toBe('It is gold.');
  // Its text is shown: no result will carry it.
  expect(JSON.stringify(messages.filter((message) => message.type === 'assistant'))).toContain('It is gold.');
  const results = messages.filter((message) => message.type === 'result');
  expect(results.at(-1)).toMatchObject({ subtype: 'success', result: 'Gold it is.' });
});

it('a call that waits for an agent returns when the host detaches it, and the agent continues', async () => {
  const work = fakeTool({ name: 'Work', hold: true });
  const folder = tempFolder();
  const { engine } = agentsUnderTest(
    {
      main: [startAgent('dig', { id: 'toolu_dig' }), say('It goes on.')],
      dig: [callTool('Work'), say('Gold.')],
    },
    { tools: [work], home: folder, sessionsDirectory: folder },
  );
  const messages: SDKMessage[] = [];
  const running = (async () => {
    for await (const message of engine.submitMessage('Go.')) messages.push(message);
  })();
  const call = await work.started();
  expect(engine.tasks.toBackground('toolu_dig')).toBe(true);
  await running;
  expect(answersIn(messages)).toMatchObject([{ data: { status: 'async_launched' } }]);
  expect(resultIn(messages)).toMatchObject({ result: 'It goes on.' });
  const ended = new Promise<void>((resolve) => {
    engine.tasks.onChange(() => {
      if (!engine.tasks.running) resolve();
    });
  });
  call.finish();
  await ended;
  expect(engine.tasks.list()).toMatchObject([{ kind: 'agent', status: 'completed', result: 'Gold.' }]);
  await engine.close();
});

it('a task that is stopped ends its agent, as stopped', async () => {
  const { engine } = agentsUnderTest({
    main: [startAgent('dig', { run_in_background: true }), say('Started.')],
    dig: [hang(say('Half of'))],
  });
  for await (const _ of engine.submitMessage('Go.'));
  const [task] = engine.tasks.list();
  await engine.tasks.stop(task?.taskId ?? '');
  expect(engine.tasks.list()).toMatchObject([{ status: 'stopped', endedBy: 'host' }]);
  await engine.close();
});
