/** A strict budget holds on each wire: its cap is in the request, and what an attempt may have cost stays counted (L9). */

import { inForm } from '@turnwright/test/long-form.ts';
import { requestOf, run } from '@turnwright/test/model/conversation.ts';
import { skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { type OpenedWire, WIRES } from '@turnwright/test/model/wires/open-wires.ts';
import { seededRandom } from '@turnwright/testing';
import type { ServerAnswer } from '@turnwright/testing/checks/model/model-server.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { StrictBudget } from '../../../src/engine/budget/strict-budget.ts';
import { modelInfo } from '../../../src/model/catalog/model-info.ts';
import { computeCost } from '../../../src/model/catalog/prices.ts';
import type { AttemptCost, SpendGuard } from '../../../src/protocol/model/spend-guard.ts';

/** Every model has this price here, so that each wire can be held to a budget. */
const PRICED = modelInfo('claude-opus-5-5');
const USAGE = { input: 900, output: 700 };
const SAYS = { kind: 'message', parts: [{ kind: 'text', text: 'Hello there.' }], usage: USAGE } as const;

/** What a server does with a request, and whether it bills that. */
const ENDINGS = {
  complete: SAYS,
  silent: { ...SAYS, usage: null },
  cut: { ...SAYS, breaks: { at: 'text', how: 'cut' } },
  reset: { ...SAYS, breaks: { at: 'text', how: 'reset' } },
  failed: { ...SAYS, breaks: { at: 'text', how: 'error' } },
  lost: { kind: 'reset' },
  refused: { kind: 'refusal', reason: 'server_error' },
  limited: { kind: 'refusal', reason: 'rate_limited' },
} as const satisfies Readonly<Record<string, ServerAnswer>>;
type Ending = keyof typeof ENDINGS;
const FREE: readonly Ending[] = ['refused', 'limited'];

let opened: OpenedWire;
afterEach(() => opened?.dispose());

async function open(name: keyof typeof WIRES, spendGuard: SpendGuard) {
  const setup = { clock: skippingClock(), random: () => 0, maxRetries: 2, spendGuard };
  opened = await WIRES[name](setup);
  return opened;
}

function recordingGuard(maxTokens: number) {
  const settled: AttemptCost[] = [];
  const guard: SpendGuard = {
    reserve: async () => ({ kind: 'reserved', maxTokens, settle: (end) => void settled.push(end) }),
  };
  return { guard, settled };
}

describe.each(Object.keys(WIRES) as (keyof typeof WIRES)[])('%s', (name) => {
  it.each([true, false])('sends the output cap that was reserved (streaming: %s)', async (stream) => {
    const { guard, settled } = recordingGuard(4_321);
    const { client, server, model } = await open(name, guard);
    server.answerWith(SAYS);
    const { outcome } = await run(client, requestOf(undefined, { model, stream }));
    expect(outcome.kind).toBe('complete');
    expect(server.received.map(({ maxTokens }) => maxTokens)).toEqual([4_321]);
    expect(settled).toEqual([
      { kind: 'complete', usage: expect.objectContaining({ input_tokens: 900, output_tokens: 700 }) },
    ]);
  });

  it('reserves each attempt by itself, and holds nothing for one that was refused', async () => {
    const { guard, settled } = recordingGuard(8_000);
    const { client, server, model } = await open(name, guard);
    server.answerWith(ENDINGS.refused, ENDINGS.limited, SAYS);
    await run(client, requestOf(undefined, { model }));
    expect(server.received).toHaveLength(3);
    expect(settled).toMatchObject([{ kind: 'free' }, { kind: 'free' }, { kind: 'complete' }]);
  });

  it('holds nothing where no server could be reached', async () => {
    const { guard, settled } = recordingGuard(8_000);
    const { client, server, model } = await open(name, guard);
    await server.stopListening();
    const { outcome } = await run(client, requestOf(undefined, { model }));
    expect(outcome.kind).toBe('failed');
    expect(new Set(settled.map(({ kind }) => kind))).toEqual(new Set(['free']));
  });

  it.each(inForm([1], [1, 2, 3]))(
    'never bills more than the budget, however answers end (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const maxUsd = 1;
      const budget = new StrictBudget(maxUsd, {});
      const guard: SpendGuard = {
        reserve: (need, life) => budget.reserve({ ...need, info: PRICED }, life),
      };
      const { client, server, model } = await open(name, guard);
      const names = Object.keys(ENDINGS) as Ending[];
      const endings = Array.from({ length: 200 }, () => names[Math.floor(random() * names.length)] as Ending);
      server.answerWith(...endings.map((ending) => ENDINGS[ending]));
      const billed = () =>
        server.received.reduce((sum, { maxTokens }, at) => {
          const ending = endings[at] as Ending;
          if (FREE.includes(ending)) return sum;
          const output = ending === 'complete' ? USAGE.output : (maxTokens ?? Number.POSITIVE_INFINITY);
          return sum + (computeCost({ input_tokens: USAGE.input, output_tokens: output }, PRICED) as number);
        }, 0);
      for (let call = 0; call < 200; call++) {
        const { outcome } = await run(client, requestOf(undefined, { model }));
        expect(billed()).toBeLessThanOrEqual(maxUsd);
        if (outcome.kind === 'failed' && outcome.failure.kind === 'budget') break;
      }
      // The least answer of a conversation and its prompt do not fit any more, and that is why it ended.
      const { outcome } = await run(client, requestOf(undefined, { model }));
      expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'budget' } });
      expect(billed()).toBeGreaterThan(maxUsd * 0.7);
    },
  );
});
