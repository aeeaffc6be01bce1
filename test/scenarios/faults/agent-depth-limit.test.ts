import { say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { createQuota } from '../../../packages/engine/src/subagents/quota.ts';
import { agentsUnderTest, answersIn, startAgent } from '../../subagents/agents-under-test.ts';

it('F61 at the depth cap the tool is absent, and a call of it all the same does not run', async () => {
  const { run, asked } = agentsUnderTest({
    main: [startAgent('dig'), say('Done.')],
    dig: [startAgent('deeper'), say('I dug alone.')],
    deeper: [],
  });
  const messages = await run();
  expect(answersIn(messages)).toMatchObject([{ text: 'I dug alone.', isError: false }]);
  expect(asked('dig')[0]?.tools.map(({ name }) => name)).not.toContain('Agent');
  expect(JSON.stringify(asked('dig')[1]?.view)).toContain('No such tool available: Agent');
  expect(asked('deeper')).toEqual([]);
});

it('F61 a call at the cap is refused at run time too, whatever tools were offered', () => {
  const quota = createQuota({ maxDepth: 1, maxPerMessage: 10, maxPerSession: 200 });
  expect(quota.take({ effectKey: 's/1/1/tool/a', depth: 0 })).toBeUndefined();
  expect(quota.take({ effectKey: 's/1/1/tool/b', depth: 1 })).toMatchObject({
    by: 'depth_limit',
    text: expect.stringContaining('nested 1 deep'),
  });
});

it('F61 a deeper cap lets agents start agents, down to it', async () => {
  const { run, asked } = agentsUnderTest(
    {
      main: [startAgent('dig', { id: 'toolu_dig' }), say('Done.')],
      dig: [startAgent('deeper', { id: 'toolu_deeper' }), say('It is gold.')],
      deeper: [say('Gold.')],
    },
    { maxSubagentDepth: 2 },
  );
  const messages = await run();
  expect(answersIn(messages)).toMatchObject([{ text: 'It is gold.' }]);
  expect(asked('deeper')[0]?.tools).toEqual([]);
  const prompts = messages.filter(
    (message) => message.type === 'user' && message.task_description === 'do deeper',
  );
  expect(prompts[0]).toMatchObject({ parent_tool_use_id: 'toolu_deeper' });
});
