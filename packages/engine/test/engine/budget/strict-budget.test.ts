/** L9: with `strictBudget`, `maxBudgetUsd` is never exceeded, and nothing is refused that it could pay. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import {
  agentsUnderTest,
  resultIn,
  startAgent,
  WORKER,
} from '@turnwright/test/subagents/agents-under-test.ts';
import { callTool, fakeTool, replay, reply, say, userMessage } from '@turnwright/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StrictBudget } from '../../../src/engine/budget/strict-budget.ts';
import { modelInfo } from '../../../src/model/catalog/model-info.ts';
import type { ViewMessage } from '../../../src/protocol/model/messages.ts';
import type { ModelInfo, ModelRequest } from '../../../src/protocol/model/model.ts';
import type { Reservation } from '../../../src/protocol/model/spend-guard.ts';
import { EMPTY_USAGE, type Usage, type UserBlock } from '../../../src/protocol/model/wire.ts';
import { spendingProvider } from './spending-provider.ts';

const LARGE = modelInfo('claude-opus-5-5');
const MILLION = 1_000_000;
/** USD of one output token of the large model. */
const OUTPUT = 20 / MILLION;
const life = { signal: new AbortController().signal };

const requestOf = (more: Partial<ModelRequest> = {}, content: string | readonly UserBlock[] = 'Go.') =>
  ({
    querySource: 'main',
    model: LARGE.id,
    system: [],
    tools: [],
    view: PersistentList.from<ViewMessage>([userMessage(content)]),
    maxTokens: 10_000,
    ...more,
  }) as ModelRequest;

const need = (more: Partial<ModelRequest> = {}, content?: string | readonly UserBlock[], info = LARGE) => {
  const request = requestOf(more, content);
  return { request, info, maxTokens: request.maxTokens };
};

const outputOf = (tokens: number, more: Partial<Usage> = {}): Usage => ({
  ...EMPTY_USAGE,
  input_tokens: 1,
  output_tokens: tokens,
  ...more,
});

async function held(budget: StrictBudget, wanted: ReturnType<typeof need>): Promise<Reservation> {
  const answer = await budget.reserve(wanted, life);
  if (answer.kind !== 'reserved') throw new Error(JSON.stringify(answer));
  return answer;
}

describe('a reservation (L9)', () => {
  it('is refused where even the least output does not fit; both amounts are named', async () => {
    const budget = new StrictBudget(0.05, {});
    expect(await budget.reserve(need(), life)).toMatchObject({
      kind: 'refused',
      failure: {
        kind: 'budget',
        message: expect.stringMatching(
          /^This call may cost up to \$0\.07\d\d; \$0\.0500 of the \$0\.05 budget is left\.$/,
        ),
      },
    });
  });

  it('lowers the output cap of a conversation to what is left, of other calls never', async () => {
    const budget = new StrictBudget(0.15, {});
    const { maxTokens, settle } = await held(budget, need());
    expect(maxTokens).toBeGreaterThan(6_000);
    expect(maxTokens).toBeLessThan(7_500);
    settle({ kind: 'free' });
    expect((await held(budget, need({ querySource: 'agent:worker' }))).maxTokens).toBe(maxTokens);
    const other = new StrictBudget(0.15, {});
    expect(await other.reserve(need({ querySource: 'compact' }), life)).toMatchObject({ kind: 'refused' });
    expect((await held(other, need({ querySource: 'compact', maxTokens: 500 }))).maxTokens).toBe(500);
  });

  it('leaves room for the answer beside a budget of thinking', async () => {
    const thinking = { type: 'enabled', budgetTokens: 5_000 } as const;
    const budget = new StrictBudget(0.15, {});
    expect(await budget.reserve(need({ thinking }), life)).toMatchObject({ kind: 'refused' });
    expect((await held(new StrictBudget(0.18, {}), need({ thinking }))).maxTokens).toBeGreaterThan(8_000);
  });

  it('waits for calls in flight instead of being refused or shortened, in the order of requests', async () => {
    const budget = new StrictBudget(0.3, {});
    const first = await held(budget, need());
    const order: string[] = [];
    const second = held(budget, need()).then((hold) => {
      order.push('second');
      return hold;
    });
    const small = held(budget, need({ querySource: 'title', maxTokens: 10 })).then((hold) => {
      order.push('small');
      return hold;
    });
    await new Promise(setImmediate);
    expect(order).toEqual([]);
    first.settle({ kind: 'complete', usage: outputOf(100) });
    expect((await second).maxTokens).toBe(10_000);
    await small;
    expect(order).toEqual(['second', 'small']);
  });

  it('is given up on abort; those behind it are served', async () => {
    const budget = new StrictBudget(0.3, {});
    await held(budget, need());
    const controller = new AbortController();
    const second = budget.reserve(need(), controller);
    const small = held(budget, need({ querySource: 'title', maxTokens: 10 }));
    controller.abort();
    expect(await second).toEqual({ kind: 'aborted' });
    expect((await small).maxTokens).toBe(10);
    expect(await budget.reserve(need(), controller)).toEqual({ kind: 'aborted' });
  });

  it('is released to what was used, once', async () => {
    const budget = new StrictBudget(0.5, {});
    const { settle } = await held(budget, need({ maxTokens: 20_000 }));
    settle({ kind: 'complete', usage: outputOf(1_000) });
    settle({ kind: 'partial', usage: undefined });
    expect((await held(budget, need({ maxTokens: 20_000 }))).maxTokens).toBe(20_000);
  });

  it.each([
    ['ended early', { kind: 'partial', usage: undefined }],
    ['broke after it had begun', { kind: 'partial', usage: outputOf(1) }],
    ['was complete without usage', { kind: 'complete', usage: undefined }],
    ['was complete with an estimate', { kind: 'complete', usage: outputOf(1, { estimated: true }) }],
    ['reported no input', { kind: 'complete', usage: outputOf(1, { input_tokens: 0 }) }],
  ] as const)('keeps what may have been billed when the call %s', async (_, end) => {
    const budget = new StrictBudget(0.3, {});
    (await held(budget, need())).settle(end);
    expect(await budget.reserve(need({ querySource: 'compact' }), life)).toMatchObject({
      failure: { message: expect.stringContaining('was billed for calls that ended early') },
    });
  });

  it('holds nothing for a call that was refused by the provider', async () => {
    const budget = new StrictBudget(0.3, {});
    (await held(budget, need())).settle({ kind: 'free' });
    expect((await held(budget, need({ querySource: 'compact' }))).maxTokens).toBe(10_000);
  });

  it('counts what earlier processes have spent', async () => {
    const budget = new StrictBudget(0.3, {});
    budget.carryOn(0.2);
    expect(await budget.reserve(need({ querySource: 'compact' }), life)).toMatchObject({ kind: 'refused' });
  });

  it('is refused for a model without a price', async () => {
    const info = modelInfo('house-model');
    expect(
      await new StrictBudget(1, {}).reserve(need({ model: 'house-model' }, 'Go.', info), life),
    ).toMatchObject({
      failure: { message: 'house-model has no known price, so its cost cannot be bounded.' },
    });
  });
});

describe('a body with fields of its own', () => {
  it.each(['service_tier', 'speed'])('with %s has another price, so no call is made', async (field) => {
    const budget = new StrictBudget(1, { extraBody: { [field]: 'fast' } });
    expect(await budget.reserve(need(), life)).toMatchObject({
      kind: 'refused',
      failure: { message: `CLAUDE_CODE_EXTRA_BODY sets "${field}", so the price of a call is not known.` },
    });
    const other = new StrictBudget(1, { extraBody: { top_k: 3 } });
    expect(await other.reserve(need(), life)).toMatchObject({ kind: 'reserved' });
  });
});

describe('the worst case of a call', () => {
  /** USD that a budget must have, beside the price of the output. */
  async function inputCost(
    wanted: ReturnType<typeof need>,
    cacheUse: ConstructorParameters<typeof StrictBudget>[1] = {},
    budget = new StrictBudget(0.000_001, cacheUse),
  ): Promise<number> {
    const answer = await budget.reserve({ ...wanted, maxTokens: 1 }, life);
    const [, usd] = /up to \$([\d.]+)/.exec(answer.kind === 'refused' ? answer.failure.message : '') ?? [];
    return Number(usd) - OUTPUT;
  }
  const megabyte = 'x'.repeat(MILLION / 2);

  it('is a token for each byte, at the price of the dearest cache that the request may write', async () => {
    const title = need({ querySource: 'title' }, megabyte);
    expect(await inputCost(title)).toBeCloseTo(2.5, 1);
    expect(await inputCost(title, { promptCacheTtl: '1h' })).toBeCloseTo(4, 1);
    expect(await inputCost(title, { extraBody: {} })).toBeCloseTo(4, 1);
    expect(await inputCost(title, { promptCaching: false })).toBeCloseTo(2, 1);
    expect(await inputCost(need({ querySource: 'title', cache: false }, megabyte))).toBeCloseTo(2, 1);
  });

  it('counts images, documents and searches by what they can be at most', async () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: megabyte } };
    expect(await inputCost(need({}, [image as UserBlock]))).toBeLessThan(0.1);
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'x' } };
    // The whole window.
    expect(await inputCost(need({}, [pdf as UserBlock]))).toBeCloseTo(5, 1);
    const results = [{ type: 'tool_result', tool_use_id: 'a', content: [image] }];
    expect(await inputCost(need({}, results as UserBlock[]))).toBeLessThan(0.1);
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 };
    const searched = await inputCost(
      need({ querySource: 'web_search', cache: false, serverTools: [search] }),
    );
    // Two searches, and 25,000 tokens of the first that are read twice, and of the second.
    expect(searched).toBeGreaterThan(2 * 0.01 + 75_000 * (4 / MILLION));
    expect(searched).toBeLessThan(0.4);
  });

  it('takes what an answer has counted as counted, and no more than the window', async () => {
    const budget = new StrictBudget(100, {});
    const first = need({}, megabyte);
    (await held(budget, first)).settle({
      kind: 'complete',
      usage: outputOf(1, { input_tokens: 100_000 }),
    });
    budget.carryOn(99.4);
    const more = {
      ...first,
      request: { ...first.request, view: PersistentList.from([...first.request.view, userMessage('And?')]) },
    };
    expect(await inputCost(more, {}, budget)).toBeCloseTo(0.51, 1);
    // Another model counts otherwise.
    expect(await inputCost(need({ model: 'claude-opus-5' }, megabyte), {}, budget)).toBeCloseTo(2.5, 1);
    expect(await inputCost(need({}, 'x'.repeat(3 * MILLION)))).toBeCloseTo(5, 1);
  });

  it('is the dearer of two prices where a large prompt is cheaper', async () => {
    const price = { input: 4, output: 20, cacheRead: 1, cacheWrite5m: 5, cacheWrite1h: 8 };
    const cheap = { input: 0, output: 20, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
    const info: ModelInfo = { ...LARGE, price: { ...price, above: { aboveTokens: 100_000, price: cheap } } };
    expect(await inputCost(need({}, megabyte, info))).toBeCloseTo(0.5, 1);
  });
});

/** A tree of cheap models would grow for long. */
const MAX_CALLS = 60;

/** Reserved for what providers add to a prompt. */
const MOST_UNBILLED_TOKENS = 2_000;
/** USD of a token of the prompt, at most. */
const priceOf = (model: string) => (modelInfo(model).price?.cacheWrite1h ?? 0) / MILLION;

describe('a tree of agents under a strict budget', () => {
  const models = ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-2'];
  const agents = models.map((model) => ({ ...WORKER, name: model, model }));

  it('never spends more, whatever is billed, and stops only where the next call does not fit', async () => {
    const trees = fc.record({
      seed: fc.nat(),
      budget: fc.double({ min: 0.05, max: 4, noNaN: true }),
      main: fc.constantFrom(...models),
      hourly: fc.boolean(),
      width: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(trees, async ({ seed, budget, main, hourly, width }) => {
        const random = randomFrom(seed);
        let calls = 0;
        let isWhole = true;
        // What such a call was reserved for stays reserved: more than this provider bills for it.
        let kept = 0;
        const tree = spendingProvider({
          infoOf: (model) => modelInfo(model),
          hourly,
          answer({ querySource, model }) {
            const isMain = querySource === 'main';
            const chance = random();
            const ending =
              chance < 0.06 ? 'broken' : chance < 0.1 ? 'lost' : chance < 0.12 ? 'refused' : 'complete';
            if (ending !== 'complete') isWhole = false;
            if (ending === 'broken' || ending === 'lost') kept += MOST_UNBILLED_TOKENS * priceOf(model);
            return {
              ending,
              ticks: Math.floor(random() * 4),
              reply: ++calls > MAX_CALLS ? say('Done.') : work(random, isMain ? width : 2),
            };
          },
        });
        const { engine, run, store } = agentsUnderTest(
          {},
          {
            callModel: tree.callModel,
            model: main,
            agents,
            tools: [fakeTool({ name: 'Look' })],
            maxBudgetUsd: budget,
            strictBudget: true,
            maxSubagentDepth: 3,
            maxTurns: 30,
            ...(hourly && { promptCacheTtl: '1h' }),
          },
        );
        const result = resultIn(await run());
        await engine.close();
        const { difference } = await replay(store.entries(engine.sessionId));
        if (isWhole) expect(difference?.fact).not.toBe('request.maxTokens');
        expect(tree.billed()).toBeLessThanOrEqual(budget + 1e-9);
        expect(result.total_cost_usd).toBeLessThanOrEqual(budget + 1e-9);
        if (result.subtype !== 'error_max_budget_usd') return;
        const [, wanted] = /up to \$([\d.]+)/.exec(result.errors[1] ?? '') ?? [];
        expect(Number(wanted)).toBeGreaterThan(budget - tree.billed() - kept - 0.02);
      }),
      { numRuns: propertyRuns(40, 150) },
    );
  });

  it('agents side by side wait for each other, and all of them end', async () => {
    const asked = new Map<string, number>();
    const tree = spendingProvider({
      infoOf: (model) => modelInfo(model),
      hourly: false,
      answer({ querySource }) {
        const times = (asked.get(querySource) ?? 0) + 1;
        asked.set(querySource, times);
        const starts = querySource === 'main' && times === 1;
        return {
          ending: 'complete',
          ticks: 3,
          reply: starts
            ? reply([1, 2, 3, 4].map((n) => start('claude-sonnet-5-5', `toolu_${n}`)))
            : say('Done.'),
        };
      },
    });
    const { run } = agentsUnderTest(
      {},
      {
        callModel: tree.callModel,
        model: 'claude-sonnet-5-5',
        agents,
        // Six calls of $0.08 and their prompts; two at once fit at any time.
        maxBudgetUsd: 0.7,
        strictBudget: true,
      },
    );
    expect(resultIn(await run())).toMatchObject({ subtype: 'success' });
    expect(tree.calls()).toBe(6);
    expect(tree.billed()).toBeGreaterThan(0.48);
    expect(tree.billed()).toBeLessThanOrEqual(0.7);
  });

  const start = (name: string, id: string) => startAgent(name, { id, subagent_type: name });

  function work(random: () => number, width: number) {
    const kind = random();
    if (kind < 0.35) return say('Done.');
    if (kind < 0.6) return callTool('Look', { at: 'x'.repeat(Math.floor(random() * 20_000)) });
    const count = 1 + Math.floor(random() * width);
    return reply(
      Array.from({ length: count }, () => {
        const name = models[Math.floor(random() * models.length)] as string;
        return start(name, `toolu_${Math.floor(random() * 2 ** 40)}`);
      }),
    );
  }
});

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
