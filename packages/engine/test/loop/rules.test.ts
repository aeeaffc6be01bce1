/** Each rule by itself: facts and state in, verdict out (L7). What rules show is in `rules-show.test.ts`. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { failure, userMessage } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/loop/rules/index.ts';
import type { SystemMessage, ViewMessage } from '../../src/protocol/model/messages.ts';
import type { ParkedRun } from '../../src/protocol/session/parking.ts';
import { calls, can, found, hooks, type RuleInput, runRule, type StateFields, wordOf } from './run-rule.ts';

interface Row extends RuleInput {
  readonly when: string;
  /** `pass`, the transition, or the terminal. */
  readonly verdict: string;
  /** Of the next state. */
  readonly leaves?: StateFields;
  /** What a parked run waits for, and nothing else. */
  readonly parked?: ParkedRun;
}

const boundaryOf = (pre_tokens: number): SystemMessage => ({
  type: 'system',
  uuid: 'boundary',
  timestamp: '',
  subtype: 'compact_boundary',
  compact_metadata: { trigger: 'auto', pre_tokens },
});
const tooLong = { failure: failure({ kind: 'prompt_too_long', status: 400 }) };
const tooManyBytes = { failure: failure({ kind: 'prompt_too_long', status: 413 }) };
const image = userMessage([
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
]);
const media = { failure: failure({ kind: 'media_too_large', status: 400 }) };
const cut = { stopReason: 'max_tokens' as const };

const ROWS: readonly Row[] = [
  { rule: 'aborted', when: 'nobody aborted', facts: {}, verdict: 'pass' },
  {
    rule: 'aborted',
    when: 'while the model answered',
    facts: { abortReason: 'user', responseEnded: false },
    verdict: 'aborted_streaming',
  },
  {
    rule: 'aborted',
    when: 'while tools ran',
    facts: { ...calls, abortReason: 'user' },
    verdict: 'aborted_tools',
  },
  {
    rule: 'aborted',
    when: 'the stream broke off with calls in it',
    facts: { ...calls, abortReason: 'user', responseEnded: false },
    verdict: 'aborted_streaming',
  },
  {
    rule: 'aborted',
    when: 'a host denied and interrupted',
    facts: { deniedWithInterrupt: true, responseEnded: false },
    verdict: 'aborted_tools',
  },
  { rule: 'unexpected_error', when: 'nothing threw', facts: {}, verdict: 'pass' },
  { rule: 'parked', when: 'nothing is waited for', facts: {}, verdict: 'pass' },
  {
    rule: 'parked',
    when: 'a call waits for an answer',
    facts: { ...calls, waits: [{ on: 'ask', askId: 'q' }] },
    verdict: 'park',
    parked: { on: 'ask', askIds: ['q'] },
  },
  {
    rule: 'parked',
    when: 'a call sleeps',
    facts: { ...calls, waits: [{ on: 'time', wakeAt: 9, toolUseId: 't' }] },
    verdict: 'park',
    parked: { on: 'time', askIds: [], wakeAt: 9, sleeps: { t: 9 } },
  },
  {
    rule: 'parked',
    when: 'the model has to be waited for',
    facts: { waits: [{ on: 'time', wakeAt: 9 }] },
    verdict: 'park',
    parked: { on: 'time', askIds: [], wakeAt: 9 },
  },
  {
    rule: 'parked',
    when: 'calls sleep and a question is open',
    facts: {
      ...calls,
      waits: [
        { on: 'time', wakeAt: 9, toolUseId: 't' },
        { on: 'ask', askId: 'q' },
        { on: 'time', wakeAt: 7, toolUseId: 'u' },
      ],
    },
    verdict: 'park',
    parked: { on: 'ask', askIds: ['q'], wakeAt: 7, sleeps: { t: 9, u: 7 } },
  },
  {
    rule: 'unexpected_error',
    when: 'anything threw',
    facts: { thrown: { error: new Error('x') } },
    verdict: 'model_error',
  },
  {
    rule: 'unexpected_error',
    when: 'an image could not be sized',
    facts: { thrown: { error: Object.assign(new Error('x'), { code: 'image_size' }) } },
    verdict: 'image_error',
  },
  { rule: 'prompt_too_long', when: 'it fitted', facts: {}, verdict: 'pass' },
  {
    rule: 'prompt_too_long',
    when: 'a complete call stands',
    facts: { ...tooLong, ...calls },
    verdict: 'pass',
  },
  {
    rule: 'prompt_too_long',
    when: 'collapses were staged',
    facts: tooLong,
    deps: can('drainCollapses'),
    verdict: 'collapse_drain_retry',
  },
  {
    rule: 'prompt_too_long',
    when: 'a summary is possible',
    facts: tooLong,
    deps: can('reactiveCompact'),
    verdict: 'reactive_compact_retry',
  },
  {
    rule: 'prompt_too_long',
    when: 'a summary was tried',
    facts: tooLong,
    deps: can('reactiveCompact'),
    state: { hasAttemptedReactiveCompact: true },
    verdict: 'prompt_too_long',
  },
  {
    rule: 'prompt_too_long',
    when: 'only the trim is left',
    facts: tooLong,
    deps: can('mechanicalTrim'),
    state: { hasAttemptedReactiveCompact: true },
    verdict: 'reactive_compact_retry',
  },
  {
    rule: 'prompt_too_long',
    when: 'all was tried',
    facts: tooLong,
    deps: can('mechanicalTrim'),
    state: { hasAttemptedReactiveCompact: true, trimmed: true },
    verdict: 'prompt_too_long',
  },
  {
    rule: 'prompt_too_long',
    when: 'its bytes are too many, and none are of media',
    facts: tooManyBytes,
    verdict: 'prompt_too_long',
  },
  {
    rule: 'prompt_too_long',
    when: 'its bytes are too many, and media are left',
    facts: tooManyBytes,
    params: { view: () => PersistentList.from<ViewMessage>([image]) },
    verdict: 'image_error',
  },
  {
    rule: 'prompt_too_long',
    when: 'its bytes are too many: media go first (F12)',
    facts: tooManyBytes,
    deps: can(['reactiveCompact', 'reduceMedia'], { compacted: false }),
    verdict: 'reactive_compact_retry',
    leaves: { mediaReduced: true },
  },
  {
    rule: 'prompt_too_long',
    when: 'its tokens are too many: media go last',
    facts: tooLong,
    deps: can(['reactiveCompact', 'reduceMedia']),
    verdict: 'reactive_compact_retry',
    leaves: { mediaReduced: false },
  },
  {
    rule: 'prompt_too_long',
    when: 'a summary takes its share of the task’s budget',
    facts: tooLong,
    deps: can('reactiveCompact', {}, [boundaryOf(300)]),
    state: { taskRemaining: 900 },
    tokens: 500,
    verdict: 'reactive_compact_retry',
    leaves: { taskRemaining: 600 },
  },
  {
    rule: 'prompt_too_long',
    when: 'a trim leaves the task’s budget',
    facts: tooLong,
    deps: can('mechanicalTrim', { compacted: false }),
    state: { taskRemaining: 900 },
    tokens: 300,
    verdict: 'reactive_compact_retry',
    leaves: { taskRemaining: 900 },
  },
  { rule: 'media_too_large', when: 'media were taken', facts: {}, verdict: 'pass' },
  {
    rule: 'media_too_large',
    when: 'it can be reduced',
    facts: media,
    deps: can('reduceMedia'),
    verdict: 'reactive_compact_retry',
  },
  {
    rule: 'media_too_large',
    when: 'it was reduced before',
    facts: media,
    deps: can('reduceMedia'),
    state: { mediaReduced: true },
    verdict: 'image_error',
  },
  {
    rule: 'media_too_large',
    when: 'all that there are were reduced',
    facts: media,
    deps: can('reduceMedia'),
    verdict: 'reactive_compact_retry',
    leaves: { mediaReduced: true },
  },
  {
    rule: 'media_too_large',
    when: 'the refusal named one: another may name another (F11)',
    facts: media,
    deps: can('reduceMedia', { named: true }),
    verdict: 'reactive_compact_retry',
    leaves: { mediaReduced: false },
  },
  { rule: 'output_cap', when: 'the answer ended by itself', facts: {}, verdict: 'pass' },
  { rule: 'output_cap', when: 'at the default cap', facts: cut, verdict: 'max_output_tokens_escalate' },
  {
    rule: 'output_cap',
    when: 'the cap was the caller’s',
    facts: cut,
    params: { maxOutputTokens: 100 },
    verdict: 'max_output_tokens_recovery',
  },
  {
    rule: 'output_cap',
    when: 'escalated before',
    facts: cut,
    state: { escalated: true },
    verdict: 'max_output_tokens_recovery',
  },
  {
    rule: 'output_cap',
    when: 'the model has no more to give',
    facts: cut,
    deps: { modelLimits: () => ({ maxOutputTokens: 8_000, nonStreamingRepeat: true }) },
    verdict: 'max_output_tokens_recovery',
  },
  {
    rule: 'output_cap',
    when: 'the window is full',
    facts: { stopReason: 'model_context_window_exceeded' },
    verdict: 'max_output_tokens_recovery',
  },
  {
    rule: 'output_cap',
    when: 'continued three times',
    facts: cut,
    state: { escalated: true, outputTokenCount: 3 },
    verdict: 'api_error',
  },
  { rule: 'output_cap', when: 'a complete call stands', facts: { ...calls, ...cut }, verdict: 'pass' },
  { rule: 'api_error', when: 'no failure', facts: {}, verdict: 'pass' },
  {
    rule: 'api_error',
    when: 'any other failure',
    facts: { failure: failure({ kind: 'server_error', status: 500 }) },
    verdict: 'api_error',
  },
  { rule: 'unusable_answer', when: 'there is text', facts: {}, verdict: 'pass' },
  {
    rule: 'unusable_answer',
    when: 'nothing at all',
    facts: { answer: 'empty' },
    verdict: 'unusable_answer_retry',
  },
  {
    rule: 'unusable_answer',
    when: 'thinking alone',
    facts: { answer: 'thinking_only' },
    verdict: 'unusable_answer_retry',
  },
  {
    rule: 'unusable_answer',
    when: 'empty a second time',
    facts: { answer: 'empty' },
    state: { unusableCount: 1 },
    verdict: 'pass',
  },
  {
    rule: 'unusable_answer',
    when: 'a call announced and not made',
    facts: { stopReason: 'tool_use' },
    state: { unusableCount: 1 },
    verdict: 'unusable_answer_retry',
  },
  {
    rule: 'unusable_answer',
    when: 'announced a third time',
    facts: { stopReason: 'tool_use' },
    state: { unusableCount: 2 },
    verdict: 'malformed_tool_use_exhausted',
  },
  {
    rule: 'unusable_answer',
    when: 'refused',
    facts: { answer: 'empty', stopReason: 'refusal' },
    verdict: 'pass',
  },
  {
    rule: 'unusable_answer',
    when: 'paused',
    facts: { answer: 'empty', stopReason: 'pause_turn' },
    verdict: 'pass',
  },
  { rule: 'stop_hooks', when: 'no hook objects', facts: {}, verdict: 'pass' },
  {
    rule: 'stop_hooks',
    when: 'a hook prevents',
    facts: {},
    deps: hooks({ preventContinuation: { stopReason: 'x' } }),
    verdict: 'stop_hook_prevented',
  },
  {
    rule: 'stop_hooks',
    when: 'a hook blocks',
    facts: {},
    deps: hooks({ blockingErrors: ['x'] }),
    verdict: 'stop_hook_blocking',
  },
  {
    rule: 'stop_hooks',
    when: 'a ninth time',
    facts: {},
    deps: hooks({ blockingErrors: ['x'] }),
    state: { blocks: 8 },
    verdict: 'pass',
  },
  {
    rule: 'stop_hooks',
    when: 'a structured value is owed',
    facts: { structuredOutputOwed: true },
    params: { structuredOutput: { toolName: 'S' } },
    verdict: 'stop_hook_blocking',
  },
  {
    rule: 'stop_hooks',
    when: 'a structured value is owed, and a hook prevents it',
    facts: { structuredOutputOwed: true },
    params: { structuredOutput: { toolName: 'S' } },
    deps: hooks({ preventContinuation: { stopReason: 'x' } }),
    verdict: 'stop_hook_prevented',
  },
  {
    rule: 'stop_hooks',
    when: 'a structured value is owed, and the ninth block came',
    facts: { structuredOutputOwed: true },
    params: { structuredOutput: { toolName: 'S' } },
    deps: hooks({ blockingErrors: ['x'] }),
    state: { blocks: 8 },
    verdict: 'stop_hook_blocking',
  },
  { rule: 'paused', when: 'the model answered', facts: {}, verdict: 'pass' },
  {
    rule: 'paused',
    when: 'the provider paused',
    facts: { stopReason: 'pause_turn' },
    verdict: 'max_output_tokens_recovery',
  },
  {
    rule: 'paused',
    when: 'it has paused ten times already',
    facts: { stopReason: 'pause_turn' },
    state: { pauses: 10 },
    verdict: 'pass',
  },
  { rule: 'refused', when: 'the model answered', facts: {}, verdict: 'pass' },
  { rule: 'refused', when: 'it refused', facts: { stopReason: 'refusal' }, verdict: 'completed' },
  {
    rule: 'refused',
    when: 'it refused behind calls',
    facts: { ...calls, stopReason: 'refusal' },
    verdict: 'completed',
  },
  {
    rule: 'stop_hooks',
    when: 'tools follow',
    facts: calls,
    deps: hooks({ blockingErrors: ['x'] }),
    verdict: 'pass',
  },
  { rule: 'token_budget', when: 'off', facts: {}, verdict: 'pass' },
  {
    rule: 'token_budget',
    when: 'below 95 %',
    facts: { outputTokens: 949 },
    params: { tokenBudget: { target: 1_000 } },
    verdict: 'token_budget_continuation',
  },
  {
    rule: 'token_budget',
    when: 'at 95 %',
    facts: { outputTokens: 950 },
    params: { tokenBudget: { target: 1_000 } },
    verdict: 'pass',
  },
  {
    rule: 'token_budget',
    when: 'a second small gain',
    facts: { outputTokens: 5 },
    params: { tokenBudget: { target: 1_000 } },
    state: { continuations: 2, smallGains: 1 },
    verdict: 'pass',
  },
  {
    rule: 'token_budget',
    when: 'a gain of 1 % is no small one',
    facts: { outputTokens: 10 },
    params: { tokenBudget: { target: 1_000 } },
    state: { continuations: 2, smallGains: 1 },
    verdict: 'token_budget_continuation',
    leaves: { smallGains: 0 },
  },
  {
    rule: 'token_budget',
    when: 'the first answer is short: no gain was asked for yet',
    facts: { outputTokens: 5 },
    params: { tokenBudget: { target: 1_000 } },
    verdict: 'token_budget_continuation',
    leaves: { smallGains: 0 },
  },
  {
    rule: 'token_budget',
    when: 'a large gain after a small one',
    facts: { outputTokens: 500 },
    params: { tokenBudget: { target: 1_000 } },
    state: { continuations: 2, smallGains: 1 },
    verdict: 'token_budget_continuation',
    leaves: { smallGains: 0 },
  },
  { rule: 'hook_stopped', when: 'no hook asked', facts: calls, verdict: 'pass' },
  {
    rule: 'hook_stopped',
    when: 'PostToolUse said stop',
    facts: { ...calls, preventContinuation: { stopReason: 'x' } },
    verdict: 'hook_stopped',
  },
  { rule: 'verify', when: 'there are no conditions', facts: {}, verdict: 'pass' },
  { rule: 'verify', when: 'calls go on', facts: calls, deps: found('failed'), verdict: 'pass' },
  { rule: 'verify', when: 'all of them hold', facts: {}, deps: found('passed', 'passed'), verdict: 'pass' },
  {
    rule: 'verify',
    when: 'nothing is to be checked now',
    facts: {},
    deps: { verify: { attempts: 2, check: async () => undefined } },
    verdict: 'pass',
  },
  {
    rule: 'verify',
    when: 'one does not hold',
    facts: {},
    deps: found('passed', 'failed'),
    verdict: 'verify_failed',
    leaves: { sentBack: 1 },
  },
  {
    rule: 'verify',
    when: 'a tool ended the turn, and one does not hold',
    facts: { ...calls, endsTurn: true },
    deps: found('failed'),
    verdict: 'verify_failed',
  },
  {
    rule: 'verify',
    when: 'the model was sent back often enough',
    facts: {},
    deps: found('failed'),
    state: { sentBack: 2 },
    verdict: 'unverified',
  },
  {
    rule: 'verify',
    when: 'one cannot be checked',
    facts: {},
    deps: found('failed', 'impossible'),
    verdict: 'unverified',
  },
  {
    rule: 'verify',
    when: 'no turn is left',
    facts: {},
    deps: found('failed'),
    params: { maxTurns: 1 },
    verdict: 'max_turns',
  },
  { rule: 'tool_ended_turn', when: 'no tool did', facts: calls, verdict: 'pass' },
  { rule: 'tool_ended_turn', when: 'one did', facts: { ...calls, endsTurn: true }, verdict: 'completed' },
  { rule: 'turn_limit', when: 'none is set', facts: calls, verdict: 'pass' },
  { rule: 'turn_limit', when: 'the next turn fits', facts: calls, params: { maxTurns: 2 }, verdict: 'pass' },
  {
    rule: 'turn_limit',
    when: 'it would exceed',
    facts: calls,
    params: { maxTurns: 1 },
    verdict: 'max_turns',
  },
  { rule: 'turn_limit', when: 'nothing follows', facts: {}, params: { maxTurns: 1 }, verdict: 'pass' },
];

describe('each rule, facts to verdict', () => {
  it.each(ROWS)('$rule: $when → $verdict', async (row) => {
    const { verdict } = await runRule(row);
    expect(wordOf(verdict)).toBe(row.verdict);
    const next = verdict.kind === 'continue' ? verdict.next : undefined;
    expect({ ...next?.recovery, ...next?.hooks, ...next?.verify, ...next?.budgets }).toMatchObject(
      row.leaves ?? {},
    );
    expect(verdict.kind === 'park' ? verdict.parked : undefined).toEqual(row.parked);
  });

  it('every rule of the list has its rows', () => {
    expect([...new Set(ROWS.map((row) => row.rule))].sort()).toEqual(RULES.map((rule) => rule.name).sort());
  });
});

describe('priority is the order of the list', () => {
  it('is the order of L7', () => {
    expect(RULES.map((rule) => rule.name)).toEqual([
      'aborted',
      'unexpected_error',
      'parked',
      'refused',
      'prompt_too_long',
      'media_too_large',
      'output_cap',
      'paused',
      'api_error',
      'unusable_answer',
      'stop_hooks',
      'token_budget',
      'hook_stopped',
      'verify',
      'tool_ended_turn',
      'turn_limit',
    ]);
  });
});
