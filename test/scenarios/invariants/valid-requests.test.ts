import { describe, expect, it } from 'vitest';
import { chaosRun, SEEDS } from '../chaos-run.ts';
import { successOf } from '../rehearse.ts';

describe('L10.7 the API never sees a request that it would reject for its structure', () => {
  it.each(SEEDS.map((seed) => seed + 100))(
    'L10.7 under faults drawn from seed %i: the strict judge has nothing to say',
    async (seed) => {
      const run = await chaosRun(seed);
      expect(run.report.rejected).toEqual([]);
      expect(run.report.unanswered).toEqual([]);
      expect(successOf(run).terminal_reason).toMatch(/^(completed|api_error)$/);
    },
  );
});
