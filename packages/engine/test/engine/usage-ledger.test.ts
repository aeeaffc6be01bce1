import { describe, expect, it } from 'vitest';
import { createUsageLedger } from '../../src/engine/budget/usage-ledger.ts';
import { modelInfo } from '../../src/model/catalog/model-info.ts';
import { computeCost } from '../../src/model/catalog/prices.ts';
import { EMPTY_USAGE, type Usage } from '../../src/protocol/model/wire.ts';

const MILLION = 1_000_000;
const usage = (more: Partial<Usage>): Usage => ({ ...EMPTY_USAGE, ...more });
const ledgerWith = () => createUsageLedger({ infoOf: (model) => modelInfo(model), costOf: computeCost });

describe('the ledger (L9)', () => {
  it('counts each effect key once', () => {
    const ledger = ledgerWith();
    const spent = {
      model: 'claude-opus-5-5',
      effectKey: 's/1/1/model',
      usage: usage({ input_tokens: MILLION }),
      main: true,
      querySource: 'main',
    };
    expect(ledger.settle(spent)).toBe(4);
    expect(ledger.settle(spent)).toBe(4);
    expect(ledger.totalCostUsd()).toBe(4);
    expect(ledger.submissionUsage().input_tokens).toBe(MILLION);
  });
  it('keeps what it needs to know an answer again for the last answers only', () => {
    const ledger = ledgerWith();
    const settle = (answer: number) =>
      ledger.settle({
        model: 'claude-opus-5-5',
        effectKey: `s/${answer}/1/model`,
        usage: usage({ input_tokens: MILLION }),
        main: true,
        querySource: 'main',
      });
    for (let answer = 1; answer <= 600; answer++) settle(answer);
    settle(600);
    expect(ledger.submissionUsage().input_tokens).toBe(600 * MILLION);
    settle(89);
    expect(ledger.submissionUsage().input_tokens).toBe(600 * MILLION);
    settle(88);
    expect(ledger.submissionUsage().input_tokens).toBe(601 * MILLION);
  });
  it('tells what was used since the last result, without noise; another conversation begins at 0', () => {
    const ledger = ledgerWith();
    const spend = (effectKey: string, input_tokens: number) =>
      ledger.settle({
        model: 'claude-opus-5-5',
        effectKey,
        usage: usage({ input_tokens, output_tokens: 7 }),
        main: true,
        querySource: 'main',
      });
    spend('a', 1_111);
    expect(ledger.takeUsageSinceResult()).toEqual(ledger.modelUsage());
    expect(ledger.takeUsageSinceResult()).toEqual({});
    spend('b', 333);
    expect(ledger.takeUsageSinceResult()).toMatchObject({
      'claude-opus-5-5': { inputTokens: 333, outputTokens: 7, canonicalModel: 'claude-opus-5-5' },
    });
    expect(String(ledger.totalCostUsd()).length).toBeLessThan(10);
    const spentUsd = ledger.spentUsd();
    ledger.startConversation();
    expect(ledger.totalCostUsd()).toBe(0);
    expect(ledger.modelUsage()).toEqual({});
    expect(ledger.spentUsd()).toBe(spentUsd);
  });
  it('F110: bills what was thrown away, and flags it', () => {
    const ledger = ledgerWith();
    ledger.settle({
      model: 'claude-opus-5-5',
      effectKey: 'a',
      usage: usage({ output_tokens: MILLION }),
      wasted: true,
      main: true,
      querySource: 'main',
    });
    ledger.settle({
      model: 'claude-opus-5-5',
      effectKey: 'b',
      usage: usage({ output_tokens: MILLION }),
      main: true,
      querySource: 'main',
    });
    expect(ledger.totalCostUsd()).toBe(40);
    expect(ledger.spending()).toMatchObject([
      { purpose: 'retry_waste', calls: 1, costUSD: 20 },
      { purpose: 'loop', calls: 1, costUSD: 20 },
    ]);
  });
  it('F107: the sum over models is the total, and only the main loop is in usage', () => {
    const ledger = ledgerWith();
    ledger.settle({
      model: 'claude-opus-5-5',
      effectKey: 'a',
      usage: usage({ input_tokens: 1000, output_tokens: 100 }),
      main: true,
      querySource: 'main',
    });
    ledger.settle({
      model: 'claude-sonnet-5-5',
      effectKey: 'b',
      usage: usage({ input_tokens: 500, cache_read_input_tokens: 9000 }),
      main: false,
      querySource: 'agent:Explore',
    });
    const models = Object.values(ledger.modelUsage());
    expect(models.reduce((sum, model) => sum + model.costUSD, 0)).toBeCloseTo(ledger.totalCostUsd(), 12);
    expect(ledger.submissionUsage().input_tokens).toBe(1000);
    expect(ledger.modelUsage()['claude-sonnet-5-5']).toMatchObject({
      inputTokens: 500,
      cacheReadInputTokens: 9000,
      costBasis: 'list',
    });
  });
  it('names the provider that answered, in rows and by model', () => {
    const infoOf = (model: string) => ({
      ...modelInfo(model),
      ...(model.startsWith('local:') && { provider: 'local' }),
    });
    const ledger = createUsageLedger({ infoOf, costOf: computeCost });
    for (const model of ['claude-opus-5-5', 'local:qwen3:8b'])
      ledger.settle({
        model,
        effectKey: model,
        usage: usage({ input_tokens: 10 }),
        main: true,
        querySource: 'main',
      });
    expect(ledger.spending().map(({ model, provider }) => [model, provider])).toEqual([
      ['claude-opus-5-5', 'firstParty'],
      ['local:qwen3:8b', 'local'],
    ]);
    expect(ledger.modelUsage()['local:qwen3:8b']).toMatchObject({ provider: 'local', costBasis: 'unknown' });
  });
  it('counts answers inside an answer under their own model, however deep', () => {
    const ledger = ledgerWith();
    const inner = {
      model: 'claude-sonnet-5-5',
      type: 'advisor_message',
      input_tokens: MILLION,
      iterations: [{ model: 'claude-haiku-4-5', type: 'advisor_message', input_tokens: MILLION }],
    };
    const rounds = { type: 'message', input_tokens: 10 };
    ledger.settle({
      model: 'claude-opus-5-5',
      effectKey: 'a',
      usage: usage({ input_tokens: MILLION, iterations: [rounds, inner] }),
      main: true,
      querySource: 'main',
    });
    expect(ledger.totalCostUsd()).toBeCloseTo(4 + 2 + 1, 10);
    expect(Object.keys(ledger.modelUsage()).sort()).toEqual([
      'claude-haiku-4-5',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ]);
    expect(ledger.submissionUsage()).toMatchObject({ input_tokens: MILLION });
  });
  it('keeps the two cache lifetimes apart', () => {
    const ledger = ledgerWith();
    const written = {
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    };
    ledger.settle({
      model: 'claude-opus-5-5',
      effectKey: 'a',
      usage: usage(written),
      main: true,
      querySource: 'main',
    });
    expect(ledger.modelUsage()['claude-opus-5-5']).toMatchObject({
      cacheCreationEphemeral5mInputTokens: 100,
      cacheCreationEphemeral1hInputTokens: 200,
    });
  });
  it('F111: what was restored is in the total, not in what this budget has spent', () => {
    const ledger = ledgerWith();
    ledger.restore({ totalCostUsd: 7, modelUsage: { 'claude-opus-5-5': { inputTokens: 5, costUSD: 7 } } });
    expect(ledger.totalCostUsd()).toBe(7);
    expect(ledger.spentUsd()).toBe(0);
    expect(ledger.modelUsage()['claude-opus-5-5']).toMatchObject({
      inputTokens: 5,
      outputTokens: 0,
      costUSD: 7,
    });
  });
  it('F65: a model without a price is flagged, not free', () => {
    const ledger = ledgerWith();
    ledger.settle({
      model: 'somebody-elses-model',
      effectKey: 'a',
      usage: usage({ input_tokens: 10 }),
      main: true,
      querySource: 'main',
    });
    expect(ledger.modelUsage()['somebody-elses-model']).toMatchObject({ costBasis: 'unknown' });
  });
  it('starts each submission at zero and keeps the totals', () => {
    const ledger = ledgerWith();
    ledger.settle({
      model: 'claude-opus-5-5',
      effectKey: 'a',
      usage: usage({ input_tokens: MILLION }),
      main: true,
      querySource: 'main',
    });
    ledger.startSubmission();
    expect(ledger.submissionUsage()).toEqual(EMPTY_USAGE);
    expect(ledger.totalCostUsd()).toBe(4);
  });
});
