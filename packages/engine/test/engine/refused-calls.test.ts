/** The calls of an answer that ends as a refusal: what has not started does not run, what runs is stopped. */

import { collect, engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { skippingClock } from '@turnwright/test/model/skipping-clock.ts';
import { type OpenedWire, WIRES } from '@turnwright/test/model/wires/open-wires.ts';
import {
  callTool,
  deferred,
  type FakeToolOptions,
  fakeTool,
  pause,
  type Reply,
  recordingStore,
  reply,
  say,
  sequentialIds,
} from '@turnwright/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

const NEVER_RAN = 'The answer that made this call ended as a refusal, so it did not run.';
const STOPPED =
  'The answer that made this call ended as a refusal while the tool was running, so it was stopped. ' +
  'It may have run in part: check what it did before repeating it.';

/** Texts of the results, by the id of the call. */
const resultsIn = (messages: readonly SDKMessage[]): Record<string, unknown> =>
  Object.fromEntries(
    messages.flatMap((message) =>
      message.type === 'user' && Array.isArray(message.message.content)
        ? message.message.content.flatMap((block) =>
            block.type === 'tool_result' ? [[block.tool_use_id, block.content]] : [],
          )
        : [],
    ),
  );

const announced = (messages: readonly SDKMessage[]) =>
  messages.filter((m) => m.type === 'system' && m.subtype === 'model_refusal_no_fallback').length;

const change = (id: string) => callTool('Change', { n: 1 }, { id });
const look = (id: string) => callTool('Look', { n: 1 }, { id });
/** Without an input: the event behind it tells whether it was cut. */
const bare = (id: string) => callTool('Change', {}, { id });

function refusing(
  answers: readonly Reply[],
  config: Partial<QueryEngineConfig> = {},
  how: Partial<FakeToolOptions> = {},
) {
  const Change = fakeTool({ name: 'Change', ...how });
  const Look = fakeTool({ name: 'Look', readOnly: true, concurrencySafe: true, effectClass: 'pure' });
  const under = engineUnderTest(answers, { tools: [Change, Look], ...config });
  return { Change, Look, ...under };
}

describe('a refusal that is at hand', () => {
  const reads = { 'in the same read': {}, 'in reads of their own': { eventsPerBatch: 1 } };
  const answers: Readonly<Record<string, readonly Reply[]>> = {
    'a call with effects': [change('a')],
    'a call without an input': [bare('a')],
    'a call that only reads': [look('a')],
    'a text, and several calls': [say('Hm.'), look('a'), change('b'), bare('c')],
    'calls, and a text': [change('a'), look('b'), say('No, I will not.')],
  };
  const rows = Object.keys(answers).flatMap((what) =>
    Object.keys(reads).map((where) => [what, where] as const),
  );
  const answerOf = (what: string, where: string) =>
    reply(answers[what] ?? [], { stopReason: 'refusal', ...reads[where as keyof typeof reads] });

  it.each(rows)('%s, %s, with no other model: nothing runs', async (what, where) => {
    const { run, Change, Look, model } = refusing([answerOf(what, where)]);
    const messages = await run('Do it.');
    expect([...Change.calls, ...Look.calls]).toEqual([]);
    const calls = (answers[what] ?? []).filter((part) => !JSON.stringify(part).includes('"text"'));
    const results = Object.values(resultsIn(messages));
    expect(results).toHaveLength(calls.length);
    expect(new Set(results)).toEqual(new Set([NEVER_RAN]));
    expect(resultIn(messages)).toMatchObject({ stop_reason: 'refusal', terminal_reason: 'completed' });
    expect(model.requests).toHaveLength(1);
    expect(announced(messages)).toBe(1);
  });

  it.each(rows)('%s, %s, with a fallback model: nothing of it runs, or stays', async (what, where) => {
    const fallbackModel = 'claude-haiku-4-5';
    const answers = [answerOf(what, where), say('Gladly.')];
    const { run, Change, Look, model } = refusing(answers, { fallbackModel });
    const messages = await run('Do it.');
    expect([...Change.calls, ...Look.calls]).toEqual([]);
    expect(resultsIn(messages)).toEqual({});
    expect(resultIn(messages)).toMatchObject({ result: 'Gladly.', stop_reason: 'end_turn' });
    expect(model.requests.map(({ model }) => model)).toEqual([model.requests[0]?.model, fallbackModel]);
    expect(JSON.stringify(model.requests[1]?.view.slice())).not.toContain('tool_use');
  });
});

describe('a refusal that comes later', () => {
  it('stops what runs, and keeps what waits from running', async () => {
    const refused = deferred<void>();
    const answer = reply([change('a'), look('b'), pause(refused.promise)], { stopReason: 'refusal' });
    const { run, Change, Look } = refusing([answer], {}, { hold: true });
    const running = run('Do it.');
    const { context } = await Change.started();
    refused.resolve();
    const messages = await running;
    expect(context.signal.aborted).toBe(true);
    expect(Look.calls).toEqual([]);
    expect(resultsIn(messages)).toEqual({ a: STOPPED, b: NEVER_RAN });
    expect(resultIn(messages)).toMatchObject({ stop_reason: 'refusal', terminal_reason: 'completed' });
  });

  it('keeps the result of what has run by then', async () => {
    const refused = deferred<void>();
    const answer = reply([look('a'), change('b'), pause(refused.promise), change('c')], {
      stopReason: 'refusal',
    });
    const { engine, Change, Look, model } = refusing([answer]);
    const messages: SDKMessage[] = [];
    for await (const message of engine.submitMessage('Do it.')) {
      messages.push(message);
      if (Object.keys(resultsIn(messages)).length === 2) refused.resolve();
    }
    expect([Look.calls.length, Change.calls.length]).toEqual([1, 1]);
    expect(resultsIn(messages)).toEqual({ a: 'done', b: 'done', c: NEVER_RAN });
    expect(resultIn(messages).stop_reason).toBe('refusal');
    expect(model.requests).toHaveLength(1);
  });

  it('a call is not held for what has not arrived', async () => {
    const answer = reply([change('a'), pause(new Promise<void>(() => {}))]);
    const { engine, Change } = refusing([answer]);
    const running = collect(engine.submitMessage('Do it.'));
    await Change.started();
    await engine.close();
    await running;
    expect(Change.calls).toHaveLength(1);
  });
});

describe('a refusal that is recorded', () => {
  /** The journal of a process that ended right behind the record of `last`, and a session that goes on there. */
  async function cutBehind(last: 'response' | 'intent', effectClass: 'pure' | 'unsafe' = 'unsafe') {
    const refused = deferred<void>();
    const first = refusing(
      [
        reply([change('a'), pause(last === 'intent' ? refused.promise : Promise.resolve())], {
          stopReason: 'refusal',
        }),
      ],
      {},
      { hold: true, effectClass },
    );
    const running = first.run('Do it.');
    if (last === 'intent') await first.Change.started();
    refused.resolve();
    await running;
    const { sessionId } = first.engine;
    const entries = first.store.entries(sessionId);
    // The end of a response is one write: the last block comes with it where it was recorded before.
    const end = entries.findIndex(({ type }) => type === 'response') + 1;
    const { settled } = { settled: false, ...entries[end] };
    const store = recordingStore();
    const { epoch } = await store.takeOver(sessionId);
    await store.append(sessionId, epoch, 0, entries.slice(0, settled ? end + 1 : end));
    const again = fakeTool({ name: 'Change', effectClass });
    const next = engineUnderTest([], {
      store,
      resume: sessionId,
      tools: [again],
      ids: sequentialIds(1000),
    });
    return { again, ...next, store };
  }

  it.each([
    ['before its call began', 'response', 'unsafe', NEVER_RAN],
    ['while its call ran', 'intent', 'unsafe', 'Interrupted, outcome unknown'],
    ['while its call ran, which may be repeated', 'intent', 'pure', 'Interrupted, outcome unknown'],
  ] as const)('holds for a process that ended %s', async (_, last, effectClass, text) => {
    const { engine, again, model, store } = await cutBehind(last, effectClass);
    const messages = await collect(engine.resume());
    expect(again.calls).toEqual([]);
    expect(model.requests).toEqual([]);
    expect(resultIn(messages)).toMatchObject({ stop_reason: 'refusal', terminal_reason: 'completed' });
    expect(JSON.stringify(store.entries(engine.sessionId))).toContain(text);
  });
});

describe('on each wire', () => {
  let opened: OpenedWire;
  afterEach(() => opened?.dispose());

  it.each(Object.keys(WIRES) as (keyof typeof WIRES)[])(
    '%s: the call of a refusal does not run',
    async (name) => {
      opened = await WIRES[name]({ clock: skippingClock(), random: () => 0, maxRetries: 0 });
      const { client, server, model } = opened;
      server.answerWith({
        kind: 'message',
        parts: [
          { kind: 'text', text: 'Hm.' },
          { kind: 'call', id: 'call_1', name: 'Change', input: { n: 1 } },
        ],
        stop: 'refusal',
      });
      const Change = fakeTool({ name: 'Change' });
      const { run } = engineUnderTest([], { callModel: client.call, model, tools: [Change] });
      const messages = await run('Do it.');
      expect(Change.calls).toEqual([]);
      expect(Object.values(resultsIn(messages))).toEqual([NEVER_RAN]);
      expect(resultIn(messages)).toMatchObject({ stop_reason: 'refusal', terminal_reason: 'completed' });
      expect(server.received).toHaveLength(1);
    },
  );
});
