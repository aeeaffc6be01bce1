import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { buildResult, createOutcome, resultWithoutQuery } from '../../src/engine/output/result.ts';
import type { ResultFacts } from '../../src/engine/output/result-fields.ts';
import type { AssistantMessage } from '../../src/protocol/model/messages.ts';
import { EMPTY_USAGE, type StopReason } from '../../src/protocol/model/wire.ts';
import { TERMINAL_REASONS, type TerminalReason } from '../../src/protocol/session/terminal.ts';
import { createStats } from '../../src/subagents/stats.ts';

const FACTS: ResultFacts = {
  uuid: 'r',
  sessionId: 's',
  durationMs: 5,
  durationApiMs: 3,
  totalCostUsd: 0.25,
  usage: EMPTY_USAGE,
  modelUsage: {},
  usageSinceLastResult: {},
  subagentStats: createStats().counts(),
  safetyStops: 0,
  fastMode: { state: 'off' },
  permissionDenials: [],
};
const LIMITS = { maxTurns: 4, maxBudgetUsd: 0.5, structuredOutputAttempts: 5 };

function assistant(
  text: string,
  more: Partial<AssistantMessage> & { readonly id?: string; readonly stop?: StopReason | null } = {},
): AssistantMessage {
  const { id = 'msg_1', stop = null, ...rest } = more;
  return {
    type: 'assistant',
    uuid: `u-${text}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text }],
      stop_reason: stop,
      stop_sequence: null,
      usage: EMPTY_USAGE,
    },
    ...rest,
  };
}

function resultFor(reason: TerminalReason, stopReason: StopReason | null = 'end_turn') {
  const outcome = createOutcome();
  outcome.observe(assistant('The answer.'));
  outcome.responseEnded('msg_1', stopReason);
  return buildResult({ reason, turnCount: 5, errors: ['What went wrong.'] }, outcome, FACTS, LIMITS);
}

describe('terminal to result (L7.1)', () => {
  const table: Readonly<Record<TerminalReason, Readonly<Record<string, unknown>>>> = {
    completed: { subtype: 'success', is_error: false, result: 'The answer.', stop_reason: 'end_turn' },
    stop_hook_prevented: {
      subtype: 'success',
      is_error: false,
      result: 'The answer.',
      stop_reason: 'end_turn',
    },
    unverified: { subtype: 'success', is_error: true, result: 'The answer.', stop_reason: 'end_turn' },
    hook_stopped: { subtype: 'success', is_error: false, result: 'The answer.', stop_reason: 'end_turn' },
    max_turns: {
      subtype: 'error_max_turns',
      is_error: true,
      errors: ['Reached maximum number of turns (4)'],
      stop_reason: 'end_turn',
    },
    budget_exhausted: {
      subtype: 'error_max_budget_usd',
      is_error: true,
      errors: ['Reached maximum budget ($0.5)', 'What went wrong.'],
    },
    structured_output_retry_exhausted: { subtype: 'error_max_structured_output_retries', is_error: true },
    api_error: { subtype: 'success', is_error: true, result: 'The answer.', stop_reason: 'stop_sequence' },
    prompt_too_long: { subtype: 'success', is_error: true, stop_reason: 'stop_sequence' },
    image_error: { subtype: 'success', is_error: true, stop_reason: 'stop_sequence' },
    blocking_limit: { subtype: 'success', is_error: true, stop_reason: 'stop_sequence' },
    rapid_refill_breaker: { subtype: 'success', is_error: true, stop_reason: 'stop_sequence' },
    malformed_tool_use_exhausted: { subtype: 'success', is_error: true, stop_reason: 'stop_sequence' },
    aborted_streaming: { subtype: 'error_during_execution', is_error: true },
    aborted_tools: { subtype: 'error_during_execution', is_error: true },
    model_error: { subtype: 'error_during_execution', is_error: true, errors: ['What went wrong.'] },
    turn_setup_failed: {
      subtype: 'error_during_execution',
      is_error: true,
      errors: ['What went wrong.'],
      num_turns: 0,
    },
  };
  it.each(TERMINAL_REASONS)('%s', (reason) => {
    const result = resultFor(reason);
    expect(result).toMatchObject({ type: 'result', terminal_reason: reason, ...table[reason] });
    expect('errors' in result).toBe(result.subtype !== 'success');
    for (const field of [
      'duration_ms',
      'duration_api_ms',
      'total_cost_usd',
      'usage',
      'modelUsage',
      'permission_denials',
      'session_id',
      'uuid',
      'num_turns',
      'stop_reason',
    ]) {
      expect(result).toHaveProperty(field);
    }
  });
});

describe('stop_reason on results', () => {
  it.each(['end_turn', 'max_tokens', 'stop_sequence', 'refusal', 'tool_use', 'pause_turn', 'a_new_word'])(
    'success carries %s as the API gave it',
    (reason) => {
      expect(resultFor('completed', reason)).toMatchObject({
        subtype: 'success',
        is_error: false,
        stop_reason: reason,
      });
    },
  );
  it.each(['max_turns', 'budget_exhausted', 'structured_output_retry_exhausted', 'aborted_tools'] as const)(
    '%s carries that of the last assistant message',
    (reason) => {
      expect(resultFor(reason, 'tool_use').stop_reason).toBe('tool_use');
    },
  );
  const erring = ['model_error', 'aborted_streaming', 'aborted_tools'] as const;
  /** What the loop yields when something throws. */
  const shownError = assistant('boom', { id: 'e', stop: 'stop_sequence', synthetic: { error: 'unknown' } });
  it.each(erring)('%s is null when no answer came: an error that the engine shows is none', (reason) => {
    const outcome = createOutcome();
    outcome.observe(shownError);
    expect(buildResult({ reason, turnCount: 1 }, outcome, FACTS, LIMITS).stop_reason).toBeNull();
  });
  it.each(erring)('%s carries the last reason that an answer gave, whatever came after it', (reason) => {
    const outcome = createOutcome();
    outcome.observe(assistant('I will look.', { id: 'msg_1' }));
    outcome.responseEnded('msg_1', 'tool_use');
    outcome.observe(assistant('Half an', { id: 'msg_2' }));
    outcome.responseEnded('msg_2', null);
    outcome.observe(shownError);
    expect(buildResult({ reason, turnCount: 2 }, outcome, FACTS, LIMITS).stop_reason).toBe('tool_use');
  });
  it('counts answers of a previous process, which are recorded with their reasons', () => {
    const outcome = createOutcome();
    outcome.observe(assistant('I will look.', { stop: 'tool_use' }));
    const terminal = { reason: 'aborted_streaming', turnCount: 2 } as const;
    expect(buildResult(terminal, outcome, FACTS, LIMITS).stop_reason).toBe('tool_use');
  });
  it('is null when the set-up failed', () => {
    const terminal = { reason: 'turn_setup_failed', turnCount: 0 } as const;
    expect(buildResult(terminal, createOutcome(), FACTS, LIMITS).stop_reason).toBeNull();
  });
  it('is null, without a terminal reason, when no query ran', () => {
    const result = resultWithoutQuery('Listed.', FACTS);
    expect(result).toMatchObject({ subtype: 'success', result: 'Listed.', stop_reason: null, num_turns: 0 });
    expect(result).not.toHaveProperty('terminal_reason');
  });
});

describe('a compaction', () => {
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'c',
    timestamp: '2026-01-01T00:00:00.000Z',
    compact_metadata: { trigger: 'auto', pre_tokens: 9 },
  } as const;
  it('releases earlier answers, and the last one stays the answer', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const outcome = createOutcome();
    const seen = ['First.', 'Second.', 'Third.'].map((text, index) => {
      const message = assistant(text, { id: `msg_${index}`, uuid: text });
      outcome.observe(message);
      outcome.responseEnded(`msg_${index}`, 'end_turn');
      return new WeakRef(message);
    });
    outcome.observe(assistant('A note.', { id: 'e', uuid: 'e', synthetic: { error: 'server_error' } }));
    outcome.observe(boundary);
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(seen.map((message) => message.deref() !== undefined)).toEqual([false, false, true]);
    expect(outcome.last({ byModel: true })).toMatchObject({ text: 'Third.', stopReason: 'end_turn' });
    expect(outcome.last()).toMatchObject({ text: 'A note.' });
  });
});

describe('the result text', () => {
  const finish = (outcome: ReturnType<typeof createOutcome>) =>
    buildResult({ reason: 'completed', turnCount: 1 }, outcome, FACTS, LIMITS);
  it('is that of the last block, when that is text', () => {
    const outcome = createOutcome();
    outcome.observe(assistant('First. ', { id: 'msg_1' }));
    outcome.observe(assistant('One, ', { id: 'msg_2', uuid: 'a' }));
    outcome.observe(assistant('two.', { id: 'msg_2', uuid: 'b' }));
    expect(finish(outcome)).toMatchObject({ result: 'two.' });
    const call = assistant('', { id: 'msg_2', uuid: 'c' });
    const content = [{ type: 'tool_use' as const, id: 't', name: 'Read', input: {} }];
    outcome.observe({ ...call, message: { ...call.message, content } });
    expect(finish(outcome)).toMatchObject({ result: '' });
  });
  it('is the JSON text of an accepted value', () => {
    const outcome = createOutcome();
    outcome.observe(assistant('Here it is.'));
    const value = { items: [1] };
    expect(
      buildResult({ reason: 'completed', turnCount: 1 }, outcome, FACTS, LIMITS, { value }),
    ).toMatchObject({
      result: '{"items":[1]}',
      structured_output: value,
    });
  });
  it('skips retracted messages', () => {
    const outcome = createOutcome();
    outcome.observe(assistant('Kept.', { id: 'msg_1', uuid: 'a' }));
    outcome.observe(assistant('Gone.', { id: 'msg_2', uuid: 'b' }));
    outcome.observe({ type: 'tombstone', uuids: ['b'], reason: 'superseded', uuid: 't', timestamp: '' });
    expect(finish(outcome)).toMatchObject({ result: 'Kept.' });
  });
  it("is '' when there is none", () => {
    expect(finish(createOutcome())).toMatchObject({ subtype: 'success', result: '' });
  });
  it('of an API failure is the error, with its status', () => {
    const outcome = createOutcome();
    outcome.observe(
      assistant('Overloaded.', { synthetic: { error: 'overloaded', status: 529 }, stop: 'stop_sequence' }),
    );
    expect(buildResult({ reason: 'api_error', turnCount: 1 }, outcome, FACTS, LIMITS)).toMatchObject({
      result: 'Overloaded.',
      is_error: true,
      api_error_status: 529,
    });
  });
  it('counts a turn for each user message', () => {
    const outcome = createOutcome();
    const user = {
      type: 'user' as const,
      uuid: 'x',
      timestamp: '',
      message: { role: 'user' as const, content: 'x' },
    };
    outcome.observe(user);
    outcome.observe(user);
    expect(finish(outcome).num_turns).toBe(3);
  });
});
