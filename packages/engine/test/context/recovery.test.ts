import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import { applied, context, input, isWhole, prompt, run, SMALL, session } from './conversation.ts';

const recovery = context().port.recovery;

async function trim(view: readonly ViewMessage[]) {
  const { yielded, outcome } = await run(recovery.mechanicalTrim(input(view, { limits: SMALL })));
  return { yielded, outcome, after: outcome.kind === 'edits' ? applied(view, outcome) : [...view] };
}

describe('mechanicalTrim', () => {
  it('F15: drops the oldest whole rounds without a model, and puts a marker in their place', async () => {
    const view = [...session('a', 6, 3_000), ...session('b', 2, 1_000)];
    const { yielded, outcome, after } = await trim(view);
    expect(outcome).toMatchObject({ kind: 'edits', source: 'boundary', compacted: true });
    expect(estimateTokens(after)).toBeLessThan(SMALL.effective / 2 + 500);
    expect(isWhole(after)).toBe(true);
    expect(yielded).toMatchObject([{ subtype: 'compact_boundary' }, { type: 'user', isSynthetic: true }]);
    expect(after[0]).toBe(yielded[1]);
    expect(after.at(-1)).toBe(view.at(-1));
    expect(after.some((message) => message.uuid === 'b-prompt')).toBe(true);
  });

  it('keeps an earlier summary and the last prompt, and puts the marker behind them', async () => {
    const summary = { ...prompt('summary', 'So far …'), kind: 'summary' as const, isSynthetic: true };
    const view = [summary, ...session('a', 6, 3_000)];
    const { after } = await trim(view);
    expect(after[0]).toBe(summary);
    expect(after[1]?.uuid).toBe('a-prompt');
    expect(JSON.stringify(after[2])).toContain('were removed');
  });

  it('what fits by the estimate and was refused all the same loses the half of its largest texts', async () => {
    const view = session('a', 1, 900).slice(0, 3);
    const { outcome, after } = await trim(view);
    expect(outcome).toMatchObject({ kind: 'edits', source: 'replacement', compacted: false });
    expect(estimateTokens(after)).toBeLessThanOrEqual(estimateTokens(view) / 2);
    expect(isWhole(after)).toBe(true);
    expect(after.map(({ uuid }) => uuid)).toEqual(view.map(({ uuid }) => uuid));
    const words = [prompt('p', 'word '.repeat(2_000))];
    expect(estimateTokens((await trim(words)).after)).toBeLessThan(estimateTokens(words) * 0.6);
  });

  it('has nothing to drop from a view that is one round', async () => {
    expect((await trim([prompt('p', 'Hi.')])).outcome.kind).toBe('none');
    expect((await trim([])).outcome.kind).toBe('none');
  });

  it('always frees something, or says that it cannot; the last prompt and the last round stay', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.nat(4_000)), { minLength: 1, maxLength: 6 }),
        async (parts) => {
          const view = parts.flatMap(([rounds, tokens], i) => session(`s${i}`, rounds, tokens));
          const { outcome, after } = await trim(view);
          expect(isWhole(after)).toBe(true);
          expect(after.at(-1)?.uuid).toBe(view.at(-1)?.uuid);
          expect(after.some((message) => message.uuid === `s${parts.length - 1}-prompt`)).toBe(true);
          if (outcome.kind === 'edits') expect(after.length).toBeLessThanOrEqual(view.length);
        },
      ),
    );
  });
});
