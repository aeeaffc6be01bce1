import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type {
  CallOptions,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '@turnwright/engine/protocol/model/model.ts';
import { FRESH_RETRY_STATE } from '@turnwright/engine/protocol/model/model.ts';
import type { StreamEvent } from '@turnwright/engine/protocol/model/wire.ts';
import { describe, expect, it } from 'vitest';
import {
  broken,
  callTool,
  deferred,
  fail,
  fallback,
  hang,
  pause,
  reply,
  retries,
  type ScriptStep,
  say,
  scriptedModel,
  think,
  throws,
  UnexpectedModelCallError,
  unfinished,
  userMessage,
  virtualClock,
} from '../../src/testing/index.ts';

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    querySource: 'main',
    foreground: true,
    effectKey: 'submission-1/1/1/request',
    sessionId: 'session-1',
    model: 'test-model',
    system: [],
    view: PersistentList.from<ViewMessage>([userMessage('What is in the box?')]),
    tools: [],
    maxTokens: 8_000,
    stream: true,
    ...more,
  };
}

function options(signal = new AbortController().signal): CallOptions {
  return { signal, retry: FRESH_RETRY_STATE };
}

interface Called {
  readonly outputs: ModelOutput[];
  readonly events: StreamEvent[];
  readonly outcome: ModelOutcome;
}

async function call(step: ScriptStep, more: Partial<ModelRequest> = {}, given = options()): Promise<Called> {
  const run = scriptedModel([step]).callModel(request(more), given);
  const outputs: ModelOutput[] = [];
  for (;;) {
    const next = await run.next();
    if (next.done) {
      const events = outputs.flatMap((output) => (output.kind === 'events' ? output.events : []));
      return { outputs, events, outcome: next.value };
    }
    outputs.push(next.value);
  }
}

const batches = (called: Called) => called.outputs.filter((output) => output.kind === 'events');

describe('an answer', () => {
  it('streams as the Messages API does, from message_start to message_stop', async () => {
    const called = await call(say('Hello.'));
    expect(called.events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(called.outputs[0]).toMatchObject({ kind: 'attempt', attempt: 1, maxTokens: 8_000 });
    expect(called.events[4]).toMatchObject({
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 5 },
    });
    expect(called.outcome).toMatchObject({
      kind: 'complete',
      attempts: [{ outcome: 'complete', model: 'test-model' }],
    });
  });

  it('combines thinking, text and calls; calls without an id are numbered and end in tool_use', async () => {
    const { events } = await call(
      reply([think(), say('Looking.'), callTool('Read', { path: 'a' }), callTool('Read')]),
    );
    const starts = events
      .filter((event) => event.type === 'content_block_start')
      .map((event) => event.content_block);
    expect(starts).toMatchObject([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'text', text: '' },
      { type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} },
      { type: 'tool_use', id: 'toolu_2' },
    ]);
    expect(events).toContainEqual({
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'input_json_delta', partial_json: '{"path":"a"}' },
    });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  it('takes a stop reason, usage, raw input, and sizes of deltas and batches', async () => {
    const called = await call(
      reply([callTool('Edit', {}, { id: 'a', rawInput: '{"pa' })], {
        stopReason: 'max_tokens',
        usage: { output_tokens: 8_000 },
        chunkChars: 2,
        eventsPerBatch: 3,
      }),
    );
    const deltas = called.events
      .filter((event) => event.type === 'content_block_delta')
      .map((event) => event.delta);
    expect(deltas).toEqual([
      { type: 'input_json_delta', partial_json: '{"' },
      { type: 'input_json_delta', partial_json: 'pa' },
    ]);
    expect(batches(called).map((batch) => batch.events.length)).toEqual([3, 3, 1]);
    expect(called.events.at(-2)).toMatchObject({
      delta: { stop_reason: 'max_tokens' },
      usage: { output_tokens: 8_000 },
    });
  });

  it('comes as one batch when it does not stream', async () => {
    const called = await call(reply([say('a'), say('b')], { eventsPerBatch: 1 }), { stream: false });
    expect(batches(called)).toHaveLength(1);
  });

  it('may depend on the request', async () => {
    const { events } = await call((asked) => say(`You asked for ${asked.maxTokens}.`));
    expect(events).toContainEqual(
      expect.objectContaining({ delta: { type: 'text_delta', text: 'You asked for 8000.' } }),
    );
  });

  it('stands still at a pause until the test lets it go on', async () => {
    const gate = deferred();
    const run = scriptedModel([reply([say('a'), pause(gate.promise), say('b')])]).callModel(
      request(),
      options(),
    );
    await run.next();
    const before = await run.next();
    expect(before.value).toMatchObject({ kind: 'events', ttftMs: 0 });
    let arrived = false;
    const pending = run.next().then((next) => {
      arrived = true;
      return next;
    });
    await virtualClock().settle();
    expect(arrived).toBe(false);
    gate.resolve();
    expect((await pending).value).toMatchObject({ kind: 'events' });
  });
});

describe('a failure', () => {
  it.each([
    [fail({ kind: 'prompt_too_long', status: 400 }), 'prompt_too_long'],
    [fallback(), 'overloaded'],
  ] as const)('before a message has begun is an outcome without events', async (step, failureKind) => {
    const { events, outcome } = await call(step);
    expect(events).toEqual([]);
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { kind: failureKind },
      attempts: [{ outcome: failureKind }],
    });
  });

  it('broken stops after what was sent, with a block left open when asked to', async () => {
    const { events, outcome } = await call(
      broken({ after: [say('a'), unfinished({ type: 'text', text: 'half' })], failure: { kind: 'stalled' } }),
    );
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
    ]);
    expect(outcome).toMatchObject({ kind: 'broken', failure: { kind: 'stalled' } });
  });

  it('retries are reported, counted in the state that is handed back, and recorded as attempts', async () => {
    const { outputs, outcome } = await call(retries([{ delayMs: 1 }, {}], say('At last.')));
    expect(outputs.map((output) => output.kind)).toEqual([
      'attempt',
      'retry',
      'attempt',
      'retry',
      'attempt',
      'events',
    ]);
    expect(outcome.retry.retries).toBe(2);
    expect(outcome.attempts.map((attempt) => attempt.outcome)).toEqual([
      'overloaded',
      'overloaded',
      'complete',
    ]);
  });

  it('a throw reaches the caller', async () => {
    await expect(call(throws(new Error('a bug')))).rejects.toThrow('a bug');
  });
});

describe('abort', () => {
  it('ends a hanging stream as an outcome', async () => {
    const controller = new AbortController();
    const called = call(hang(say('a')), {}, options(controller.signal));
    controller.abort('user');
    expect((await called).outcome).toMatchObject({ kind: 'aborted', attempts: [{ outcome: 'aborted' }] });
  });

  it('ends a pause that nothing else would end', async () => {
    const controller = new AbortController();
    const called = call(pause(new Promise(() => {})), {}, options(controller.signal));
    await virtualClock().settle();
    controller.abort('user');
    expect((await called).outcome.kind).toBe('aborted');
  });
});

describe('the script', () => {
  it('names a request it has no step for, and remembers it', async () => {
    const model = scriptedModel([]);
    const error = await model
      .callModel(request(), options())
      .next()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnexpectedModelCallError);
    expect(String(error)).toContain('Model call 1');
    expect(String(error)).toContain('main as submission-1/1/1/request');
    expect(String(error)).toContain('What is in the box?');
    expect(() => model.assertComplete()).toThrow(UnexpectedModelCallError);
  });

  it('complains of steps that were not used', () => {
    expect(() => scriptedModel([say('a'), say('b')]).assertComplete()).toThrow('2 of 2 scripted answers');
  });

  it('keeps requests as they were, although the view grows', async () => {
    const model = scriptedModel([say('a')]);
    const view = PersistentList.from<ViewMessage>([userMessage('one')]);
    await model.callModel(request({ view }), options()).next();
    view.append([userMessage('two')]);
    expect(model.requests[0]?.view).toHaveLength(1);
    model.assertComplete();
  });
});
