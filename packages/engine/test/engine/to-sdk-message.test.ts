import { sequentialIds, virtualClock } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { createSdkMapper } from '../../src/engine/output/to-sdk-message.ts';
import type {
  AssistantMessage,
  LoopMessage,
  TombstoneMessage,
  UserMessage,
} from '../../src/protocol/model/messages.ts';
import { EMPTY_USAGE, type StreamEvent } from '../../src/protocol/model/wire.ts';
import type { SDKPartialAssistantMessage } from '../../src/protocol/stream/sdk-messages.ts';

const stamp = (uuid: string) => ({ uuid, timestamp: '2026-01-01T00:00:00.000Z' });
const assistant = (uuid: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  ...stamp(uuid),
  type: 'assistant',
  message: {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: uuid }],
    stop_reason: null,
    stop_sequence: null,
    usage: EMPTY_USAGE,
  },
  ...more,
});
const user = (uuid: string, more: Partial<UserMessage> = {}): UserMessage => ({
  ...stamp(uuid),
  type: 'user',
  message: { role: 'user', content: uuid },
  ...more,
});
const tombstone = (uuids: string[], reason: TombstoneMessage['reason'] = 'superseded'): TombstoneMessage => ({
  ...stamp('t'),
  type: 'tombstone',
  uuids,
  reason,
});

const mapper = (more: Partial<Parameters<typeof createSdkMapper>[0]> = {}) =>
  createSdkMapper({
    sessionId: 's',
    ids: sequentialIds(),
    clock: virtualClock(),
    includePartialMessages: false,
    replayUserMessages: false,
    verbose: false,
    ...more,
  });

describe('what consumers see', () => {
  it('a message that takes the place of others names them (L4.5)', () => {
    const sdk = mapper();
    expect(sdk.map(tombstone(['a', 'b']))).toEqual([]);
    expect(sdk.map(assistant('c'))).toMatchObject([
      { type: 'assistant', uuid: 'c', supersedes: ['a', 'b'], session_id: 's', parent_tool_use_id: null },
    ]);
    expect(sdk.map(assistant('d'))[0]).not.toHaveProperty('supersedes');
  });
  it('the user message that asks again names the retracted messages, and the next answer replaces them', () => {
    const sdk = mapper();
    expect(sdk.map(tombstone(['a'], 'unusable'))).toEqual([]);
    expect(sdk.map(user('u', { kind: 'nudge' }))).toMatchObject([
      { type: 'user', retracted_message_uuids: ['a'] },
    ]);
    expect(sdk.map(assistant('b'))).toMatchObject([{ uuid: 'b', supersedes: ['a'] }]);
    sdk.map(tombstone(['b'], 'unusable'));
    expect(sdk.map(user('v', { kind: 'nudge' }))).toMatchObject([{ retracted_message_uuids: ['b'] }]);
    expect(sdk.flush()).toEqual([]);
  });
  it('what nothing takes the place of is named in a notice', () => {
    const sdk = mapper();
    sdk.map(tombstone(['c']));
    expect(sdk.flush()).toMatchObject([
      { type: 'system', subtype: 'informational', retracted_message_uuids: ['c'] },
    ]);
    expect(sdk.flush()).toEqual([]);
  });
  it('the first message of an answer names the prompt that it answers', () => {
    const sdk = mapper({ userMessageUuids: ['p'] });
    expect(sdk.map(assistant('a'))).toMatchObject([{ user_message_uuid: 'p', user_message_uuids: ['p'] }]);
    expect(sdk.map(assistant('b'))[0]).not.toHaveProperty('user_message_uuid');
  });
  it('a block of thinking says how long it took and in which form it was asked for', () => {
    const sdk = mapper();
    expect(sdk.map(assistant('a', { thought: { durationMs: 40, display: 'summarized' } }))).toMatchObject([
      { thinking_duration_ms: 40, thinking_display: 'summarized' },
    ]);
    const [plain] = sdk.map(assistant('b', { thought: { durationMs: 5 } }));
    expect(plain).toMatchObject({ thinking_duration_ms: 5 });
    expect(plain).not.toHaveProperty('thinking_display');
  });
  it('stream events name the prompt once, and the form of thinking where it bears on them', () => {
    const sdk = mapper({ userMessageUuids: ['p'], includePartialMessages: true });
    expect(sdk.map({ type: 'stream_request_start', iteration: 1, turnCount: 1 })).toMatchObject([
      { status: 'requesting', user_message_uuids: ['p'] },
    ]);
    const events: readonly StreamEvent[] = [
      { type: 'message_start', message: { ...assistant('m').message, content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: '', signature: '' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    ];
    const shown = sdk.map({ type: 'stream_events', events, model: 'm', thinkingDisplay: 'omitted' });
    const facts = shown as readonly SDKPartialAssistantMessage[];
    expect(facts.map(({ thinking_display }) => thinking_display)).toEqual([
      'omitted',
      'omitted',
      'omitted',
      undefined,
      undefined,
    ]);
    expect(facts.map(({ user_message_uuid }) => user_message_uuid)).toEqual([
      'p',
      ...Array(4).fill(undefined),
    ]);
    expect(facts[0]).toMatchObject({ user_message_uuids: ['p'], api_message_id: 'msg' });
    expect(sdk.map({ type: 'stream_events', events, model: 'm' })[0]).not.toHaveProperty('user_message_uuid');
    expect(sdk.map(assistant('a'))).toMatchObject([{ user_message_uuid: 'p' }]);
  });
  it('an error that the engine wrote carries its kind and status', () => {
    const [shown] = mapper().map(assistant('e', { synthetic: { error: 'rate_limit', status: 429 } }));
    expect(shown).toMatchObject({ error: 'rate_limit', is_api_error_message: true, api_error_status: 429 });
  });
  it('stream events only with partial messages', () => {
    const start: StreamEvent = {
      type: 'message_start',
      message: { ...assistant('m').message, content: [] },
    };
    const event: LoopMessage = {
      type: 'stream_events',
      events: [start, { type: 'ping' }],
      model: 'm',
      ttftMs: 12,
    };
    expect(mapper().map(event)).toEqual([]);
    expect(mapper({ includePartialMessages: true }).map(event)).toMatchObject([
      { type: 'stream_event', event: { type: 'message_start' }, ttft_ms: 12 },
      { type: 'stream_event', event: { type: 'ping' } },
    ]);
    expect(
      mapper({ includePartialMessages: true }).map({
        type: 'stream_request_start',
        iteration: 1,
        turnCount: 1,
      }),
    ).toMatchObject([{ subtype: 'status', status: 'requesting' }]);
  });
  it('a tool result with its structured output, synthetic messages marked', () => {
    expect(mapper().map(user('r', { toolUseResult: { a: 1 }, isSynthetic: true }))).toMatchObject([
      { type: 'user', tool_use_result: { a: 1 }, isSynthetic: true },
    ]);
  });
  it('attachments are not shown, but a queued prompt that joined is replayed when asked for', () => {
    const queued: LoopMessage = {
      ...stamp('q'),
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: 'And also this.', sourceUuid: 'mine' },
      rendered: [{ type: 'text', text: 'And also this.' }],
    };
    expect(mapper().map(queued)).toEqual([]);
    const replaying = mapper({ replayUserMessages: true });
    // Until it has joined, the turn may still give it back.
    expect([...replaying.map(queued), ...replaying.flush()]).toEqual([]);
    replaying.joined(() => false);
    expect(replaying.flush()).toMatchObject([
      { type: 'user', isReplay: true, uuid: 'mine', message: { content: 'And also this.' } },
    ]);
    const verbose = mapper({ verbose: true });
    expect(verbose.map(queued)).toMatchObject([{ subtype: 'informational' }]);
    // Of what is for the record alone, nothing was added for the model.
    expect(verbose.map({ ...queued, rendered: [] })).toEqual([]);
  });
  it('system messages as they are, without inner fields', () => {
    const [shown] = mapper().map({
      ...stamp('w'),
      type: 'system',
      subtype: 'informational',
      level: 'warning',
      content: 'Nearly full.',
    });
    expect(shown).toEqual({
      type: 'system',
      subtype: 'informational',
      level: 'warning',
      content: 'Nearly full.',
      uuid: 'w',
      session_id: 's',
    });
  });
  it('progress says how long its tool has been running', async () => {
    const clock = virtualClock();
    const sdk = mapper({ clock });
    sdk.map(
      assistant('a', {
        message: {
          ...assistant('a').message,
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }],
        },
      }),
    );
    await clock.advance(1500);
    const [shown] = sdk.map({
      ...stamp('p'),
      type: 'progress',
      toolUseId: 'toolu_1',
      toolName: 'Bash',
      data: { type: 'output' },
    });
    expect(shown).toMatchObject({ type: 'tool_progress', tool_use_id: 'toolu_1', elapsed_time_seconds: 1.5 });
  });
});
