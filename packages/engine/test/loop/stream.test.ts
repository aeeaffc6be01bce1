import {
  broken,
  callTool,
  deferred,
  fallback,
  hang,
  loopDeps,
  loopParams,
  pause,
  recorder,
  reply,
  retries,
  say,
  scriptedModel,
  scriptedTools,
  think,
  unfinished,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { LoopMessage } from '../../src/protocol/model/messages.ts';
import { messageByMessage, outline, run, texts, transitionsOf } from './run.ts';

describe('record, start, yield (L4.1)', () => {
  it('a tool runs while the response still streams, also with a consumer that stops reading', async () => {
    const started = deferred<void>();
    const gate = deferred<void>();
    const model = scriptedModel([reply([callTool('T'), pause(gate.promise), say('tail')]), say('Done.')]);
    const tools = scriptedTools({
      T: () => {
        started.resolve();
        return 'x';
      },
    });
    const loop = messageByMessage(loopParams(), loopDeps({ callModel: model.callModel, tools }));
    let message = (await loop.next()).value as LoopMessage;
    while (message.type !== 'assistant') message = (await loop.next()).value as LoopMessage;
    await started.promise; // nobody asks for more, yet the tool has run
    gate.resolve();
    const rest: LoopMessage[] = [];
    for await (const next of loop) rest.push(next);
    expect(outline(rest)).toContain('tool_result');
    model.assertComplete();
  });

  it('a request is sent as soon as it is recorded, also with a consumer that holds its announcement', async () => {
    const sent = deferred<void>();
    const journal = recorder();
    const { callModel } = scriptedModel([say('Done.')]);
    const loop = messageByMessage(
      loopParams(),
      loopDeps({
        recorder: journal,
        async *callModel(request, options) {
          yield { kind: 'attempt', attempt: 1, bytes: 1, maxTokens: 1 };
          expect(journal.ofType('request')).toHaveLength(1);
          sent.resolve();
          return yield* callModel(request, options);
        },
      }),
    );
    expect((await loop.next()).value).toMatchObject({ type: 'stream_request_start' });
    await sent.promise; // nobody asks for more, yet it is sent
    const rest: LoopMessage[] = [];
    for await (const next of loop) rest.push(next);
    expect(outline(rest)).toContain('text');
  });

  it('a request is written at the end of the tick it is made in, and its announcement is handed on behind that', async () => {
    let written = false;
    const { callModel } = scriptedModel([say('Done.')]);
    const loop = messageByMessage(
      loopParams(),
      loopDeps({
        async *callModel(request, options) {
          yield { kind: 'attempt', attempt: 1, bytes: 1, maxTokens: 1 };
          // As Node's HTTP client does.
          process.nextTick(() => {
            written = true;
          });
          return yield* callModel(request, options);
        },
      }),
    );
    expect((await loop.next()).value).toMatchObject({ type: 'stream_request_start' });
    expect(written).toBe(true);
    for await (const _ of loop);
  });

  it('what is yielded is recorded before it is seen, and a call before it starts', async () => {
    const journal = recorder();
    const atStart: number[] = [];
    const model = scriptedModel([callTool('T'), say('Done.')]);
    const tools = scriptedTools({
      T: () => {
        atStart.push(journal.ofType('assistant').filter((body) => body.settled !== true).length);
        return 'x';
      },
    });
    for await (const message of messageByMessage(
      loopParams(),
      loopDeps({ callModel: model.callModel, tools, recorder: journal }),
    )) {
      if (!('uuid' in message) || message.type === 'tombstone' || message.type === 'progress') continue;
      expect(journal.bodies.some((body) => 'uuid' in body && body.uuid === message.uuid)).toBe(true);
    }
    expect(atStart).toEqual([1]);
  });

  it('journal order of answers that come in one read: request, block, response, result, decision', async () => {
    const { bodies } = await run({ steps: [callTool('T'), say('Done.')], tools: { T: 'x' } });
    expect(bodies.map((body) => body.type)).toEqual([
      'request',
      'assistant',
      'response',
      'user',
      'decision',
      'request',
      'assistant',
      'response',
      'decision',
    ]);
    const ends = bodies.flatMap((body) => (body.type === 'assistant' ? [body.message.stop_reason] : []));
    expect(ends).toEqual(['tool_use', 'end_turn']);
  });

  it('an answer in small pieces: its last block is recorded again, with the usage', async () => {
    const bitwise = { eventsPerBatch: 1 };
    const steps = [reply([callTool('T')], bitwise), reply([say('Done.')], bitwise)];
    const { bodies } = await run({ steps, tools: { T: 'x' } });
    expect(bodies.map((body) => body.type)).toEqual([
      'request',
      'assistant',
      'user', // its tool was done before the answer was
      'response',
      'assistant',
      'decision',
      'request',
      'assistant',
      'response',
      'assistant',
      'decision',
    ]);
    const settled = bodies.filter((body) => body.type === 'assistant' && body.settled === true);
    expect(settled.map((body) => body.type === 'assistant' && body.message.stop_reason)).toEqual([
      'tool_use',
      'end_turn',
    ]);
    const ids = bodies
      .filter((body) => !settled.includes(body))
      .map((body) => ('id' in body ? body.id : body.uuid));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a tool result is shown as soon as its tool ends, while the model is silent', async () => {
    const gate = deferred<void>();
    const { messages } = await run({
      steps: [reply([callTool('T'), pause(gate.promise), say('tail')]), say('Done.')],
      tools: { T: 'x' },
      onMessage: (message) => {
        if (message.type === 'user') gate.resolve(); // the stream goes on only once the result was seen
      },
    });
    expect(outline(messages)).toEqual(['tool_use', 'tool_result', 'text', 'text']);
  });

  it('with partial messages the raw events pass in order and a block’s message stands right before its stop event', async () => {
    const { messages } = await run({
      steps: [say('Hi.', { chunkChars: 1 })],
      params: { includePartialMessages: true },
    });
    const order = messages.flatMap((m) =>
      m.type === 'stream_events'
        ? m.events.map(({ type }) => type)
        : m.type === 'assistant'
          ? ['ASSISTANT']
          : [],
    );
    expect(order).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'ASSISTANT',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('F08 F120 blank text and unsigned thinking are never recorded', async () => {
    const { bodies, messages } = await run({
      steps: [reply([think('hm', { signature: '' }), say('  \n'), callTool('T')]), say('Done.')],
      tools: { T: 'x' },
    });
    expect(bodies.filter((body) => body.type === 'assistant' && body.settled === undefined)).toHaveLength(2);
    expect(outline(messages)).toEqual(['tool_use', 'tool_result', 'text']);
  });
});

describe('ids of calls', () => {
  it('F06 two calls with one id, or without any, get ids of their own before they are recorded', async () => {
    const { bodies, tools } = await run({
      steps: [
        reply([callTool('T', { n: 1 }, { id: 'same' }), callTool('T', { n: 2 }, { id: 'same' })]),
        say('Done.'),
      ],
      tools: { T: 'x' },
    });
    const called = bodies.flatMap((body) =>
      body.type === 'assistant' && body.settled === undefined
        ? body.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        : [],
    );
    expect(new Set(called).size).toBe(2);
    expect(tools.added.map((call) => call.block.id)).toEqual(called);
  });
});

describe('a stream that breaks (L4.3)', () => {
  it('F38 cut after text: retracted and asked again, streaming, as an attempt of L8', async () => {
    const { messages, requests } = await run({ steps: [broken({ after: [say('Half')] }), say('Whole.')] });
    expect(outline(messages)).toEqual(['text', 'tombstone:1', 'system:api_retry', 'text']);
    expect(requests[1]).toMatchObject({ stream: true, options: { after: { immediate: false } } });
    expect(texts(messages)).toEqual(['Half', 'Whole.']);
  });

  it.each(['stream_error', 'stalled'] as const)(
    '%s: asked once more at once, without streaming; then as an attempt',
    async (kind) => {
      const { requests } = await run({
        steps: [broken({ failure: { kind } }), broken({ failure: { kind } }), say('Whole.')],
      });
      expect(requests.map((r) => [r.stream, r.options.after?.immediate])).toEqual([
        [true, undefined],
        [false, true],
        [true, false],
      ]);
    },
  );

  it('an open block is dropped, an unfinished call never runs (F03)', async () => {
    const { tools, messages } = await run({
      steps: [
        broken({ after: [unfinished({ type: 'tool_use', id: 'x', name: 'T', input: {} })] }),
        say('ok'),
      ],
      tools: { T: 'x' },
    });
    expect(tools.added).toEqual([]);
    expect(outline(messages)).toEqual(['system:api_retry', 'text']);
  });

  it('F39 a tool that already ran is not run again', async () => {
    const { tools, requests } = await run({
      steps: [broken({ after: [callTool('T', {}, { id: 'once' })] }), say('ok')],
      tools: { T: 'x' },
    });
    expect(tools.added).toHaveLength(1);
    expect(requests).toHaveLength(2);
  });

  it('usage of a broken response counts and is flagged as waste', async () => {
    const { decisions, deps } = await run({ steps: [broken({ after: [say('Half')] }), say('Whole.')] });
    const { settled } = deps.ledger as unknown as { settled: { wasted?: boolean }[] };
    expect(settled.map((spent) => spent.wasted ?? false)).toEqual([true, false]);
    expect(decisions[0]?.attempts).toHaveLength(2);
  });
});

describe('model fallback (L4.4)', () => {
  it('takes back what was shown, switches for the rest of the submission, names both models', async () => {
    const { messages, requests, decisions } = await run({
      steps: [fallback(), callTool('T'), say('Done.')],
      tools: { T: 'x' },
      params: { model: 'first', fallbackModels: ['second', 'third'] },
    });
    expect(requests.map((request) => request.model)).toEqual(['first', 'second', 'second']);
    expect(messages.find((m) => m.type === 'system')).toMatchObject({
      subtype: 'model_fallback',
      original_model: 'first',
      fallback_model: 'second',
    });
    expect(decisions[0]?.fallback).toEqual({ from: 'first', to: 'second', trigger: 'overloaded' });
  });

  it('each fallback is tried at most once', async () => {
    const { terminal, requests } = await run({
      steps: [fallback(), fallback()],
      params: { model: 'a', fallbackModels: ['b'] },
    });
    expect(terminal.reason).toBe('api_error');
    expect(requests.map((r) => [r.model, r.fallsBackOn])).toEqual([
      ['a', ['overloaded', 'stalled', 'model_not_found', 'refusal']],
      ['b', undefined],
    ]);
  });
});

describe('ending early', () => {
  it('return() ends a loop whose model never answers, and closes what it opened', async () => {
    const model = scriptedModel([hang()]);
    const params = loopParams();
    const loop = messageByMessage(params, loopDeps({ callModel: model.callModel }));
    const pending = (async () => {
      for (;;) if ((await loop.next()).done) return;
    })();
    await new Promise((resolve) => setImmediate(resolve));
    await loop.return({ kind: 'stop', terminal: { reason: 'completed', turnCount: 0 } });
    await pending;
    expect(params.scope.signal.reason).toBe('returned');
  });

  it('a consumer that leaves in the middle: open calls are answered in the journal (L10.1)', async () => {
    const journal = recorder();
    const model = scriptedModel([callTool('T')]);
    const tools = scriptedTools({ T: () => new Promise<string>(() => {}) });
    const loop = messageByMessage(
      loopParams(),
      loopDeps({ callModel: model.callModel, tools, recorder: journal }),
    );
    for await (const message of loop) if (message.type === 'assistant') break;
    expect(journal.ofType('user')).toHaveLength(1);
    expect(journal.ofType('decision')).toHaveLength(1);
  });

  it('a consumer that leaves between two results that were ready at once loses neither from the journal', async () => {
    const journal = recorder();
    const model = scriptedModel([reply([callTool('T'), callTool('T')])]);
    const loop = messageByMessage(
      loopParams(),
      loopDeps({ callModel: model.callModel, tools: scriptedTools({ T: 'x' }), recorder: journal }),
    );
    for await (const message of loop) if (message.type === 'user') break;
    expect(journal.ofType('user')).toHaveLength(2);
  });

  it('retries are shown and recorded', async () => {
    const { messages } = await run({ steps: [retries([{}, {}], say('ok'))] });
    expect(outline(messages)).toEqual(['system:api_retry', 'system:api_retry', 'text']);
  });
});

describe('the decision record', () => {
  it('says what each rule read, and who decided: the last one listed', async () => {
    const { decisions } = await run({ steps: [callTool('T')], tools: { T: 'x' }, params: { maxTurns: 1 } });
    const [record] = decisions;
    expect(record?.rules.map((rule) => rule.name)).toEqual([
      'aborted',
      'unexpected_error',
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
      'tool_ended_turn',
      'turn_limit',
    ]);
    expect(record?.rules.at(-1)).toMatchObject({ verdict: 'stop', read: { calls: 1 } });
    expect(record?.decision).toMatchObject({ kind: 'stop', terminal: 'max_turns' });
    expect(JSON.stringify(record).length).toBeLessThan(3_000);
  });

  it('an outer verdict is written when the consumer ends the loop for money', async () => {
    const journal = recorder();
    const model = scriptedModel([callTool('T')]);
    const deps = loopDeps({
      callModel: model.callModel,
      tools: scriptedTools({ T: 'x' }),
      recorder: journal,
      guard: {
        verdict: () => ({ reason: 'budget_exhausted', turnCount: 1 }),
        structuredOutput: () => ({ accepted: false }),
      },
    });
    for await (const message of messageByMessage(loopParams(), deps)) if (message.type === 'assistant') break;
    expect(journal.ofType('decision')[0]?.record.decision).toMatchObject({ terminal: 'budget_exhausted' });
  });

  it('names the transition that led to an iteration', async () => {
    const { decisions } = await run({ steps: [callTool('T'), say('x')], tools: { T: 'x' } });
    expect(decisions.map((record) => record.in)).toEqual([undefined, 'next_turn']);
    expect(transitionsOf(decisions)).toEqual(['next_turn']);
  });
});
