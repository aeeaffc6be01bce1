import { say, scriptedModel } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { underOwnNames } from '../../src/engine/published-names.ts';
import { QueryEngine } from '../../src/index.ts';

it('the fields of the published table are options by another name', async () => {
  const model = scriptedModel([say('Hi.')]);
  const engine = new QueryEngine({
    cwd: '/',
    tools: [],
    callModel: model.callModel,
    userSpecifiedModel: 'claude-haiku-5-5',
    thinkingConfig: { type: 'adaptive', display: 'omitted' },
    customSystemPrompt: 'You are a parrot.',
    appendSystemPrompt: 'Speak Latin.',
  });
  for await (const _ of engine.submitMessage('Hello.'));
  await engine.close();
  expect(model.requests[0]).toMatchObject({
    model: 'claude-haiku-5-5',
    thinking: { type: 'adaptive', display: 'omitted' },
    system: ['You are a parrot.', 'Speak Latin.'],
  });
});

it('a field that is given under its own name wins', () => {
  const schema = { type: 'object' } as const;
  expect(underOwnNames({ model: 'opus', userSpecifiedModel: 'haiku', jsonSchema: schema })).toEqual({
    model: 'opus',
    outputFormat: { type: 'json_schema', schema },
  });
  expect(underOwnNames({ model: undefined, userSpecifiedModel: 'haiku' })).toEqual({ model: 'haiku' });
  expect(underOwnNames({ appendSystemPrompt: 'Speak Latin.' })).toEqual({
    systemPrompt: { type: 'preset', preset: 'turnwright', append: 'Speak Latin.' },
  });
  expect(
    underOwnNames({
      agentLimits: { maxDepth: 0, maxPerSession: 3 },
      permissionPromptTool: 'mcp__desk__approve',
    }),
  ).toEqual({ maxSubagentDepth: 0, maxSubagents: 3, permissionPromptToolName: 'mcp__desk__approve' });
  expect(underOwnNames({ verbose: true })).toEqual({ verbose: true });
});
