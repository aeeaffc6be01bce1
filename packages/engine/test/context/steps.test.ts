import { say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { SystemMessage } from '../../src/protocol/model/messages.ts';
import { applied, context, input, prompt, runStep, SMALL, session } from './conversation.ts';

describe('the order of stage 1', () => {
  it('is that of L2', () => {
    expect(context().port.steps.map((step) => step.name)).toEqual([
      'after-boundary',
      'tool-result-budget',
      'media-budget',
      'snip',
      'microcompact',
      'context-collapse',
      'autocompact',
      'usage-warning',
      'blocking-limit',
    ]);
  });

  it('costs nothing when there is nothing to do: every step skips a small view', async () => {
    const { port } = context();
    for (const step of port.steps) {
      const { yielded, outcome } = await runStep(port, step.name, input(session('a', 2, 50)));
      expect(outcome.kind, step.name).toBe('skip');
      expect(yielded).toEqual([]);
    }
  });

  it('gives limits per model, recomputed both ways (F25)', () => {
    const sizes: Record<string, number> = { small: 200_000, large: 1_000_000 };
    const { port } = context([], {
      modelSize: (model) => ({ contextWindow: sizes[model] ?? 0, maxOutputTokens: 64_000 }),
    });
    expect(['small', 'large', 'small'].map((model) => port.limitsFor(model).autocompactAt)).toEqual([
      167_000, 967_000, 167_000,
    ]);
  });
});

describe('after-boundary', () => {
  const summary = { ...prompt('summary', 'So far …'), kind: 'summary' as const, isSynthetic: true };

  it('removes messages before the last summary of a view from elsewhere', async () => {
    const view = [...session('a', 1, 10), summary, ...session('b', 1, 10)];
    const { outcome } = await runStep(context().port, 'after-boundary', input(view));
    expect(outcome).toMatchObject({ kind: 'edits', source: 'boundary' });
    if (outcome.kind === 'edits') expect(applied(view, outcome)[0]).toBe(summary);
  });

  it('leaves a view that starts with its summary, and looks at fresh entries alone', async () => {
    const view = [summary, ...session('b', 1, 10)];
    expect((await runStep(context().port, 'after-boundary', input(view))).outcome.kind).toBe('skip');
    const later = [...session('a', 1, 10), summary, prompt('p', 'x')];
    const given = input(later, { fresh: later.slice(-1) });
    expect((await runStep(context().port, 'after-boundary', given)).outcome.kind).toBe('skip');
  });
});

describe('usage-warning', () => {
  const near = (more = {}) =>
    input(session('a', 1, 10), { limits: SMALL, estimateTokens: SMALL.warnAt, ...more });
  const warned = { rapidRefills: 0, consecutiveFailures: 0, switchedOff: false, warned: true };

  it('warns once per crossing', async () => {
    const { port } = context();
    const first = await runStep(port, 'usage-warning', near());
    expect(first.yielded).toMatchObject([{ type: 'system', subtype: 'informational', level: 'warning' }]);
    expect(first.outcome).toMatchObject({ kind: 'note', compaction: { warned: true } });
    expect((await runStep(port, 'usage-warning', near({ compaction: warned }))).outcome.kind).toBe('skip');
    const below = await runStep(port, 'usage-warning', near({ compaction: warned, estimateTokens: 10 }));
    expect(below).toMatchObject({ yielded: [], outcome: { kind: 'note', compaction: { warned: false } } });
  });

  it('F21: says so when system prompt and tools alone are too large', async () => {
    const { yielded } = await runStep(context().port, 'usage-warning', near({ estimateTokens: 50_000 }));
    const [warning] = yielded as SystemMessage[];
    expect(warning?.subtype === 'informational' && warning.content).toContain('offer fewer tools');
  });

  it('says nothing in a pass that compacted', async () => {
    expect(
      (await runStep(context().port, 'usage-warning', near({ compactedInThisPass: true }))).yielded,
    ).toEqual([]);
  });
});

describe('blocking-limit', () => {
  const over = (more = {}) => input([prompt('p', 'x')], { estimateTokens: 177_000, ...more });

  it('stops without a request when nothing could repair an overflow', async () => {
    const { port } = context([], { autocompact: false });
    const { outcome } = await runStep(port, 'blocking-limit', over());
    expect(outcome).toMatchObject({ kind: 'stop', reason: 'blocking_limit' });
    expect(outcome.kind === 'stop' && outcome.message).toMatch(/^Prompt is too long/);
  });

  it.each([
    ['below the limit', { estimateTokens: 176_999 }],
    ['in a pass that compacted', { compactedInThisPass: true }],
    ['for a compaction itself', { querySource: 'compact' }],
  ])('does nothing %s', async (_, more) => {
    const { port } = context([], { autocompact: false });
    expect((await runStep(port, 'blocking-limit', over(more))).outcome.kind).toBe('skip');
  });

  it('does nothing while an overflow can be recovered from', async () => {
    expect((await runStep(context([say('')]).port, 'blocking-limit', over())).outcome.kind).toBe('skip');
  });
});
