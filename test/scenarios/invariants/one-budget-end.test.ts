import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { outline, spoken } from '../outline.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

const engine = fileURLToPath(new URL('../../../packages/engine/src', import.meta.url));

describe('L10.5 one place ends the run for money, after the yield', () => {
  it('L10.5 no other file of the engine makes that terminal', () => {
    const makers = readdirSync(engine, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('protocol/'))
      .filter((name) =>
        /(?:stop\(|reason: )\s*(?:state, )?'budget_exhausted'/.test(readFileSync(join(engine, name), 'utf8')),
      );
    expect(makers).toEqual(['engine/budget/run-guards.ts']);
  });

  it('L10.5 what was paid for is emitted before the result; what was started is recorded', async () => {
    const run = await rehearse({
      files: { 'a.txt': 'x' },
      replies: [
        reply(['Dear words.', toolUse('Read', { file_path: 'a.txt' })], {
          usage: { output_tokens: 100_000 },
        }),
      ],
      options: { maxBudgetUsd: 0.01 },
    });
    expect(spoken(run.messages)).toEqual(['Dear words.']);
    expect(outline(run.messages).at(-1)).toBe('result:error_max_budget_usd');
    expect(errorResultOf(run).total_cost_usd).toBeGreaterThan(0.01);
    expect(run.entries.filter((entry) => entry.type === 'user' && entry.kind === 'tool_result')).toHaveLength(
      1,
    );
    expect(run.sent).toHaveLength(1);
  });

  it('L10.5 a run that stays below its budget never hears of it', async () => {
    const run = await rehearse({ replies: [reply('Cheap.')], options: { maxBudgetUsd: 10 } });
    expect(run.results).toMatchObject([{ subtype: 'success', terminal_reason: 'completed' }]);
  });
});
