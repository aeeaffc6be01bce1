/**
 * Whatever completion conditions come to, and whatever the model does about it: no call runs that a rule denies, a
 * strict budget is kept, and each prompt has exactly one result, whose word is true.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '@turnwright/engine';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inForm } from '../long-form.ts';
import { rehearse } from '../scenarios/rehearse.ts';

const STEPS = {
  says: () => reply('Done.'),
  denied: () => reply(toolUse('Bash', { command: 'touch forbidden' })),
  builds: () => reply(toolUse('Bash', { command: 'echo x > built' })),
  breaks: () => reply(toolUse('Bash', { command: 'rm -f built' })),
  tests: () => reply(toolUse('Bash', { command: 'cat built' })),
} as const;

const conditions = fc.record({
  commands: fc.subarray(['cat built', 'touch forbidden', 'exit 1', 'true']),
  exist: fc.subarray(['built', 'never']),
  unchanged: fc.subarray(['kept', 'built']),
  attempts: fc.integer({ min: 0, max: 2 }),
});
const limits: fc.Arbitrary<Options> = fc.record(
  {
    maxTurns: fc.integer({ min: 1, max: 4 }),
    maxBudgetUsd: fc.constantFrom(0.01, 0.2, 5),
    strictBudget: fc.constant(true),
  },
  { requiredKeys: ['maxBudgetUsd', 'strictBudget'] },
);

it('no sequence of failures gets around a rule, a budget or the one result', {
  timeout: 300_000,
}, async () => {
  const steps = fc.array(fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])), {
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(conditions, limits, steps, async (verify, limit, script) => {
      const last: ScriptedReply[] = Array.from({ length: 6 }, () => reply('Done.'));
      const run = await rehearse({
        files: { kept: 'x' },
        replies: [...script.map((step) => STEPS[step]()), ...last],
        options: {
          permissionMode: 'bypassPermissions',
          allowDangerouslySkipPermissions: true,
          disallowedTools: ['Bash(touch:*)'],
          verify,
          ...limit,
        },
        partial: true,
      });
      expect(existsSync(join(run.cwd, 'forbidden'))).toBe(false);
      expect(run.results).toHaveLength(1);
      const [result] = run.results;
      expect(result?.total_cost_usd).toBeLessThanOrEqual(limit.maxBudgetUsd ?? 0);
      const isEmpty = [verify.commands, verify.exist, verify.unchanged].every(({ length }) => length === 0);
      const { verification } = result ?? {};
      expect(verification === undefined).toBe(isEmpty);
      if (verification?.status !== 'verified') {
        if (!isEmpty) expect(result?.is_error).toBe(true);
        return;
      }
      expect(verify.commands).not.toContain('touch forbidden');
      expect(verify.commands).not.toContain('exit 1');
      expect(verify.exist).not.toContain('never');
      if (verify.commands.includes('cat built') || verify.exist.includes('built'))
        expect(existsSync(join(run.cwd, 'built'))).toBe(true);
    }),
    { numRuns: inForm(8, 200) },
  );
});
