/** Money that sessions share (`engine.purse`): what a run does when there is none. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, scriptedModel } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { type Options, query, type SDKMessage } from '../../../src/index.ts';
import type { Purse } from '../../../src/protocol/model/purse.ts';

const OUTPUT_TOKENS = 12_000;

async function run(take: Purse['take'], options: Partial<Options> = {}) {
  const model = scriptedModel([say('Done.', { usage: { output_tokens: OUTPUT_TOKENS } })]);
  const messages: SDKMessage[] = [];
  const home = mkdtempSync(join(tmpdir(), 'purse-'));
  const engine = { home, callModel: model.callModel, purse: { take }, maxOutputTokens: OUTPUT_TOKENS };
  const running = query({
    prompt: 'Go.',
    options: { settingSources: [], tools: [], systemPrompt: 'x', engine, ...options },
  });
  try {
    for await (const message of running) messages.push(message);
  } catch {
    // Of the result.
  }
  return { last: messages.at(-1), asked: model.requests.length };
}

const empty: Purse['take'] = async () => ({
  kind: 'empty',
  why: 'No money today.',
  wakeAt: Date.now() + 3_600_000,
});

it('parks until there may be money, and says why', async () => {
  expect(await run(empty, { parkAfterMs: 1_000 })).toMatchObject({
    asked: 0,
    last: { subtype: 'session_parked', on: 'time', why: 'No money today.', wake_at: expect.any(Number) },
  });
});

it('ends the run where it may not park, and where no day can pay the call', async () => {
  const ended = {
    asked: 0,
    last: { subtype: 'error_max_budget_usd', errors: [expect.stringContaining('No money today.')] },
  };
  expect(await run(empty)).toMatchObject(ended);
  const never: Purse['take'] = async () => ({ kind: 'empty', why: 'No money today.' });
  expect(await run(never, { parkAfterMs: 1_000 })).toMatchObject(ended);
});

it('asks for the worst case, beside a strict budget of its own, and settles what was billed', async () => {
  const asked: { mostUsd: number; leastUsd: number }[] = [];
  const settled: number[] = [];
  const take: Purse['take'] = async (need) => {
    asked.push(need);
    return { kind: 'taken', usd: need.mostUsd, settle: (usd) => void settled.push(usd) };
  };
  expect(await run(take, { maxBudgetUsd: 0.5, strictBudget: true })).toMatchObject({
    asked: 1,
    last: { subtype: 'success' },
  });
  expect(asked[0]?.mostUsd).toBeLessThanOrEqual(0.5);
  expect(settled).toHaveLength(1);
});

it('sends nothing where the purse cannot be asked', async () => {
  const broken: Purse['take'] = async () => {
    throw new Error('boom');
  };
  expect(await run(broken, { parkAfterMs: 1_000 })).toMatchObject({
    asked: 0,
    last: { subtype: 'error_max_budget_usd', errors: [expect.stringContaining('boom')] },
  });
});
