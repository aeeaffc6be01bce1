import { expect, it } from 'vitest';
import type { Figures } from '../../src/conversation/conversation-state.ts';
import { createFigureReader } from '../../src/conversation/session/figure-reader.ts';

it('the range to the end of a prompt counts what earlier ones cost', async () => {
  const session = {
    getContextSize: () => Promise.reject(new Error('none')),
    usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: async () => ({
      session: { total_cost_usd: 0.5, model_usage: {}, total_api_duration_ms: 0 },
    }),
    getCostForecast: async () => ({
      spentUsd: 0.1,
      forecast: { kind: 'range', lowUsd: 0.2, highUsd: 0.6, share: 0.8, runs: 9, basis: 'model' },
    }),
  };
  const figures = await new Promise<Partial<Figures>>((resolve) => {
    createFigureReader(() => session as never, resolve).refresh();
  });
  expect(figures.cost).toEqual({
    usd: 0.5,
    isUnpriced: false,
    endsAt: { lowUsd: expect.closeTo(0.6), highUsd: expect.closeTo(1) },
  });
});
