import { describe, expect, it } from 'vitest';
import { limitsFor } from '../../src/context/estimate/thresholds.ts';

describe('limitsFor', () => {
  it.each([
    [200_000, 64_000, { effective: 180_000, autocompactAt: 167_000, warnAt: 147_000, blockingAt: 177_000 }],
    [1_000_000, 64_000, { effective: 980_000, autocompactAt: 967_000, warnAt: 947_000, blockingAt: 977_000 }],
    [100_000, 8_000, { effective: 92_000, autocompactAt: 79_500, warnAt: 59_500, blockingAt: 89_000 }],
    [8_000, 64_000, { effective: 6_000, autocompactAt: 5_000, warnAt: 2_500, blockingAt: 5_750 }],
  ])('window %i, output %i', (contextWindow, maxOutputTokens, expected) => {
    expect(limitsFor({ contextWindow, maxOutputTokens })).toMatchObject(expected);
  });

  it('takes a lower window, another reserve, a ratio or a token count; never a threshold above what it guards', () => {
    const model = { contextWindow: 1_000_000, maxOutputTokens: 64_000 };
    expect(limitsFor(model, { window: 200_000 }).autocompactAt).toBe(167_000);
    expect(limitsFor(model, { window: 2_000_000 }).window).toBe(1_000_000);
    expect(limitsFor(model, { reserve: 100_000 }).effective).toBe(900_000);
    expect(limitsFor(model, { effective: 500_000, autocompactRatio: 0.5 }).autocompactAt).toBe(250_000);
    expect(limitsFor(model, { autocompactRatio: 0.5, autocompactTokens: 123_456 }).autocompactAt).toBe(
      123_456,
    );
    expect(limitsFor(model, { autocompactTokens: 5_000_000 }).autocompactAt).toBe(980_000);
    expect(limitsFor(model, { warnAt: 10, blockingAt: 20 })).toMatchObject({ warnAt: 10, blockingAt: 20 });
  });

  it.each([0, Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'F24: a window and an output limit of %d become a careful default',
    (nothing) => {
      const limits = limitsFor({ contextWindow: nothing, maxOutputTokens: nothing });
      expect(limits.effective).toBeGreaterThan(50_000);
      expect(limits.autocompactAt).toBeLessThan(100_000);
    },
  );

  it('keeps its order for every window', () => {
    for (let window = 1_000; window <= 2_000_000; window *= 1.7) {
      const l = limitsFor({ contextWindow: Math.floor(window), maxOutputTokens: 32_000 });
      expect([l.warnAt, l.autocompactAt, l.blockingAt, l.effective, l.window]).toEqual(
        [l.warnAt, l.autocompactAt, l.blockingAt, l.effective, l.window].sort((a, b) => a - b),
      );
      expect(l.warnAt).toBeGreaterThan(0);
    }
  });
});
