/** The record of one iteration, whole: what was sent, what came back, which rule decided, and what it cost. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import {
  broken,
  callTool,
  countingLedger,
  fail,
  fallback,
  idleContext,
  idleGuard,
  loopDeps,
  loopParams,
  recorder,
  reply,
  say,
  scriptedModel,
  scriptedTools,
  think,
  throws,
  userMessage,
  virtualClock,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { LoopDeps } from '../../src/loop/deps.ts';
import type { ContextStep } from '../../src/protocol/model/context.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import { messageByMessage, run } from './run.ts';

/** Each look at the clock takes 1.2345 ms. */
function ticking(): Pick<LoopDeps, 'clock' | 'ledger'> {
  let now = 0;
  const monotonicMs = () => {
    now += 1.2345;
    return now;
  };
  return { clock: { ...virtualClock(), monotonicMs }, ledger: countingLedger(0.5) };
}

describe('the decision record, whole', () => {
  it('of a turn with a call, after an attempt that broke off', async () => {
    const usage = { input_tokens: 100, cache_read_input_tokens: 20, cache_creation_input_tokens: 3 };
    const { decisions } = await run({
      steps: [
        broken({ after: [say('Half')], options: { usage: { output_tokens: 1 } } }),
        reply([think(), callTool('T', {}, { id: 't' })], { usage }),
        say('Done.'),
      ],
      tools: { T: 'x' },
      params: { maxTurns: 9, effort: 'high', fallbackModels: ['other'] },
      deps: ticking(),
    });
    const [first, second] = decisions;
    expect(first).toEqual({
      v: 1,
      sessionId: 'session-1',
      submission: 'submission-1',
      iteration: 1,
      agentPath: '',
      startedAt: '2026-01-01T00:00:00.000Z',
      startMs: expect.any(Number),
      endMs: expect.any(Number),
      prepare: [],
      view: { length: 1, tokens: 1, source: 'estimate', added: ['prompt-1'] },
      attempts: [
        expect.objectContaining({ outcome: 'cut', wasted: true, usage: expect.anything() }),
        // What the response holds itself is not repeated.
        expect.not.objectContaining({ usage: expect.anything() }),
      ],
      tools: [expect.objectContaining({ id: 't', outcome: 'ok' })],
      rules: expect.any(Array),
      budgets: { turnCount: 1, costUsd: 3, maxTurns: 9 },
      request: { model: 'test-model', maxTokens: 8_000, effort: 'high', bytes: 0 },
      response: { messageId: 'msg_2', stopReason: 'tool_use', blocks: ['thinking', 'tool_use'] },
      usage: expect.objectContaining({ ...usage, output_tokens: 5 }),
      costUsd: 3,
      wastedCostUsd: 0.5,
      cache: { readTokens: 20, writtenTokens: 3 },
      context: { window: 200_000, used: 1, overhead: 0, autocompactAt: 167_000, blockingAt: 177_000 },
      decision: {
        kind: 'continue',
        transition: 'next_turn',
        sentence: 'Went on: next_turn (no rule objected).',
      },
    });
    for (const ms of [first?.startMs, first?.endMs] as number[]) expect(ms).toBe(Math.round(ms * 100) / 100);
    expect(first?.endMs).toBeGreaterThan(first?.startMs as number);
    expect(first?.endMs).toBeLessThan(1_000);
    expect(JSON.stringify([first?.attempts, first?.tools])).not.toContain('null');
    expect(first?.rules.every(({ verdict }) => verdict === 'pass')).toBe(true);
    // What a rule read is left out where the one before it read the same.
    expect(first?.rules.filter(({ read }) => read === undefined).map(({ name }) => name)).toEqual(
      'media_too_large output_cap paused api_error unusable_answer stop_hooks token_budget'.split(' '),
    );
    expect(second).toMatchObject({
      in: 'next_turn',
      // The context of the last answer, 128 tokens, and the result that followed it.
      view: { length: 4, tokens: 129, source: 'provider', added: expect.any(Array) },
      budgets: { turnCount: 2 },
      decision: {
        kind: 'stop',
        terminal: 'completed',
        sentence: 'Stopped: completed (no rule objected), turn 2.',
      },
    });
    expect(second?.view.added).toHaveLength(3);
    expect(second).not.toHaveProperty('wastedCostUsd');
    expect(second).not.toHaveProperty('next');
  });

  it('lists what the previous iteration did not have: on the first, what follows the last answer', async () => {
    const earlier = [
      userMessage('Hello.', { uuid: 'u1' }),
      {
        ...userMessage('Hi.', { uuid: 'a1' }),
        type: 'assistant',
        message: { role: 'assistant', content: [] },
      },
      ...Array.from({ length: 30 }, (_, n) => userMessage(`Part ${n}.`, { uuid: `p${n}` })),
    ] as readonly ViewMessage[];
    const { decisions } = await run({
      steps: [callTool('T'), say('Done.')],
      tools: { T: 'x' },
      params: { view: () => PersistentList.from(earlier) },
      // What has been decided stays, whatever the engine makes of the money afterwards.
      deps: { guard: { ...idleGuard, verdict: () => ({ reason: 'budget_exhausted', turnCount: 1 }) } },
    });
    const [first, second] = decisions;
    expect(first?.view.added).toEqual(Array.from({ length: 24 }, (_, n) => `p${n}`));
    expect(second?.view).toMatchObject({ length: 34, added: [expect.any(String), expect.any(String)] });
    expect(second?.decision).toMatchObject({ terminal: 'completed' });
  });

  it('names the rule that decided, how often it tried, and what another process needs to go on', async () => {
    const cut = () => say('part', { stopReason: 'max_tokens' });
    const { decisions } = await run({
      steps: [cut(), cut(), fail({ kind: 'server_error', status: 500 })],
      deps: ticking(),
    });
    expect(decisions.map(({ decision }) => decision?.sentence)).toEqual([
      'Went on: max_output_tokens_escalate (rule "output_cap").',
      'Went on: max_output_tokens_recovery (rule "output_cap", attempt 1).',
      'Stopped: api_error (rule "api_error"), turn 1.',
    ]);
    expect(decisions.map(({ next }) => next)).toEqual([
      { recovery: expect.objectContaining({ escalated: true }) },
      { recovery: expect.objectContaining({ escalated: true, outputTokenCount: 1 }) },
      undefined,
    ]);
    expect(decisions[0]?.rules.at(-1)).toEqual({
      name: 'output_cap',
      verdict: 'continue',
      read: expect.objectContaining({ stopReason: 'max_tokens' }),
    });
  });

  it('leaves out what a rule read if the one before read the same, and keeps kinds and counts of the rest', async () => {
    const { decisions } = await run({ steps: [throws(new RangeError('boom'))], deps: ticking() });
    const reads = decisions[0]?.rules.map(({ name, read }) => [name, read]);
    expect(reads).toEqual([
      ['aborted', { abortReason: null, deniedWithInterrupt: false }],
      ['unexpected_error', { thrown: 'RangeError' }],
    ]);
    const { decisions: failed } = await run({ steps: [fail({ kind: 'prompt_too_long', status: 400 })] });
    expect(failed[0]?.rules.at(-1)?.read).toMatchObject({ failure: 'prompt_too_long' });
  });

  it('says why a step of the view stopped the run', async () => {
    const stops: ContextStep = {
      name: 'limit',
      run: () => ({ kind: 'stop', reason: 'blocking_limit', message: 'The view does not fit.' }),
    };
    const { decisions } = await run({
      steps: [],
      deps: { ...ticking(), context: { ...idleContext, steps: [stops] } },
    });
    expect(decisions[0]?.prepare).toEqual([
      { step: 'limit', ran: true, why: 'The view does not fit.', tokensBefore: expect.any(Number), ms: 1.23 },
    ]);
  });

  it('says of a limit and of money that no rule was asked', async () => {
    const { decisions } = await run({
      steps: [fallback(), say('Done.')],
      params: { model: 'a', fallbackModels: ['b'] },
    });
    expect(decisions[0]).toMatchObject({
      fallback: { from: 'a', to: 'b' },
      response: { messageId: 'msg_2' },
    });
    const journal = recorder();
    const deps = loopDeps({
      callModel: scriptedModel([callTool('T')]).callModel,
      tools: scriptedTools({ T: 'x' }),
      recorder: journal,
      guard: {
        verdict: () => ({ reason: 'budget_exhausted', turnCount: 1 }),
        structuredOutput: () => ({ accepted: false }),
      },
    });
    for await (const message of messageByMessage(loopParams(), deps)) if (message.type === 'assistant') break;
    expect(journal.ofType('decision').map(({ record }) => record.decision?.sentence)).toEqual([
      'Stopped: budget_exhausted (decided outside the rules), turn 1.',
    ]);
  });
});
