import { describe, expect, it } from 'vitest';
import { chaosRun, SEEDS } from '../chaos-run.ts';
import { unanswered } from '../journal.ts';
import { openCalls } from '../sent.ts';

describe('L10.1 every tool_use has exactly one tool_result, in the next user message', () => {
  it.each(SEEDS)(
    'L10.1 under faults drawn from seed %i: in every request and in the journal',
    async (seed) => {
      const run = await chaosRun(seed);
      expect(run.sent.flatMap(openCalls)).toEqual([]);
      expect(unanswered(run.entries)).toEqual([]);
    },
  );
});
