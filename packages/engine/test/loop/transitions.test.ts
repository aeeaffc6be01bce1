import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import {
  callTool,
  fail,
  idleContext,
  loopDeps,
  loopParams,
  recorder,
  reply,
  say,
  think,
  userMessage,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { attachmentMessage } from '../../src/loop/loop-messages.ts';
import { initialState } from '../../src/loop/query-loop.ts';
import { carriedState, type State } from '../../src/loop/state.ts';
import * as transitions from '../../src/loop/transitions.ts';
import type { ContextPort, RecoveryOutcome } from '../../src/protocol/model/context.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import { TRANSITION_REASONS } from '../../src/protocol/session/transition.ts';
import { NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import { outline, run, transitionsOf } from './run.ts';

const view = PersistentList.from<ViewMessage>([userMessage('one')]);

/** Every field away from its fresh value, so that a reset shows. */
const busy: State = {
  iteration: 7,
  turnCount: 4,
  transition: { reason: 'next_turn' },
  view: { messages: view, freshFrom: 0, measured: { tokens: 500, length: 1 } },
  recovery: {
    outputTokenCount: 2,
    pauses: 4,
    capOverride: 64_000,
    escalated: true,
    hasAttemptedReactiveCompact: true,
    trimmed: true,
    mediaReduced: true,
    unusableCount: 1,
  },
  hooks: { stopHookActive: true, blocks: 3 },
  verify: { sentBack: 1 },
  compaction: {
    turnsSinceCompact: 1,
    rapidRefills: 1,
    consecutiveFailures: 1,
    switchedOff: true,
    warned: true,
  },
  budgets: {
    taskRemaining: 900,
    outputTokens: 100,
    continuations: 1,
    smallGains: 1,
    outputTokensAtContinuation: 50,
  },
  model: { current: 'b', fallbacks: ['c'], effort: 'high' },
  pendingSummary: 'key',
};
const outcome = { append: [userMessage('two', { uuid: 'u2' })], outputTokens: 10 };

describe('transitions are whole (idea 4): what each keeps, sets and resets', () => {
  const shorter = PersistentList.from<ViewMessage>([]);
  const made: Record<(typeof TRANSITION_REASONS)[number], State> = {
    next_turn: transitions.nextTurn(busy, outcome),
    collapse_drain_retry: transitions.collapseDrainRetry(busy, shorter),
    reactive_compact_retry: transitions.reactiveCompactRetry(busy, shorter, { taskRemaining: 400 }),
    max_output_tokens_escalate: transitions.maxOutputTokensEscalate(busy, 32_000, 10),
    max_output_tokens_recovery: transitions.maxOutputTokensRecovery(busy, { ...outcome, paused: false }),
    stop_hook_blocking: transitions.stopHookBlocking(busy, { ...outcome, byHook: true }),
    token_budget_continuation: transitions.tokenBudgetContinuation(busy, { ...outcome, smallGains: 2 }),
    unusable_answer_retry: transitions.unusableAnswerRetry(busy, outcome),
    verify_failed: transitions.verifyFailed(busy, outcome),
  };

  it.each(TRANSITION_REASONS)('%s names itself, counts the iteration and writes every group', (reason) => {
    const next = made[reason];
    expect(next.transition?.reason).toBe(reason);
    expect(next.iteration).toBe(8);
    expect(Object.keys(next).sort()).toEqual(Object.keys(busy).sort());
    expect(next.model).toEqual(busy.model);
    expect(next.pendingSummary).toBe('key');
    expect(next.turnCount).toBe(reason === 'next_turn' || reason === 'verify_failed' ? 5 : 4);
    expect(next.verify).toEqual({ sentBack: reason === 'verify_failed' ? 2 : 1 });
  });

  it('next_turn resets the output-cap recovery and the reactive compact, keeps the hooks', () => {
    const { recovery, hooks, compaction, view: after } = made.next_turn;
    expect(recovery).toEqual({
      outputTokenCount: 0,
      pauses: 0,
      capOverride: undefined,
      escalated: false,
      hasAttemptedReactiveCompact: false,
      trimmed: false,
      mediaReduced: false,
      unusableCount: 0,
    });
    expect(hooks).toEqual(busy.hooks);
    expect(compaction.turnsSinceCompact).toBe(2);
    expect(after.freshFrom).toBe(1);
    expect(after.messages.length).toBe(2);
  });

  it('reactive_compact_retry clears the tracking and sets its flag; every other transition but next_turn keeps the flag', () => {
    expect(made.reactive_compact_retry.compaction).toEqual({
      rapidRefills: 0,
      consecutiveFailures: 0,
      // Off stays off until the next submission (L2.6).
      switchedOff: true,
      warned: false,
    });
    // What was tried once in a row stays tried.
    expect(made.reactive_compact_retry.recovery).toMatchObject({ trimmed: true, mediaReduced: true });
    expect(made.reactive_compact_retry.budgets.taskRemaining).toBe(400);
    for (const reason of TRANSITION_REASONS) {
      expect(made[reason].recovery.hasAttemptedReactiveCompact).toBe(reason !== 'next_turn');
    }
  });

  it('an edited view has no measured size', () => {
    expect(made.collapse_drain_retry.view.measured).toBeUndefined();
    expect(made.reactive_compact_retry.view.measured).toBeUndefined();
    expect(made.max_output_tokens_escalate.view.messages).toBe(view);
  });

  it('stop_hook_blocking counts blocks only for hooks', () => {
    expect(made.stop_hook_blocking.hooks).toEqual({ stopHookActive: true, blocks: 4 });
    expect(transitions.stopHookBlocking(busy, { ...outcome, byHook: false }).hooks).toEqual(busy.hooks);
  });

  it('token_budget_continuation remembers where it stood, and says which one it is', () => {
    expect(made.token_budget_continuation.transition).toEqual({
      reason: 'token_budget_continuation',
      attempt: 2,
    });
    expect(made.token_budget_continuation.budgets).toEqual({
      taskRemaining: 900,
      outputTokens: 110,
      continuations: 2,
      smallGains: 2,
      outputTokensAtContinuation: 110,
    });
  });
});

/** A context that can do each recovery once or for ever; it says which were asked. */
function recovering(can: Partial<Record<'drain' | 'compact' | 'trim' | 'media', number>>) {
  const asked: string[] = [];
  const left = { drain: 0, compact: 0, trim: 0, media: 0, ...can };
  const rung =
    (name: keyof typeof left) => (input: { view: Iterable<ViewMessage> }) => (): RecoveryOutcome => {
      asked.push(name);
      if (left[name]-- <= 0) return { kind: 'none', why: 'nothing left' };
      const [first] = input.view;
      const uuid = first?.uuid ?? '';
      const item = userMessage(name, { uuid });
      return {
        kind: 'edits',
        source: 'boundary',
        edits: [{ kind: 'replace', uuid, item }],
        tokensFreed: 1,
        compacted: name === 'compact',
      };
    };
  return {
    asked,
    context: {
      ...idleContext,
      recovery: {
        drainCollapses: rung('drain'),
        reactiveCompact: rung('compact'),
        mechanicalTrim: rung('trim'),
        reduceMedia: rung('media'),
      },
    },
  };
}
const tooLong = () => fail({ kind: 'prompt_too_long', status: 400 });

describe('each transition, met in the real loop', () => {
  it('collapse_drain_retry, then reactive_compact_retry, then the trim; the failure is never seen when one helps', async () => {
    const { context, asked } = recovering({ drain: 9, compact: 9, trim: 9 });
    const { messages, terminal, decisions } = await run({
      steps: [tooLong(), tooLong(), tooLong(), say('Fits.')],
      deps: { context },
    });
    expect(terminal.reason).toBe('completed');
    expect(transitionsOf(decisions)).toEqual([
      'collapse_drain_retry',
      'reactive_compact_retry',
      'collapse_drain_retry',
    ]);
    expect(outline(messages)).toEqual(['text']);
    expect(asked).toEqual(['drain', 'compact', 'drain']);
  });

  it('the ladder ends: drained, compacted and trimmed once each, then one error', async () => {
    const { context, asked } = recovering({ drain: 1, compact: 9, trim: 9 });
    const { messages, terminal } = await run({
      steps: [tooLong(), tooLong(), tooLong(), tooLong()],
      deps: { context },
    });
    expect(terminal.reason).toBe('prompt_too_long');
    expect(asked).toEqual(['drain', 'compact', 'drain', 'trim', 'drain', 'media']);
    expect(outline(messages)).toEqual(['error:invalid_request']);
  });

  it('the trim is taken when the summary call fails', async () => {
    const { context } = recovering({ compact: 0, trim: 1 });
    const { terminal, decisions } = await run({ steps: [tooLong(), say('Fits.')], deps: { context } });
    expect(terminal.reason).toBe('completed');
    expect(transitionsOf(decisions)).toEqual(['reactive_compact_retry']);
  });

  it('L10.3 a usable answer in between allows another reactive compact', async () => {
    const { context, asked } = recovering({ compact: 9 });
    const { terminal } = await run({
      steps: [tooLong(), callTool('T'), tooLong(), say('ok')],
      tools: { T: 'x' },
      deps: { context },
    });
    expect(terminal.reason).toBe('completed');
    expect(asked.filter((rung) => rung === 'compact')).toHaveLength(2);
  });

  it('media refused: reduced once and asked again', async () => {
    const { context } = recovering({ media: 9 });
    const refused = () => fail({ kind: 'media_too_large', status: 400 });
    const fixed = await run({ steps: [refused(), say('ok')], deps: { context } });
    expect(fixed.terminal.reason).toBe('completed');
    const stuck = await run({
      steps: [refused(), refused()],
      deps: { context: recovering({ media: 9 }).context },
    });
    expect(stuck.terminal.reason).toBe('image_error');
  });

  it('max_output_tokens_escalate: the same request with a higher cap, the truncated answer retracted', async () => {
    const { messages, requests, decisions } = await run({
      steps: [say('Half', { stopReason: 'max_tokens' }), say('Whole.')],
    });
    expect(requests.map((request) => request.maxTokens)).toEqual([8_000, 64_000]);
    expect(requests[1]!.view).toEqual(requests[0]!.view);
    expect(outline(messages)).toEqual(['text', 'tombstone:1', 'text']);
    expect(transitionsOf(decisions)).toEqual(['max_output_tokens_escalate']);
  });

  it('max_output_tokens_recovery: with an explicit cap there is no escalation; the text is kept and continued', async () => {
    const { requests, decisions } = await run({
      steps: [say('Half', { stopReason: 'max_tokens' }), say('Rest.')],
      params: { maxOutputTokens: 1_000 },
    });
    expect(transitionsOf(decisions)).toEqual(['max_output_tokens_recovery']);
    expect(requests.map((request) => request.maxTokens)).toEqual([1_000, 1_000]);
    expect(requests[1]!.view.map((m) => (m.type === 'user' ? m.kind : m.type))).toEqual([
      'prompt',
      'assistant',
      'resume',
    ]);
  });

  it('max_output_tokens_recovery: thinking alone is not sent back, only asked for again', async () => {
    const { requests, messages } = await run({
      steps: [reply([think('Hm.')], { stopReason: 'max_tokens' }), say('Whole.')],
      params: { maxOutputTokens: 1_000 },
    });
    expect(requests[1]!.view.map((m) => (m.type === 'user' ? m.kind : m.type))).toEqual(['prompt', 'resume']);
    expect(outline(messages)).toEqual(['thinking', 'tombstone:1', 'resume', 'text']);
  });

  it('what a recovery adds to the view is recorded before it is emitted; the next pass knows of it', async () => {
    const journal = recorder();
    const passes: boolean[] = [];
    const put = attachmentMessage(loopDeps(), { type: 'max_turns_reached', maxTurns: 1, turnCount: 1 });
    const context: ContextPort = {
      ...idleContext,
      steps: [
        {
          name: 'look',
          run: (input) => {
            passes.push(input.compactedInThisPass);
            return { kind: 'skip', why: 'only looks' };
          },
        },
      ],
      recovery: {
        ...idleContext.recovery,
        reactiveCompact: () => async (output) => {
          await output.emit([put]);
          return { kind: 'edits', source: 'boundary', edits: [], tokensFreed: 1, compacted: true };
        },
      },
    };
    let recorded: readonly string[] = [];
    await run({
      steps: [tooLong(), say('Fits.')],
      deps: { context, recorder: journal },
      onMessage: (message) => {
        if (message === put) recorded = journal.bodies.map(({ type }) => type);
      },
    });
    expect(recorded).toContain('boundary');
    expect(passes).toEqual([false, true]);
  });

  it('no request asks for more than its model can give', async () => {
    const modelLimits = () => ({ maxOutputTokens: 4_000, nonStreamingRepeat: true });
    const { requests } = await run({
      steps: [say('ok')],
      params: { maxOutputTokens: 9_000 },
      deps: { modelLimits },
    });
    expect(requests[0]!.maxTokens).toBe(4_000);
  });

  it('a full window never escalates', async () => {
    const { decisions } = await run({
      steps: [say('Half', { stopReason: 'model_context_window_exceeded' }), say('Rest.')],
    });
    expect(transitionsOf(decisions)).toEqual(['max_output_tokens_recovery']);
  });

  it('F147 a call cut by the output cap never runs: alone it is asked again with room', async () => {
    const { tools, decisions, terminal } = await run({
      steps: [
        callTool('T', {}, { rawInput: '{"a": "hal', stopReason: 'max_tokens' }),
        callTool('T', { a: 'half' }),
        say('ok'),
      ],
      tools: { T: 'x' },
    });
    expect(terminal.reason).toBe('completed');
    expect(transitionsOf(decisions)).toEqual(['max_output_tokens_escalate', 'next_turn']);
    expect(tools.added.map((call) => call.block.input)).toEqual([{ a: 'half' }]);
  });

  it('F147 beside complete calls the cut one is answered, and the next request has room once', async () => {
    const { requests, tools, decisions } = await run({
      steps: [
        reply([callTool('T', { a: 1 }), callTool('T', {}, { rawInput: '{"a": "hal' })], {
          stopReason: 'max_tokens',
        }),
        callTool('T', { a: 2 }),
        say('ok'),
      ],
      tools: { T: 'x' },
    });
    expect(transitionsOf(decisions)).toEqual(['next_turn', 'next_turn']);
    expect(requests.map((request) => request.maxTokens)).toEqual([8_000, 64_000, 8_000]);
    expect(tools.added.map((call) => call.unparsed?.cut)).toEqual([undefined, true, undefined]);
  });

  it('stop_hook_blocking: goes on with the feedback; the ninth block is shown and overridden (F95)', async () => {
    const seen: boolean[] = [];
    const { messages, terminal, decisions } = await run({
      steps: Array.from({ length: 9 }, () => say('Done.')),
      deps: {
        hooks: {
          has: () => true,
          run: async (call) => {
            seen.push(call.event === 'Stop' && call.stop_hook_active === true);
            return { ...NO_HOOK_VERDICT, blockingErrors: [`not yet: ${seen.length}`] };
          },
        },
      },
    });
    expect(terminal.reason).toBe('completed');
    expect(transitionsOf(decisions)).toEqual(Array.from({ length: 8 }, () => 'stop_hook_blocking'));
    expect(seen).toEqual([false, ...Array.from({ length: 8 }, () => true)]);
    expect(outline(messages).at(-1)).toBe('system:informational');
  });

  it('stop_hook_blocking: a schema without an accepted value is nudged, and no hook runs', async () => {
    let accepted = false;
    const { messages, decisions } = await run({
      steps: [say('Plain text.'), callTool('StructuredOutput')],
      tools: {
        StructuredOutput: () => {
          accepted = true;
          return { content: 'ok', endsTurn: true };
        },
      },
      params: { structuredOutput: { toolName: 'StructuredOutput' } },
      deps: { guard: { verdict: () => undefined, structuredOutput: () => ({ accepted }) } },
    });
    expect(transitionsOf(decisions)).toEqual(['stop_hook_blocking']);
    expect(outline(messages)).toEqual([
      ...['text', 'structured_nudge'],
      ...['tool_use', 'tool_result', 'attachment:structured_output'],
    ]);
  });

  it('token_budget_continuation: until 95 % of the target, or two small gains in a row', async () => {
    const some = (tokens: number) => say('Working.', { usage: { output_tokens: tokens } });
    const reached = await run({ steps: [some(500), some(460)], params: { tokenBudget: { target: 1_000 } } });
    expect(transitionsOf(reached.decisions)).toEqual(['token_budget_continuation']);
    const fading = await run({
      steps: [some(100), some(5), some(5)],
      params: { tokenBudget: { target: 1_000 } },
    });
    expect(transitionsOf(fading.decisions)).toEqual([
      'token_budget_continuation',
      'token_budget_continuation',
    ]);
  });

  it('unusable_answer_retry: next_turn forgets the count', async () => {
    const { decisions, terminal } = await run({
      steps: [reply([]), callTool('T'), reply([]), say('ok')],
      tools: { T: 'x' },
    });
    expect(terminal.reason).toBe('completed');
    expect(transitionsOf(decisions)).toEqual(['unusable_answer_retry', 'next_turn', 'unusable_answer_retry']);
  });
});

describe('what another process needs of the state to go on', () => {
  const params = loopParams();
  const fresh = initialState(params);

  it('is nothing while every group has its first values, whichever object holds them', () => {
    const { recovery, hooks, compaction, budgets } = fresh;
    const copies = {
      recovery: { ...recovery },
      hooks: { ...hooks },
      compaction: { ...compaction },
      budgets: { ...budgets },
    };
    expect(carriedState(fresh)).toBeUndefined();
    expect(carriedState({ ...fresh, ...copies })).toBeUndefined();
  });

  it.each([
    ['recovery', { recovery: busy.recovery }, { recovery: busy.recovery }],
    ['hooks', { hooks: busy.hooks }, { hooks: busy.hooks }],
    ['compaction', { compaction: busy.compaction }, { compaction: busy.compaction }],
    [
      'budgets once it went on by itself',
      { budgets: busy.budgets },
      { continued: { outputTokens: 100, continuations: 1, smallGains: 1, outputTokensAtContinuation: 50 } },
    ],
    ['no budgets before', { budgets: { ...busy.budgets, continuations: 0 } }, undefined],
  ])('is %s alone, where that differs', (_, changed, carried) => {
    expect(carriedState({ ...fresh, ...changed })).toEqual(carried);
  });
});
