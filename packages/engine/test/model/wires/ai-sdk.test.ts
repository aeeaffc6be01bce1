/**
 * Instances of a real provider package of the AI SDK: chat completions and responses, by its specification V3 and by V2.
 * V4, which asks for Node 22, is in test/ai-sdk-v4.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { everyNth } from '@turnwright/test/long-form.ts';
import { type OpenAiApi, openAiSdkModel } from '@turnwright/test/model/wires/ai-sdk-model.ts';
import { AI_SDK_V2_RESPONSES, TRAITS } from '@turnwright/test/model/wires/traits.ts';
import { modelClientChecks } from '@turnwright/testing';
import { createOpenAI as createOpenAiV2 } from 'ai-sdk-openai-v2';
import { describe, expect, it } from 'vitest';

const PACKAGES = { V3: createOpenAI, V2: createOpenAiV2 } as const;

const traitsOf = (version: keyof typeof PACKAGES, api: OpenAiApi) => {
  if (api === 'chat') return TRAITS['AI SDK instance (chat completions)'];
  return version === 'V2' ? AI_SDK_V2_RESPONSES : TRAITS['AI SDK instance (responses)'];
};

describe.each([
  ['V3', 'chat'],
  ['V3', 'responses'],
  ['V2', 'chat'],
  ['V2', 'responses'],
] as const)('a model of the AI SDK, specification %s, %s', (version, api) => {
  const create = PACKAGES[version];

  it('has that specification', () => {
    expect(create({ apiKey: 'sk-checks' })[api]('gpt-5.2').specificationVersion).toBe(version.toLowerCase());
  });

  const checks = modelClientChecks((setup) => openAiSdkModel(setup, create, api), traitsOf(version, api));
  for (const { name, run } of everyNth(version === 'V2' ? 6 : 4, checks)) it(name, run);
});
