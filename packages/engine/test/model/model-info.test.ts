import { describe, expect, it } from 'vitest';
import { addUsage } from '../../src/model/catalog/add-usage.ts';
import { canonicalModel, modelInfo, resolveModelAlias } from '../../src/model/catalog/model-info.ts';
import { computeCost } from '../../src/model/catalog/prices.ts';
import { thinkingFor } from '../../src/model/request/thinking-options.ts';
import { contextTokens, readUsage, replaceUsage } from '../../src/protocol/model/usage.ts';
import { EMPTY_USAGE } from '../../src/protocol/model/wire.ts';

describe('model info', () => {
  it.each([
    ['claude-opus-5-5', 'list', 1_000_000, 128_000],
    ['claude-opus-4-1-20250805', 'list', 200_000, 32_000],
    ['claude-opus-4-20250514', 'list', 200_000, 32_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'list', 200_000, 64_000],
    ['anthropic/claude-sonnet-4.6', 'list', 200_000, 64_000],
    ['claude-sonnet-4-5[1m]', 'list', 1_000_000, 64_000],
    ['claude-fable-5-2', 'list', 1_000_000, 128_000],
    ['claude-mythos-5-2', 'list', 1_000_000, 128_000],
    ['claude-opus-9', 'family', 1_000_000, 128_000],
    ['claude-3-5-haiku-20241022', 'family', 1_000_000, 128_000],
    ['qwen3-coder', 'default', 200_000, 32_000],
  ])('%s: %s', (model, source, contextWindow, maxOutputTokens) => {
    expect(modelInfo(model)).toMatchObject({ id: model, source, contextWindow, maxOutputTokens });
  });

  it.each([
    ['claude-sonnet-4-5', 1_000_000],
    ['claude-sonnet-4-20250514', 1_000_000],
    ['claude-haiku-4-5', 200_000],
    ['claude-opus-4-5', 200_000],
  ])('the beta for long context opens %s to %i tokens', (model, contextWindow) => {
    expect(modelInfo(model, {}, undefined, ['context-1m-2025-08-07'])).toMatchObject({ contextWindow });
  });

  it('asks nothing of models older than its list', () => {
    const info = modelInfo('claude-3-5-haiku-20241022');
    expect(info).toMatchObject({ supportsAdaptiveThinking: false, supportsEffort: false });
    expect(thinkingFor(undefined, info.id, info)).toBeUndefined();
  });

  it('settings add and override', () => {
    const price = { input: 1, output: 2, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    expect(modelInfo('qwen3-coder', { 'qwen3-coder': { contextWindow: 32_768, price } })).toMatchObject({
      source: 'settings',
      contextWindow: 32_768,
      price,
    });
  });

  it('spells one model one way', () => {
    expect(canonicalModel('claude-opus-4@20250514')).toBe('claude-opus-4');
    expect(canonicalModel('claude-opus-4-0')).toBe('claude-opus-4');
    expect(canonicalModel('Claude-Opus-4-1-latest')).toBe('claude-opus-4-1');
  });

  it.each([
    ['opus', {}, 'claude-opus-5-5'],
    ['Sonnet[1m]', {}, 'claude-sonnet-5-5'],
    ['claude-sonnet-4-5[1m]', {}, 'claude-sonnet-4-5[1m]'],
    ['claude-opus-4-8[1m]', {}, 'claude-opus-4-8'],
    ['haiku', { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'my-haiku' }, 'my-haiku'],
    ['', { ANTHROPIC_MODEL: 'fable' }, 'claude-fable-5-2'],
    ['best', {}, 'claude-opus-5-5'],
    ['opusplan[1m]', { ANTHROPIC_DEFAULT_SONNET_MODEL: 'my-sonnet' }, 'my-sonnet[1m]'],
    ['default', {}, 'claude-opus-5-5'],
    ['some-model', { ANTHROPIC_MODEL: 'x' }, 'some-model'],
  ])('alias %j', (name, env, expected) => {
    expect(resolveModelAlias(name, env)).toBe(expected);
  });
});

describe('cost', () => {
  const usage = { ...EMPTY_USAGE, input_tokens: 1_000_000, output_tokens: 1_000_000 };

  it('prices each kind of token', () => {
    const info = modelInfo('claude-sonnet-4-5');
    expect(computeCost(usage, info)).toBeCloseTo(18);
    expect(
      computeCost(
        { ...EMPTY_USAGE, cache_read_input_tokens: 1_000_000, cache_creation_input_tokens: 1_000_000 },
        info,
      ),
    ).toBeCloseTo(0.3 + 3.75);
    const split = { ephemeral_5m_input_tokens: 400_000, ephemeral_1h_input_tokens: 600_000 };
    expect(
      computeCost({ ...EMPTY_USAGE, cache_creation_input_tokens: 1_000_000, cache_creation: split }, info),
    ).toBeCloseTo(0.4 * 3.75 + 0.6 * 6);
    expect(computeCost({ ...EMPTY_USAGE, server_tool_use: { web_search_requests: 3 } }, info)).toBeCloseTo(
      0.03,
    );
  });

  it('long prompts of haiku 5.5 cost more', () => {
    const info = modelInfo('claude-haiku-5-5');
    expect(computeCost({ ...EMPTY_USAGE, input_tokens: 100_000 }, info)).toBeCloseTo(0.01);
    expect(
      computeCost({ ...EMPTY_USAGE, input_tokens: 50_000, cache_read_input_tokens: 50_001 }, info),
    ).toBeCloseTo(0.025 + 0.0025, 4);
  });

  it.each(['claude-fable-5-2', 'claude-mythos-5-2'])('%s has its own price', (model) => {
    const { price } = modelInfo(model);
    expect(price).toMatchObject({ input: 8, output: 40, cacheRead: 0.2, cacheWrite5m: 10, cacheWrite1h: 16 });
    expect(price).not.toHaveProperty('isAssumed');
  });

  it('the price of a family is assumed, until someone states it', () => {
    expect(modelInfo('claude-opus-9').price).toMatchObject({ input: 4, isAssumed: true });
    const price = { input: 1, output: 2, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    expect(modelInfo('claude-opus-9', { 'claude-opus-9': { price } }).price).toEqual(price);
    expect(modelInfo('claude-opus-9', {}, { price }).price).toEqual(price);
  });

  it('an attempt of a fallback model counts once, at its own price', () => {
    const refused = { type: 'message', model: 'claude-fable-5-2', output_tokens: 0 };
    const served = { type: 'fallback_message', model: 'claude-opus-5', ...usage };
    for (const own of ['claude-fable-5-2', 'claude-opus-5'])
      expect(computeCost({ ...usage, iterations: [refused, served] }, modelInfo(own))).toBeCloseTo(5 + 25);
    // Of a refused attempt that is billed, too.
    const both = { ...usage, input_tokens: 2_000_000, iterations: [refused, served] };
    expect(computeCost(both, modelInfo('claude-fable-5-2'))).toBeCloseTo(8 + 5 + 25);
  });

  it('an unknown model is unpriced, never free', () => {
    expect(computeCost(usage, modelInfo('qwen3-coder'))).toBeUndefined();
  });

  it('counts answers inside an answer, recursively', () => {
    const advisor = {
      type: 'advisor_message',
      model: 'claude-opus-5',
      input_tokens: 1_000_000,
      iterations: [{ model: 'claude-haiku-4-5', output_tokens: 1_000_000 }],
    };
    const own = { type: 'message', model: 'claude-sonnet-5', input_tokens: 1_000_000 };
    expect(computeCost({ ...usage, iterations: [own, advisor] }, modelInfo('claude-sonnet-5'))).toBeCloseTo(
      12 + 5 + 5,
    );
    expect(
      computeCost(
        { ...usage, iterations: [{ model: 'mystery', input_tokens: 1 }] },
        modelInfo('claude-sonnet-5'),
      ),
    ).toBeUndefined();
  });

  it('sums and replaces', () => {
    const a = { ...EMPTY_USAGE, input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 4 };
    const b = {
      ...EMPTY_USAGE,
      cache_creation_input_tokens: 8,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 8 },
    };
    expect(addUsage(a, b)).toMatchObject({
      input_tokens: 1,
      cache_creation_input_tokens: 12,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 8 },
    });
    expect(contextTokens(a)).toBe(7);
    expect(replaceUsage(a, { output_tokens: 9, input_tokens: null as never })).toMatchObject({
      input_tokens: 1,
      output_tokens: 9,
    });
  });

  it.each([-1, -1e9, 1e300, Number.NaN, Infinity, -Infinity, '7', '-7', true, {}, [5], [], null, undefined])(
    'a count of %j is 0, wherever it stands, so that no answer lowers what was spent',
    (wrong) => {
      const count = wrong as number;
      const said = {
        input_tokens: count,
        output_tokens: count,
        cache_creation_input_tokens: count,
        cache_read_input_tokens: count,
        cache_creation: { ephemeral_5m_input_tokens: count, ephemeral_1h_input_tokens: count },
        server_tool_use: { web_search_requests: count },
        iterations: [{ type: 'advisor', model: 'claude-opus-5', input_tokens: count, output_tokens: count }],
      } as never;
      const usage = readUsage(said);
      expect(computeCost(usage, modelInfo('claude-opus-5'))).toBe(0);
      expect(contextTokens(usage)).toBe(0);
    },
  );
});
