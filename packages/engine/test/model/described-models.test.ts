import { expect, it } from 'vitest';
import { factsIn } from '../../src/model/catalog/described-models.ts';

it('capabilities of the Messages API are read from its list', () => {
  const no = { supported: false };
  const yes = { supported: true };
  const capabilities = {
    image_input: no,
    effort: { ...yes, high: yes },
    thinking: { ...yes, types: { adaptive: no, enabled: yes } },
  };
  expect(factsIn({ id: 'm', max_input_tokens: 5_000, max_tokens: 700, capabilities })).toEqual({
    contextWindow: 5_000,
    maxOutputTokens: 700,
    supportsImages: false,
    supportsThinking: true,
    supportsAdaptiveThinking: false,
    supportsEffort: true,
  });
  expect(factsIn({ id: 'm', max_tokens: 700, capabilities: null })).toEqual({ maxOutputTokens: 700 });
});
