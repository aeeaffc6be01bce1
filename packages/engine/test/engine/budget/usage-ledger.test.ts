import { expect, it } from 'vitest';
import { createUsageLedger } from '../../../src/engine/budget/usage-ledger.ts';
import { modelInfo } from '../../../src/model/catalog/model-info.ts';
import { computeCost } from '../../../src/model/catalog/prices.ts';
import { EMPTY_USAGE, type Usage } from '../../../src/protocol/model/wire.ts';

const ledger = () => createUsageLedger({ infoOf: (model) => modelInfo(model), costOf: computeCost });
const settle = (usage: Partial<Usage>, model: string) => {
  const counting = ledger();
  const full = { ...EMPTY_USAGE, ...usage };
  counting.settle({ model, effectKey: 'k', usage: full, main: true, querySource: 'main' });
  return { counting, full };
};

it('FD9 the model that answered in place of another counts once, at its own price', () => {
  const used = { input_tokens: 1_000_000, output_tokens: 1_000_000 };
  const refused = { type: 'message', model: 'claude-fable-5-2', output_tokens: 0 };
  const served = { type: 'fallback_message', model: 'claude-opus-5', ...used };
  const { counting, full } = settle({ ...used, iterations: [refused, served] }, 'claude-fable-5-2');
  expect(counting.totalCostUsd()).toBeCloseTo(computeCost(full, modelInfo('claude-fable-5-2')) as number);
  expect(counting.spending()).toMatchObject([
    { model: 'claude-opus-5', purpose: 'loop', calls: 1, inputTokens: 1_000_000, outputTokens: 1_000_000 },
  ]);

  const both = settle(
    { ...used, input_tokens: 2_000_000, iterations: [refused, served] },
    'claude-fable-5-2',
  );
  expect(both.counting.totalCostUsd()).toBeCloseTo(
    computeCost(both.full, modelInfo('claude-fable-5-2')) as number,
  );
  expect(both.counting.spending().map(({ model, inputTokens }) => [model, inputTokens])).toEqual([
    ['claude-fable-5-2', 1_000_000],
    ['claude-opus-5', 1_000_000],
  ]);
});

it('an answer of another model inside an answer is added to it, and the ledger agrees with the price', () => {
  const advisor = { type: 'advisor_message', model: 'claude-opus-5', input_tokens: 1_000_000 };
  const { counting, full } = settle({ input_tokens: 1_000_000, iterations: [advisor] }, 'claude-sonnet-5');
  expect(counting.totalCostUsd()).toBeCloseTo(computeCost(full, modelInfo('claude-sonnet-5')) as number);
  expect(counting.spending().map(({ purpose }) => purpose)).toEqual(['loop', 'advisor']);
});
