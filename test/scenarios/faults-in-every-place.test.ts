/**
 * Every way an answer can end badly, at every point of the answer, in every kind of request: streamed, repeated without
 * streaming, made to the fallback model, made by the process that resumed the session. The real engine and client over
 * HTTP; in each cell the invariants L10.1 to L10.9 hold.
 */
import { randomUUID } from 'node:crypto';
import {
  QueryEngine,
  type QueryEngineConfig,
  type SDKMessage,
  type SDKResultMessage,
} from '@turnwright/engine';
import { type FakeTool, fakeTool, type RecordingStore, recordingStore } from '@turnwright/testing';
import {
  type RehearsalServer,
  reply,
  type ScriptedReply,
  startRehearsal,
  text,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../long-form.ts';
import { checkPrefix } from '../session/check-prefix.ts';
import { collapsingClock } from './collapsing-clock.ts';
import { unanswered } from './journal.ts';
import { bodies, openCalls, type SentBody, wholeText } from './sent.ts';

const FAULTS = [
  'cut',
  'stall',
  'overload',
  'refusal',
  'refusal, another model',
  'abort',
  'journal lost',
  'budget',
] as const;
const PLACES = ['before a block', 'in a block', 'beside a running call', 'behind an ended call'] as const;
const WAYS = ['stream', 'repeat without streaming', 'fallback', 'resume'] as const;

interface Cell {
  readonly fault: (typeof FAULTS)[number];
  readonly place: (typeof PLACES)[number];
  readonly way: (typeof WAYS)[number];
}

const CELLS: readonly Cell[] = FAULTS.flatMap((fault) =>
  PLACES.flatMap((place) => WAYS.map((way) => ({ fault, place, way }))),
);
/** Every third has each fault at each place, and in each way. */
const SAMPLE = everyNth(3, CELLS);

const MODEL = 'claude-opus-5-5';
const FALLBACK = 'claude-sonnet-5';
const LAST = 'claude-haiku-5-5';
const WORDS = 'I change it.';
const ANSWER = [text(WORDS), toolUse('Change', { what: 'it' }, 'call_1')];
/** Events that come whole: `message_start`, then three of the text, then three of the call. */
const EVENTS: Record<Cell['place'], number> = {
  'before a block': 1,
  'in a block': 6,
  'beside a running call': 7,
  'behind an ended call': 7,
};
const overloaded = reply('', { faults: [{ name: 'http-status', status: 529 }] });
const hasCall = ({ place }: Cell) => place === 'beside a running call' || place === 'behind an ended call';

/** Blocks that are whole at this place. */
const wholeBlocks = ({ place }: Cell) =>
  place === 'before a block' ? [] : place === 'in a block' ? ANSWER.slice(0, 1) : ANSWER;

/** The answer that goes wrong. */
function struck(cell: Cell): ScriptedReply {
  const after = EVENTS[cell.place];
  const timing = { blockPauseMs: 10 };
  switch (cell.fault) {
    case 'cut':
      return reply(ANSWER, { timing, faults: [{ name: 'cut', after }] });
    case 'overload':
      return reply(ANSWER, { timing, faults: [{ name: 'sse-error', type: 'overloaded_error', after }] });
    case 'stall':
      return reply(ANSWER, { timing, faults: [{ name: 'stall', after }] });
    case 'refusal':
    case 'refusal, another model':
      return reply(wholeBlocks(cell), { timing, stop_reason: 'refusal' });
    case 'budget':
      return reply(wholeBlocks(cell), { timing, usage: { output_tokens: 10_000_000 } });
    case 'abort':
    case 'journal lost':
      // Nothing more comes, so that it strikes at the place. Without a stream only a whole answer holds a call.
      return cell.way === 'repeat without streaming' && hasCall(cell)
        ? reply(ANSWER)
        : reply(ANSWER, { faults: [{ name: 'stall', after }] });
  }
}

/** What is answered until the answer that goes wrong, which is the last. */
function deliveries(cell: Cell): readonly ScriptedReply[] {
  switch (cell.way) {
    case 'stream':
      return [struck(cell)];
    case 'repeat without streaming':
      return [reply('x', { faults: [{ name: 'sse-error', type: 'api_error', after: 1 }] }), struck(cell)];
    case 'fallback':
      return [overloaded, overloaded, ...(cell.fault === 'overload' ? [] : [overloaded]), struck(cell)];
    case 'resume':
      // The first process dies at the place; the second one's request meets the fault.
      return [
        reply(ANSWER, {
          timing: { blockPauseMs: 10 },
          faults: [{ name: 'stall', after: EVENTS[cell.place] }],
        }),
        struck({ ...cell, place: 'before a block' }),
      ];
  }
}

/** A refusal is the answer where no model is left. */
function fallbacksOf({ fault, way }: Cell): { readonly fallbackModel?: string } {
  const list = [
    ...(way === 'fallback' ? [FALLBACK] : []),
    ...(fault === 'refusal, another model' ? [LAST] : []),
  ];
  return list.length === 0 ? {} : { fallbackModel: list.join() };
}

/** One session in one cell. */
class Run {
  readonly store: RecordingStore = recordingStore();
  readonly sessionId = randomUUID();
  readonly clock = collapsingClock();
  readonly tool: FakeTool = fakeTool({ name: 'Change', answer: () => this.#changed() });
  readonly messages: SDKMessage[] = [];
  stopHooks = 0;
  engine: QueryEngine;
  readonly #cell: Cell;
  readonly #first: QueryEngine;
  #isStruck = false;
  #release = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  constructor(cell: Cell, server: RehearsalServer) {
    this.#cell = cell;
    const replies = deliveries(cell);
    let asked = 0;
    server.clear();
    server.setScenario(() => {
      asked += 1;
      if (asked === replies.length && this.#strikesBeforeAnswer()) this.#strike();
      return replies[asked - 1] ?? reply('Done.');
    });
    this.#first = this.#open(server, cell.way === 'resume' ? {} : this.#limits());
    this.engine = this.#first;
    if (cell.way === 'resume')
      this.engine = this.#open(server, { ...this.#limits(), resume: this.sessionId });
  }

  /** Of an answer that does not stream nothing is seen before all of it is. */
  #strikesBeforeAnswer(): boolean {
    const { place, way } = this.#cell;
    return (
      way === 'resume' ||
      place === 'before a block' ||
      (way === 'repeat without streaming' && place === 'in a block')
    );
  }

  /** Only where they are to be met: a busy machine must not meet them elsewhere. */
  #limits(): Partial<QueryEngineConfig> {
    return {
      ...((this.#cell.fault === 'stall' || this.#cell.fault === 'journal lost') && {
        timeouts: { idleMs: 150, answerMs: 150 },
      }),
      ...(this.#cell.fault === 'budget' && { maxBudgetUsd: 1 }),
    };
  }

  #open(server: RehearsalServer, config: Partial<QueryEngineConfig>): QueryEngine {
    return new QueryEngine({
      cwd: '/',
      tools: [this.tool],
      baseUrl: server.url,
      apiKey: 'key',
      model: MODEL,
      ...fallbacksOf(this.#cell),
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      systemPrompt: [],
      store: this.store,
      clock: this.clock,
      random: () => 0,
      hooks: {
        Stop: [
          {
            hooks: [
              async () => {
                this.stopHooks += 1;
                return {};
              },
            ],
          },
        ],
      },
      ...(config.resume === undefined && { sessionId: this.sessionId }),
      ...config,
    });
  }

  async #changed(): Promise<string> {
    if (this.#cell.place === 'beside a running call') {
      if (this.#cell.way !== 'resume') this.#strike();
      await this.#released;
    }
    return 'changed';
  }

  /** The place is reached: what does not come over the wire happens now, once. */
  #strike(): void {
    if (this.#isStruck) return;
    this.#isStruck = true;
    const { fault } = this.#cell;
    if (fault === 'abort') this.engine.interrupt();
    if (fault === 'journal lost') void this.store.takeOver(this.sessionId);
    if (fault.startsWith('refusal') || fault === 'journal lost') this.#release();
  }

  async play(): Promise<void> {
    const { place, way } = this.#cell;
    if (way === 'resume') await this.#die();
    const stream = way === 'resume' ? this.engine.resume() : this.engine.submitMessage('Change it.');
    for await (const message of stream) {
      this.messages.push(message);
      // The stream is broken, and the call still runs.
      if (message.type === 'assistant' && message.is_api_error_message === true) this.#release();
      if (message.type === 'assistant' && place === 'in a block') this.#strike();
      if (message.type === 'user' && place === 'behind an ended call') this.#strike();
    }
    this.#release();
  }

  /** The first process comes to the place and is not heard of again. */
  async #die(): Promise<void> {
    const { place } = this.#cell;
    const reached = () => {
      const types = this.store.entries(this.sessionId).map(({ type }) => type);
      if (place === 'before a block') return types.includes('request');
      if (place === 'in a block') return types.includes('assistant');
      if (place === 'beside a running call') return this.tool.calls.length > 0;
      return types.lastIndexOf('user') > types.indexOf('intent') && types.includes('intent');
    };
    void (async () => {
      for await (const _ of this.#first.submitMessage('Change it.'));
    })();
    while (!reached()) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  async close(): Promise<void> {
    await this.engine.close();
    if (this.#first !== this.engine) await this.#first.close();
  }
}

const isResult = (message: SDKMessage): message is SDKResultMessage => message.type === 'result';
const resultsSent = (body: SentBody | undefined) =>
  (body?.messages ?? []).flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

describe.each(FAULTS)('%s', (fault) => {
  it.each(SAMPLE.filter((cell) => cell.fault === fault))('$place, $way', async (cell) => {
    const { place, way } = cell;
    const run = new Run(cell, server);
    await run.play();
    const results = run.messages.filter(isResult);
    const isLost = fault === 'journal lost';
    const isBudget = fault === 'budget';

    // L10.6
    expect(results, 'results').toHaveLength(isLost ? 0 : 1);
    if (!isLost) expect(run.messages.at(-1), 'the last message').toBe(results[0]);
    if (isBudget) expect(results[0]?.terminal_reason).toBe('budget_exhausted');
    if (fault === 'abort') expect(results[0]?.terminal_reason).toMatch(/^aborted_/);
    const isElsewhere = fault === 'refusal, another model';
    if (isElsewhere || ['cut', 'stall', 'overload'].includes(fault))
      expect(results[0]).toMatchObject({ terminal_reason: 'completed', result: 'Done.' });

    // L10.4: once per terminal position, and not where the run was ended from outside.
    expect(run.stopHooks).toBeLessThanOrEqual(1);
    if (isLost || isBudget || fault === 'abort') expect(run.stopHooks).toBe(0);

    // L10.5: nothing is asked once the money is spent.
    const askedUntilEnd = bodies(server).length;
    if (isBudget) expect(askedUntilEnd).toBe(deliveries(cell).length);

    // The session goes on.
    if (!isLost && !isBudget) {
      const more: SDKMessage[] = [];
      for await (const message of run.engine.submitMessage('Go on.')) more.push(message);
      expect(more.filter(isResult)).toMatchObject([{ result: 'Done.', is_error: false }]);
    }
    await run.close();
    const entries = run.store.entries(run.sessionId);
    const sent = bodies(server);

    // L10.1, L10.7
    expect(sent.flatMap(openCalls), 'calls without a result in a request').toEqual([]);
    expect(server.report().rejected, 'requests refused for their structure').toEqual([]);
    if (!isLost) expect(unanswered(entries), 'calls without exactly one result on record').toEqual([]);

    // L10.2: what was retracted is in no request, and a broken answer without a call is retracted.
    const isWire = fault === 'cut' || fault === 'stall' || fault === 'overload';
    const retracted = new Set(entries.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : [])));
    const isRetracted = entries.some(
      (entry) =>
        entry.type === 'assistant' && JSON.stringify(entry).includes(WORDS) && retracted.has(entry.uuid),
    );
    if (isRetracted || (isWire && !hasCall(cell))) expect(sent.map(wholeText).join()).not.toContain(WORDS);

    // L10.3
    expect(entries.filter(({ type }) => type === 'boundary')).toEqual([]);

    // L10.8
    const onRecord = new Set(entries.flatMap((entry) => ('uuid' in entry ? [entry.uuid] : [])));
    for (const message of run.messages)
      if (message.type === 'assistant' || message.type === 'user')
        expect(onRecord.has(message.uuid ?? ''), `on record: ${JSON.stringify(message)}`).toBe(true);
    for (let end = 0; end <= entries.length; end++) checkPrefix(entries.slice(0, end));
    // A body that breaks off holds no call; the call of a refusal that comes with it does not run.
    const comesWhole = way === 'repeat without streaming' && (isWire || fault.startsWith('refusal'));
    const ran = hasCall(cell) && !comesWhole ? 1 : 0;
    expect(run.tool.calls, 'runs of the unsafe call').toHaveLength(ran);

    // L4.3, L4.4: a complete call is kept with its result, whoever is asked next.
    if (isWire && ran === 1 && way !== 'resume') {
      expect(resultsSent(sent.at(-1))).toMatchObject([{ tool_use_id: 'call_1', content: 'changed' }]);
      const next = sent[deliveries(cell).length];
      expect(resultsSent(next)).toMatchObject([{ tool_use_id: 'call_1', content: 'changed' }]);
      expect(next?.model).toBe(way === 'fallback' ? FALLBACK : MODEL);
    }
    // Nothing that has begun is hidden from the model that takes over for a refusal, and nothing else is shown.
    if (isElsewhere && way !== 'resume') {
      const next = sent[deliveries(cell).length];
      expect(next?.model).toBe(LAST);
      expect(resultsSent(next)).toMatchObject(ran === 1 ? [{ tool_use_id: 'call_1' }] : []);
      if (ran === 1 && place === 'behind an ended call')
        expect(resultsSent(next)).toMatchObject([{ content: 'changed' }]);
      expect(wholeText(next)).not.toContain(WORDS);
    }
    if (place === 'beside a running call' && way === 'resume' && !isLost)
      expect(JSON.stringify(resultsSent(sent[1]))).toContain('outcome unknown');

    // L10.9
    expect(run.clock.pending, 'timers that outlived the session').toBe(0);
  });
});
