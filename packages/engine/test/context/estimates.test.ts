import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { describe, expect, it } from 'vitest';
import { createEstimates } from '../../src/context/estimate/estimates.ts';
import { estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import { context, prompt, prose } from './conversation.ts';

const request = (tokens: number) => ({
  model: 'm',
  view: PersistentList.from([prompt('p', prose(tokens))]),
  system: ['You are a test.'],
  tools: [],
});

describe('measure', () => {
  it('counts the messages, and apart from them what no message accounts for', () => {
    const estimates = createEstimates();
    const given = request(2_000);
    const { tokens, overheadTokens } = estimates.measure(given);
    expect(overheadTokens).toBeGreaterThan(3);
    expect(overheadTokens).toBeLessThan(20);
    expect(tokens).toBe(overheadTokens + estimateTokens(given.view));
    const tool = { name: 'Read', description: prose(500), input_schema: { type: 'object' } } as const;
    expect(estimates.measure({ ...given, tools: [tool] }).overheadTokens).toBeGreaterThan(700);
  });

  it('O(what is new): a message that was counted is not looked at again when the view grows', () => {
    const estimates = createEstimates();
    const base = request(10);
    let looks = 0;
    const watched = {
      ...prompt('w', 'x'),
      get type() {
        looks += 1;
        return 'user' as const;
      },
    };
    const grown = base.view.append([watched]);
    estimates.measure({ ...base, view: grown });
    const once = looks;
    estimates.measure({ ...base, view: grown.append([prompt('next', 'y')]) });
    expect(looks).toBe(once);
  });
});

describe('calibrate', () => {
  it('F29: an estimate of 8k for what is 22k makes later estimates as much larger, also of what is left after a compaction', () => {
    const estimates = createEstimates();
    const estimated = estimates.measure(request(8_000)).tokens;
    estimates.calibrate(estimated, 22_000, 'm');
    expect(estimates.measure(request(8_000)).tokens).toBeCloseTo(22_000, -2);
    const left = [prompt('summary', prose(1_000))];
    expect(estimates.estimate(left, 'm') / estimates.estimate(left)).toBeCloseTo(22_000 / 8_000, 1);
    expect(estimates.estimate(left, 'another')).toBe(estimates.estimate(left));
  });

  it('follows later reports by and by, within bounds, and does not listen to small ones', () => {
    const estimates = createEstimates();
    estimates.calibrate(500, 50_000, 'm');
    expect(estimates.measure(request(1)).factor).toBe(1);
    estimates.calibrate(2_000, 1_000_000, 'm');
    expect(estimates.measure(request(1)).factor).toBe(10);
    for (let i = 0; i < 20; i++) {
      const { tokens, factor } = estimates.measure(request(4_000));
      estimates.calibrate(tokens, (tokens / factor) * 1.3, 'm');
    }
    expect(estimates.measure(request(1)).factor).toBeCloseTo(1.3, 1);
  });
});

describe('learnFrom', () => {
  const overflow = (limit?: number) => ({
    kind: 'prompt_too_long' as const,
    message: 'exceeds the available context size',
    ...(limit !== undefined && { tokens: { input: limit + 1, limit } }),
  });

  it('F116: a window of 128k that is really 32k is corrected by the first overflow, for this model alone', () => {
    const { port } = context([], { modelSize: () => ({ contextWindow: 128_000, maxOutputTokens: 8_000 }) });
    const before = port.limitsFor('local');
    port.learnFrom?.(overflow(32_000), 'local');
    expect(port.limitsFor('local')).toMatchObject({ window: 32_000, autocompactAt: 20_000 });
    expect(port.limitsFor('other')).toEqual(before);
  });

  it('F28: an overflow without numbers, or with absurd ones, changes nothing', () => {
    const { port } = context();
    const before = port.limitsFor('local');
    port.learnFrom?.(overflow(), 'local');
    port.learnFrom?.(overflow(1), 'local');
    port.learnFrom?.({ ...overflow(9_000), kind: 'rate_limited' }, 'local');
    expect(port.limitsFor('local')).toEqual(before);
  });
});
