/** `opusplan`: Opus answers while plan mode is on, Sonnet otherwise. */

import { gather, prompt, pushable, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { callTool, fakeTool, type ScriptStep, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { CanUseTool } from '../../src/protocol/tools/can-use-tool.ts';
import type { Options } from '../../src/sdk/query-options.ts';

const OPUS = 'claude-opus-5-5';
const SONNET = 'claude-sonnet-5-5';

const approve: CanUseTool = async (_name, updatedInput) => ({ behavior: 'allow', updatedInput });
const plan = callTool('ExitPlanMode', { plan: 'Paint it.' });

const asked = async (script: readonly ScriptStep[], options: Options = {}) => {
  const { query, model } = queryUnderTest(script, 'Paint the gate.', {
    model: 'opusplan',
    tools: ['EnterPlanMode', 'ExitPlanMode'],
    canUseTool: approve,
    ...options,
  });
  const { results, messages, error } = await gather(query);
  expect(error).toBeUndefined();
  return { results, messages, models: model.requests.map((request) => request.model) };
};

describe('opusplan', () => {
  it('Opus plans; from the request after the approval on Sonnet works', async () => {
    const { models, results } = await asked([plan, callTool('Paint'), say('Painted.')], {
      permissionMode: 'plan',
      engine: { tools: [fakeTool({ name: 'Paint' })] },
    });
    expect(models).toEqual([OPUS, SONNET, SONNET]);
    expect(Object.keys(results[0]?.modelUsage ?? {})).toEqual([OPUS, SONNET]);
  });

  it('a model that begins to plan is relieved by Opus', async () => {
    const { models } = await asked([callTool('EnterPlanMode'), plan, say('Painted.')]);
    expect(models).toEqual([SONNET, OPUS, SONNET]);
  });

  it('an agent that is called after the approval works on Sonnet, too', async () => {
    const call = callTool('Agent', {
      description: 'Paints',
      prompt: 'Paint.',
      subagent_type: 'general-purpose',
    });
    const { models } = await asked([plan, call, say('Painted.'), say('Done.')], {
      permissionMode: 'plan',
      tools: ['Agent', 'ExitPlanMode'],
    });
    expect(models).toEqual([OPUS, SONNET, SONNET, SONNET]);
  });

  it('init names the model that is asked', async () => {
    const { messages } = await asked([say('A plan.')], { permissionMode: 'plan' });
    expect(messages[0]).toMatchObject({ subtype: 'init', model: OPUS, permissionMode: 'plan' });
  });

  it('the default model of the environment may be it, with a window and models of its own', async () => {
    const env = {
      ANTHROPIC_MODEL: 'opusplan[1m]',
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-sonnet-4-5',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'claude-haiku-4-5',
    };
    const { models } = await asked([plan, say('Painted.')], {
      model: undefined,
      env,
      permissionMode: 'plan',
    });
    expect(models).toEqual(['claude-sonnet-4-5[1m]', 'claude-haiku-4-5[1m]']);
  });

  it('another model is asked in every mode', async () => {
    const { models } = await asked([plan, say('Painted.')], { model: 'sonnet', permissionMode: 'plan' });
    expect(models).toEqual([SONNET, SONNET]);
  });

  it('the mode of the host counts, and setModel() chooses it and leaves it', async () => {
    const { push, end, input } = pushable();
    const { query, model } = queryUnderTest(
      [1, 2, 3, 4, 5].map(() => say('ok')),
      input,
      { model: 'opusplan' },
    );
    const then = [
      () => query.setPermissionMode('plan'),
      () => query.setModel('haiku'),
      () => query.setModel('opusplan'),
      () => query.setPermissionMode('default'),
    ];
    push(prompt('Go on.'));
    await gather(query, (message) => {
      if (message.type !== 'result') return;
      const next = then.shift();
      if (next === undefined) end();
      else void next().then(() => push(prompt('Go on.')));
    });
    expect(model.requests.map((request) => request.model)).toEqual([
      SONNET,
      OPUS,
      'claude-haiku-5-5',
      OPUS,
      SONNET,
    ]);
  });

  it('a budget needs the prices of both models', async () => {
    const env = { ANTHROPIC_DEFAULT_OPUS_MODEL: 'my-planner' };
    const { query } = queryUnderTest([say('ok')], 'Go.', { model: 'opusplan', env, maxBudgetUsd: 1 });
    const { error } = await gather(query);
    expect(error).toMatchObject({ code: 'unpriced_model', message: expect.stringContaining('my-planner') });
  });
});
