import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { describe, expect, it } from 'vitest';
import { CLEARED } from '../../src/context/clearing/result-index.ts';
import { estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import type { StepInput } from '../../src/protocol/model/context.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import {
  applied,
  call,
  context,
  input,
  isWhole,
  prompt,
  prose,
  result,
  runStep,
  session,
  text,
} from './conversation.ts';

const CACHED = { microcompactable: (name: string) => name === 'Bash', servesContextEdits: () => true };
const LOCAL = { microcompactable: CACHED.microcompactable };
/** 60 % of 167 000. */
const DUE = { estimateTokens: 100_200 };
const MINUTE = 60_000;

/** Twelve results of 4 000 tokens: seven of them are old. */
const view = session('a', 12, 4_000);
const old = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7'];

const step = (
  port: ReturnType<typeof context>['port'],
  messages: readonly ViewMessage[],
  more: Partial<StepInput> = DUE,
) => runStep(port, 'microcompact', input(messages, more));

function managed(outcome: { kind: string; contextManagement?: unknown }) {
  expect(outcome.kind).toBe('request');
  return (outcome.contextManagement as { edits: Record<string, unknown>[] }).edits[0];
}

describe('microcompact, in the view', () => {
  it('puts a stub in the place of old results, and keeps the newest five', async () => {
    const { outcome, yielded } = await step(context([], LOCAL).port, view);
    const after = applied(view, outcome);
    expect(outcome).toMatchObject({ kind: 'edits', source: 'replacement' });
    expect(outcome.kind === 'edits' && outcome.tokensFreed).toBe(
      estimateTokens(view) - estimateTokens(after),
    );
    expect(yielded).toMatchObject([{ subtype: 'microcompact_boundary', tool_use_ids: old }]);
    const cleared = after.filter((message) => JSON.stringify(message).includes(CLEARED));
    expect(cleared.map((message) => message.uuid)).toEqual(old.map((id) => `result-${id}`));
    expect(isWhole(after)).toBe(true);
  });

  it('keeps the structured output out of the view, and the rest of the message as it was', async () => {
    const first = { ...result('x', prose(30_000)), toolUseResult: { huge: true } };
    const messages = [prompt('p', 'Go.'), call('r', 'x'), first, ...session('b', 5, 10)];
    const { outcome } = await step(context([], LOCAL).port, messages);
    const item = applied(messages, outcome)[2];
    const { toolUseResult: _, ...rest } = first;
    expect(item).toEqual({
      ...rest,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: CLEARED }] },
    });
  });

  it('leaves tools that cannot be run again, calls that did not run, and what is cleared already', async () => {
    const messages = [
      prompt('p', 'Go.'),
      call('r1', 'write', 'Write'),
      result('write', prose(30_000)),
      call('r2', 'denied'),
      result('denied', prose(30_000), { nonExecution: 'denied' }),
      call('r3', 'cleared'),
      result('cleared', CLEARED),
      ...session('b', 5, 10),
    ];
    const { outcome } = await step(context([], LOCAL).port, messages);
    expect(outcome).toEqual({ kind: 'skip', why: 'old results hold 0 tokens, fewer than 20000' });
  });

  it('says why it does nothing', async () => {
    const { port } = context([], LOCAL);
    const why = async (messages: readonly ViewMessage[], more: Partial<StepInput>) => {
      const { outcome } = await step(port, messages, more);
      return outcome.kind === 'skip' ? outcome.why : outcome.kind;
    };
    expect(await why(view, { estimateTokens: 100_199 })).toBe('100199 tokens, below 100200');
    expect(await why(session('a', 9, 4_000), DUE)).toMatch(
      /^old results hold 1\d{4} tokens, fewer than 20000$/,
    );
    expect(await why(view, { ...DUE, querySource: 'compact' })).toBe('this is a compaction itself');
  });

  it('counts what it would free as usage taught', async () => {
    const { port } = context([], LOCAL);
    expect((await step(port, session('a', 11, 2_500), { ...DUE, tokenFactor: 1.5 })).outcome.kind).toBe(
      'edits',
    );
    expect((await step(port, view, { ...DUE, tokenFactor: 0.5 })).outcome.kind).toBe('skip');
  });

  it.each([LOCAL, CACHED])(
    'leaves a cached prompt alone that would cost more than it frees',
    async (server) => {
      // 28 000 tokens would go, and 70 000 be written again.
      const long = [...view, text('t', prose(50_000))];
      const { port, clock } = context([], server);
      const at = async (more: Partial<StepInput> = DUE) => (await step(port, long, more)).outcome.kind;
      expect(await at()).toBe('skip');
      // Without a summary to come, room is room.
      const alone = context([], { ...server, autocompact: false }).port;
      expect((await step(alone, long, DUE)).outcome.kind).not.toBe('skip');
      await clock.advance(6 * MINUTE);
      expect(await at()).toBe('edits');
    },
  );

  it('clears in the view even where the API could, once the cache has gone cold', async () => {
    const outcomeAfter = async (ms: number) => {
      const { port, clock } = context([], CACHED);
      await clock.advance(ms);
      return (await step(port, view, DUE)).outcome;
    };
    expect(await outcomeAfter(5 * MINUTE)).toMatchObject({ kind: 'request' });
    expect(await outcomeAfter(5 * MINUTE + 1)).toMatchObject({
      kind: 'edits',
      why: expect.stringContaining('and the cache is cold'),
    });
  });

  it.each([
    ['few tokens after a pause', session('a', 7, 300), {}],
    ['many tokens that fit', view, { estimateTokens: 100_199 }],
    ['few tokens in a full context', session('a', 7, 300), DUE],
  ])('keeps %s, however long the pause', async (_, messages, more) => {
    for (const [at, server] of [LOCAL, CACHED].entries()) {
      const { port, clock } = context([], server);
      await clock.advance((at + 1) * 60 * 24 * MINUTE);
      expect((await step(port, messages, more)).outcome.kind).toBe('skip');
    }
  });
});

describe('microcompact, cached', () => {
  it('asks the API to clear, and leaves the view alone', async () => {
    const { outcome, yielded } = await step(context([], CACHED).port, view);
    expect(yielded).toEqual([]);
    expect(managed(outcome)).toEqual({
      type: 'clear_tool_uses_20250919',
      trigger: { type: 'tool_uses', value: 1 },
      keep: { type: 'tool_uses', value: 5 },
      clear_at_least: { type: 'input_tokens', value: expect.any(Number) },
    });
  });

  it('goes on asking for the same results while the view grows, until enough more have become old', async () => {
    const { port } = context([], CACHED);
    let list = PersistentList.from(view);
    const grow = (n: number, tokens: number) => {
      list = list.append([call(`n-${n}`, `n-${n}`), result(`n-${n}`, prose(tokens))]);
      return runStep(port, 'microcompact', { ...input([], { estimateTokens: 60_000 }), view: list });
    };
    await step(port, view);
    for (let n = 1; n <= 4; n++)
      expect(managed((await grow(n, 4_000)).outcome)?.['keep']).toMatchObject({ value: 5 + n });
    const full = { ...input([], DUE), view: list };
    expect(managed((await runStep(port, 'microcompact', full)).outcome)?.['keep']).toMatchObject({
      value: 9,
    });
    for (const n of [5, 6]) await grow(n, 4_000);
    const fuller = { ...input([], DUE), view: list };
    expect(managed((await runStep(port, 'microcompact', fuller)).outcome)?.['keep']).toMatchObject({
      value: 5,
    });
  });

  it('excludes tools whose results must stay', async () => {
    const messages = [prompt('p', 'Go.'), call('w', 'w', 'Write'), result('w', 'ok'), ...view];
    const { outcome } = await step(context([], CACHED).port, messages);
    expect(managed(outcome)?.['exclude_tools']).toEqual(['Write']);
  });

  it('announces what was cleared once the response says so, and only once', async () => {
    const { port } = context([], CACHED);
    const report = (cleared_input_tokens: number) => ({
      applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 7, cleared_input_tokens }],
    });
    expect(port.appliedEdits?.(report(1))).toBeUndefined();
    await step(port, view);
    expect(port.appliedEdits?.({ applied_edits: [] })).toBeUndefined();
    expect(port.appliedEdits?.(report(27_001))).toEqual({
      subtype: 'microcompact_boundary',
      tokens_freed: 27_000,
      tool_use_ids: old,
    });
    expect(port.appliedEdits?.(report(27_001))).toBeUndefined();
    for (const strange of [null, 7, {}, { applied_edits: [null] }])
      expect(port.appliedEdits?.(strange)).toBeUndefined();
  });

  it('counts cleared results no more, in estimates of messages and of requests', async () => {
    const { port } = context([], CACHED);
    const request = {
      model: 'test-model',
      view: PersistentList.from(view),
      system: [],
      userContext: [],
      tools: [],
    };
    const before = port.estimate(view);
    expect(port.measure?.(request).tokens).toBe(before);
    await step(port, view);
    expect(before - port.estimate(view)).toBeGreaterThan(27_000);
    expect(port.measure?.(request).tokens).toBe(port.estimate(view));
  });

  it('a compaction’s request has the same results cleared', async () => {
    const { port, model } = context(
      [{ kind: 'failed', failure: { kind: 'overloaded', message: 'Busy.' } }],
      CACHED,
    );
    await step(port, view);
    await runStep(port, 'autocompact', input(view, { estimateTokens: 170_000 }));
    const [request] = model.requests;
    expect(request?.querySource).toBe('compact');
    const sent = request?.view.filter((message) => message.uuid.startsWith('result-')).length ?? 0;
    expect(request?.contextManagement).toMatchObject({ edits: [{ keep: { value: sent - 7 } }] });
  });

  it('makes room in the view itself at autocompact’s threshold, and with a model whose provider cannot', async () => {
    const atThreshold = await step(context([], CACHED).port, view, { estimateTokens: 167_000 });
    expect(atThreshold.outcome).toMatchObject({ kind: 'edits', source: 'replacement' });

    const { port } = context([], { ...CACHED, servesContextEdits: (model) => model === 'test-model' });
    expect((await step(port, view)).outcome.kind).toBe('request');
    const other = await step(port, view, { estimateTokens: 70_000, model: 'other-model' });
    expect(other.outcome).toMatchObject({ kind: 'edits', tokensFreed: 0 });
    const after = applied(view, other.outcome);
    expect((await step(port, after, { estimateTokens: 70_000 })).outcome.kind).toBe('skip');
  });

  it('switched off, clears in the view', async () => {
    const { port } = context([], { ...CACHED, cachedMicrocompact: false });
    expect((await step(port, view)).outcome.kind).toBe('edits');
  });

  it('asks no more once a compaction has taken the cleared results out of the view', async () => {
    const { port } = context([], CACHED);
    await step(port, view);
    const rest = [prompt('s', 'Summary.'), text('z', 'Done.'), ...session('b', 2, 10)];
    expect((await step(port, rest, {})).outcome.kind).toBe('skip');
  });
});
