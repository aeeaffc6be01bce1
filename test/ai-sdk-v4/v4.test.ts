/** Instances of a real provider package of the AI SDK with specification V4: chat completions and responses. */
import { createOpenAI } from '@ai-sdk/openai';
import { modelClientChecks } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { type CreateOpenAi, openAiSdkModel } from '../model/wires/ai-sdk-model.ts';
import { TRAITS } from '../model/wires/traits.ts';

const create: CreateOpenAi = createOpenAI;

describe.each([
  ['chat', TRAITS['AI SDK instance (chat completions)']],
  ['responses', TRAITS['AI SDK instance (responses)']],
] as const)('a model of the AI SDK, specification V4, %s', (api, traits) => {
  it('has that specification', () => {
    const provider = create({ baseURL: 'http://localhost/v1', apiKey: 'sk-checks' });
    expect(provider[api]('gpt-5.2').specificationVersion).toBe('v4');
  });

  for (const { name, run } of modelClientChecks((setup) => openAiSdkModel(setup, create, api), traits))
    it(name, run);
});
