/** What each rule shows, what it asks hooks, and what it must not do (L7): one line for each message, in order. */

import { failure, loopDeps } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import {
  INTERRUPTED,
  INTERRUPTED_FOR_TOOL_USE,
  NUDGE_EMPTY,
  NUDGE_TOKEN_BUDGET,
  NUDGE_TOOL_USE_WITHOUT_BLOCK,
  RESUME_AFTER_CUT,
  RESUME_AFTER_PAUSE,
} from '../../src/loop/loop-messages.ts';
import type { ModelFailure } from '../../src/protocol/model/failure.ts';
import type { AssistantMessage } from '../../src/protocol/model/messages.ts';
import type { ParkedRun } from '../../src/protocol/session/parking.ts';
import type { HookCall } from '../../src/protocol/tools/hook.ts';
import { calls, can, hooks, type RuleInput, runRule, type StateFields, wordOf } from './run-rule.ts';

interface Row extends RuleInput {
  readonly when: string;
  readonly verdict: string;
  readonly shows: readonly string[];
  /** What hooks were asked; left out: nothing. */
  readonly asks?: readonly Partial<Record<string, unknown>>[];
  readonly leaves?: StateFields;
  readonly parked?: Partial<ParkedRun>;
}

const said = {
  type: 'assistant',
  uuid: 'said',
  message: { content: [{ type: 'text', text: 'Half an answ' }] },
} as unknown as AssistantMessage;
const searches = {
  ...said,
  message: { content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] },
} as unknown as AssistantMessage;
const cut = { stopReason: 'max_tokens', messages: [said] } as const;
const owed = { structuredOutputOwed: true };
const structured = { structuredOutput: { toolName: 'Report' } };
const hand =
  'user (structured_nudge): Hand over the result by calling the Report tool; plain text does not count.';
const feedback = (text: string) => `user (hook_feedback): Stop hook feedback:\n${text}`;
const context = (event: string, ...content: string[]) =>
  `attachment ${JSON.stringify({ type: 'hook_context', event, content })}`;
const stopAsked = { event: 'Stop', stop_hook_active: false };
const ended = { ...calls, endsTurn: true };
const refusedBlock = { at: { message: 0, block: 0 } } as unknown as NonNullable<ModelFailure['block']>;

const ROWS: readonly Row[] = [
  {
    rule: 'aborted',
    when: 'the person interrupts an answer',
    facts: { abortReason: 'user', responseEnded: false },
    verdict: 'aborted_streaming',
    shows: [`user (interruption): ${INTERRUPTED}`],
  },
  {
    rule: 'aborted',
    when: 'the person interrupts tools',
    facts: { ...calls, abortReason: 'user' },
    verdict: 'aborted_tools',
    shows: [`user (interruption): ${INTERRUPTED_FOR_TOOL_USE}`],
  },
  {
    rule: 'aborted',
    when: 'a prompt replaces the turn',
    facts: { abortReason: 'interrupt', responseEnded: false },
    verdict: 'aborted_streaming',
    shows: [],
  },
  {
    rule: 'parked',
    when: 'a wait says why',
    facts: {
      waits: [
        { on: 'time', wakeAt: 9 },
        { on: 'time', wakeAt: 8, why: 'quota' },
      ],
    },
    verdict: 'park',
    shows: [],
    parked: { wakeAt: 8, why: 'quota' },
  },
  ...(
    [
      [{ hookContext: ['c'] }, { hookContext: ['c'], endsTurn: false }],
      [{ endsTurn: true }, { hookContext: [], endsTurn: true }],
      [
        { preventContinuation: { stopReason: 'x' } },
        { hookContext: [], endsTurn: false, preventContinuation: { stopReason: 'x' } },
      ],
    ] as unknown as [Row['results'], ParkedRun['collected']][]
  ).map(
    ([results, collected]): Row => ({
      rule: 'parked',
      when: `calls left ${JSON.stringify(results)}`,
      facts: { ...calls, waits: [{ on: 'ask', askId: 'q' }] },
      results: results!,
      verdict: 'park',
      shows: [],
      parked: { collected: collected! },
    }),
  ),
  {
    rule: 'parked',
    when: 'calls left nothing',
    facts: { ...calls, waits: [{ on: 'ask', askId: 'q' }] },
    verdict: 'park',
    shows: [],
    parked: { on: 'ask', askIds: ['q'] },
  },
  ...(
    [
      [
        'an image could not be resized',
        Object.assign(new Error('x'), { code: 'image_resize' }),
        'image_error',
      ],
      ['a disk failed', Object.assign(new Error('x'), { code: 'EIO' }), 'model_error'],
      ['what was thrown is no error', { code: 'image_size', toString: () => 'x' }, 'model_error'],
    ] as const
  ).map(
    ([when, error, verdict]): Row => ({
      rule: 'unexpected_error',
      when,
      facts: { thrown: { error } },
      verdict,
      shows: [
        expect.stringMatching(
          verdict === 'image_error' ? /^assistant \(invalid_request\)/ : /^assistant \(unknown\)/,
        ),
      ],
    }),
  ),
  {
    rule: 'prompt_too_long',
    when: 'only media were left to reduce, and they were reduced',
    facts: { failure: failure({ kind: 'prompt_too_long', status: 400 }) },
    deps: can('reduceMedia'),
    state: { hasAttemptedReactiveCompact: true, trimmed: true, mediaReduced: true },
    verdict: 'prompt_too_long',
    shows: ['assistant (invalid_request): Prompt is too long'],
    asks: [{ event: 'StopFailure' }],
  },
  ...(
    [
      ['the refusal names a block', 'invalid_request', refusedBlock, 'reactive_compact_retry'],
      ['the refusal names none', 'invalid_request', undefined, 'pass'],
      ['another failure names one', 'server_error', refusedBlock, 'pass'],
    ] as const
  ).map(
    ([when, kind, block, verdict]): Row => ({
      rule: 'media_too_large',
      when,
      facts: { failure: failure({ kind, status: 400, ...(block && { block }) }) },
      deps: can('reduceMedia'),
      verdict,
      shows: [],
    }),
  ),
  {
    rule: 'media_too_large',
    when: 'the block that it names cannot be taken out',
    facts: { failure: failure({ kind: 'invalid_request', status: 400, block: refusedBlock }) },
    verdict: 'pass',
    shows: [],
  },
  {
    rule: 'output_cap',
    when: 'the cap can be raised',
    facts: cut,
    verdict: 'max_output_tokens_escalate',
    shows: ['retracted (escalated): said'],
  },
  {
    rule: 'output_cap',
    when: 'the text can be continued',
    facts: cut,
    state: { escalated: true },
    verdict: 'max_output_tokens_recovery',
    shows: [`user (resume): ${RESUME_AFTER_CUT}`],
    leaves: { capOverride: undefined },
  },
  {
    rule: 'output_cap',
    when: 'thinking alone was cut off',
    facts: { ...cut, answer: 'thinking_only' },
    state: { escalated: true },
    verdict: 'max_output_tokens_recovery',
    shows: ['retracted (unusable): said', `user (resume): ${RESUME_AFTER_CUT}`],
  },
  {
    rule: 'output_cap',
    when: 'the cap had been lowered so that the request fits',
    facts: cut,
    response: { capWasLowered: true, maxTokens: 700 },
    verdict: 'max_output_tokens_recovery',
    shows: [`user (resume): ${RESUME_AFTER_CUT}`],
    leaves: { capOverride: 700 },
  },
  {
    rule: 'output_cap',
    when: 'the cap was the request’s own',
    facts: cut,
    state: { escalated: true },
    response: { capWasLowered: false, maxTokens: 700 },
    verdict: 'max_output_tokens_recovery',
    shows: [`user (resume): ${RESUME_AFTER_CUT}`],
    leaves: { capOverride: undefined },
  },
  {
    rule: 'paused',
    when: 'nothing waits for the provider',
    facts: { stopReason: 'pause_turn', messages: [said] },
    verdict: 'max_output_tokens_recovery',
    shows: [`user (resume): ${RESUME_AFTER_PAUSE}`],
  },
  {
    rule: 'paused',
    when: 'the provider’s own tool goes on',
    facts: { stopReason: 'pause_turn', messages: [searches] },
    verdict: 'max_output_tokens_recovery',
    shows: [],
  },
  {
    rule: 'paused',
    when: 'it has paused too often',
    facts: { stopReason: 'pause_turn', messages: [said] },
    state: { pauses: 10 },
    verdict: 'pass',
    shows: [
      'warning: The provider paused the answer 11 times, so it is left as it is: it may be unfinished.',
    ],
  },
  {
    rule: 'refused',
    when: 'the model refused',
    facts: { stopReason: 'refusal', messages: [said] },
    verdict: 'completed',
    shows: [],
    asks: [{ event: 'StopFailure', error: 'invalid_request', last_assistant_message: 'Half an answ' }],
  },
  {
    rule: 'unusable_answer',
    when: 'nothing was said',
    facts: { answer: 'empty' },
    verdict: 'unusable_answer_retry',
    shows: [`user (nudge): ${NUDGE_EMPTY}`],
  },
  {
    rule: 'unusable_answer',
    when: 'thinking alone stays in the conversation',
    facts: { answer: 'thinking_only', messages: [said] },
    verdict: 'unusable_answer_retry',
    shows: [`user (nudge): ${NUDGE_EMPTY}`],
  },
  {
    rule: 'unusable_answer',
    when: 'a call was announced and not made',
    facts: { stopReason: 'tool_use', messages: [said] },
    verdict: 'unusable_answer_retry',
    shows: ['retracted (unusable): said', `user (nudge): ${NUDGE_TOOL_USE_WITHOUT_BLOCK}`],
  },
  {
    rule: 'unusable_answer',
    when: 'it was announced too often',
    facts: { stopReason: 'tool_use', messages: [said] },
    state: { unusableCount: 2 },
    verdict: 'malformed_tool_use_exhausted',
    shows: [
      'assistant (server_error): The model announced a tool call without making one, 3 times in a row.',
    ],
  },
  {
    rule: 'stop_hooks',
    when: 'a named hook prevents what follows',
    facts: { messages: [said] },
    deps: hooks({ preventContinuation: { stopReason: 'enough', hookName: 'guard' } }),
    verdict: 'stop_hook_prevented',
    shows: ['warning: The hook guard ended the run: enough'],
    asks: [{ ...stopAsked, last_assistant_message: 'Half an answ' }],
  },
  {
    rule: 'stop_hooks',
    when: 'a hook without a name does',
    facts: {},
    deps: hooks({ preventContinuation: { stopReason: 'enough' } }),
    verdict: 'stop_hook_prevented',
    shows: ['warning: A hook ended the run: enough'],
    asks: [stopAsked],
  },
  {
    rule: 'stop_hooks',
    when: 'hooks of an agent are asked',
    facts: {},
    params: { depth: 1 },
    deps: hooks({ additionalContext: ['more'] }),
    verdict: 'stop_hook_blocking',
    shows: [context('SubagentStop', 'more')],
    asks: [{ event: 'SubagentStop' }],
    leaves: { blocks: 1, stopHookActive: true },
  },
  {
    rule: 'stop_hooks',
    when: 'a hook blocks and another has context',
    facts: {},
    deps: hooks({ blockingErrors: ['tests fail'], additionalContext: ['more'] }),
    verdict: 'stop_hook_blocking',
    shows: [feedback('tests fail'), context('Stop', 'more')],
    asks: [stopAsked],
    leaves: { blocks: 1 },
  },
  {
    rule: 'stop_hooks',
    when: 'a hook blocks after the value was handed over',
    facts: {},
    params: structured,
    deps: hooks({ blockingErrors: ['tests fail'] }),
    verdict: 'stop_hook_blocking',
    shows: [feedback('tests fail')],
    asks: [stopAsked],
  },
  {
    rule: 'stop_hooks',
    when: 'a value is owed, and no hook listens',
    facts: owed,
    params: structured,
    deps: { hooks: { ...hooks({ preventContinuation: { stopReason: 'x' } }).hooks!, has: () => false } },
    verdict: 'stop_hook_blocking',
    shows: [hand],
    leaves: { blocks: 0, stopHookActive: false },
  },
  {
    rule: 'stop_hooks',
    when: 'a value is owed, and a hook blocks',
    facts: owed,
    params: structured,
    deps: hooks({ blockingErrors: ['tests fail'] }),
    verdict: 'stop_hook_blocking',
    shows: [hand, feedback('tests fail')],
    asks: [stopAsked],
    leaves: { blocks: 1 },
  },
  {
    rule: 'stop_hooks',
    when: 'a value is owed after nine blocks, and no hook objects',
    facts: owed,
    params: structured,
    state: { blocks: 9 },
    deps: hooks({}),
    verdict: 'stop_hook_blocking',
    shows: [hand],
    asks: [stopAsked],
    leaves: { blocks: 9 },
  },
  ...(['blockingErrors', 'additionalContext'] as const).flatMap((kind): Row[] => {
    const overridden =
      'warning: Stop hook feedback:\nno\nStop hooks have blocked 9 times in this submission; it ends all the same.';
    const row = {
      rule: 'stop_hooks',
      state: { blocks: 9 },
      deps: hooks({ [kind]: ['no'] }),
      asks: [stopAsked],
    };
    return [
      { ...row, when: `${kind} after nine blocks`, facts: {}, verdict: 'pass', shows: [overridden] },
      {
        ...row,
        when: `${kind} after nine blocks, and a value is owed`,
        facts: owed,
        params: structured,
        verdict: 'stop_hook_blocking',
        shows: [overridden, hand],
        leaves: { blocks: 9 },
      },
    ];
  }),
  {
    rule: 'token_budget',
    when: 'there is budget left',
    facts: { outputTokens: 10 },
    params: { tokenBudget: { target: 1_000 } },
    verdict: 'token_budget_continuation',
    shows: [`user (nudge): ${NUDGE_TOKEN_BUDGET}`],
  },
  {
    rule: 'token_budget',
    when: 'the model refused',
    facts: { outputTokens: 10, stopReason: 'refusal' },
    params: { tokenBudget: { target: 1_000 } },
    verdict: 'pass',
    shows: [],
  },
  {
    rule: 'hook_stopped',
    when: 'a named hook stopped',
    facts: { ...calls, preventContinuation: { stopReason: 'enough', hookName: 'guard' } },
    verdict: 'hook_stopped',
    shows: [
      'attachment {"type":"hook_stopped_continuation","message":"enough","hookName":"guard"}',
      'warning: The hook guard ended the run: enough',
    ],
  },
  {
    rule: 'hook_stopped',
    when: 'a hook without a name stopped',
    facts: { ...calls, preventContinuation: { stopReason: 'enough' } },
    verdict: 'hook_stopped',
    shows: [
      'attachment {"type":"hook_stopped_continuation","message":"enough"}',
      'warning: A hook ended the run: enough',
    ],
  },
  { rule: 'tool_ended_turn', when: 'no hook listens', facts: ended, verdict: 'completed', shows: [] },
  {
    rule: 'tool_ended_turn',
    when: 'the value was handed over',
    facts: ended,
    deps: { guard: { ...loopDeps({}).guard, structuredOutput: () => ({ accepted: true, value: 5 }) } },
    verdict: 'completed',
    shows: ['attachment {"type":"structured_output","value":5}'],
  },
  {
    rule: 'tool_ended_turn',
    when: 'hooks object: it ends all the same',
    facts: ended,
    deps: hooks({
      blockingErrors: ['no'],
      additionalContext: ['more'],
      preventContinuation: { stopReason: 'x' },
    }),
    verdict: 'completed',
    shows: [
      'warning: A hook ended the run: x',
      'warning: Stop hook feedback:\nno\nmore\nA tool had ended the turn; it ends all the same.',
    ],
    asks: [stopAsked],
  },
  {
    rule: 'tool_ended_turn',
    when: 'hooks have nothing to say',
    facts: ended,
    deps: hooks({}),
    verdict: 'completed',
    shows: [],
    asks: [stopAsked],
  },
];

describe('each rule, facts to messages', () => {
  it.each(ROWS)('$rule: $when → $verdict', async (row) => {
    const { verdict, shown, asked } = await runRule(row);
    expect(wordOf(verdict)).toBe(row.verdict);
    expect(shown).toEqual(row.shows);
    expect(asked).toEqual((row.asks ?? []).map((call) => expect.objectContaining(call) as HookCall));
    const next = verdict.kind === 'continue' ? verdict.next : undefined;
    expect({ ...next?.recovery, ...next?.hooks, ...next?.budgets }).toMatchObject(row.leaves ?? {});
    if (row.parked !== undefined) expect(verdict.kind === 'park' && verdict.parked).toMatchObject(row.parked);
    if (row.parked?.collected === undefined && verdict.kind === 'park')
      expect(verdict.parked).not.toHaveProperty('collected');
  });

  it('what a provider says about its limit is learnt', async () => {
    const learnt: unknown[] = [];
    const { context } = loopDeps({});
    const tooLong = failure({ kind: 'prompt_too_long', status: 400 });
    const deps = { context: { ...context, learnFrom: (...what: unknown[]) => learnt.push(what) } };
    await runRule({ rule: 'prompt_too_long', facts: { failure: tooLong }, deps });
    expect(learnt).toEqual([[tooLong, expect.any(String)]]);
  });
});
