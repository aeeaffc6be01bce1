/** What becomes of the events of a response, however many of them come in one read. */

import { thisTurn } from '@turnwright/base/async/promises.ts';
import {
  type CountingLedger,
  hang,
  loopDeps,
  loopParams,
  recorder,
  scriptedModel,
  scriptedTools,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { LoopDeps, LoopParams } from '../../src/loop/deps.ts';
import type { ModelOutcome } from '../../src/protocol/model/model.ts';
import type { AssistantBlock, BlockDelta, StreamEvent } from '../../src/protocol/model/wire.ts';
import { assistants, messageByMessage, run } from './run.ts';

const begins = (usage: object = { input_tokens: 7, output_tokens: 1 }): StreamEvent => ({
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'real',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usage as never,
  },
});
const opens = (content_block: AssistantBlock): StreamEvent => ({
  type: 'content_block_start',
  index: 0,
  content_block,
});
const adds = (delta: BlockDelta): StreamEvent => ({ type: 'content_block_delta', index: 0, delta });
const text = (part: string) => adds({ type: 'text_delta', text: part });
const json = (partial_json: string) => adds({ type: 'input_json_delta', partial_json });
const closes: StreamEvent = { type: 'content_block_stop', index: 0 };
const states = (
  stop_reason: 'tool_use' | 'max_tokens' | 'end_turn' | null,
  more: object = {},
): StreamEvent => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  ...more,
});
const stops: StreamEvent = { type: 'message_stop' };
const call = (id: string) => opens({ type: 'tool_use', id, name: 'T', input: {} });
const openText = opens({ type: 'text', text: '' });
const openThought = opens({ type: 'thinking', thinking: '', signature: '' });

const inReadsOf = (size: number, events: readonly StreamEvent[]): StreamEvent[][] =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, n) => events.slice(n * size, (n + 1) * size));

interface Sent {
  readonly reads: readonly (readonly StreamEvent[])[];
  readonly outcome?: {
    readonly kind: 'complete' | 'broken' | 'failed' | 'aborted';
    readonly requestId?: string;
  };
  /** Each read comes in a turn of its own of the event loop. Default: all are at hand together. */
  readonly apart?: boolean;
  /** From the headers. */
  readonly requestId?: string;
  readonly params?: Partial<LoopParams>;
}

/** One response, whose calls end the turn; a repeat of it fails. */
async function respond({ reads, outcome = { kind: 'complete' }, apart, requestId, params }: Sent) {
  const failure = { kind: 'invalid_request', message: 'no', retryable: false } as never;
  let writes = 0;
  let asked = 0;
  const journal = recorder();
  const { scope } = loopParams();
  const tools = scriptedTools({ T: () => ({ content: 'x', endsTurn: true }) });
  const callModel: LoopDeps['callModel'] = async function* (_, { retry }) {
    asked += 1;
    if (asked > 1) return { kind: 'failed', retry, attempts: [], failure };
    for (const [at, events] of reads.entries()) {
      if (apart) await thisTurn();
      yield {
        kind: 'events',
        events,
        ...(at === 0 && { ttftMs: 3 }),
        ...(requestId !== undefined && { requestId }),
      };
    }
    if (outcome.kind === 'aborted') scope.abort('user');
    return { retry, attempts: [], failure, ...outcome } as ModelOutcome;
  };
  const counting: LoopDeps['recorder'] = {
    ...journal,
    append: (bodies) => {
      writes += 1;
      return journal.append(bodies);
    },
  };
  const ran = await run({
    steps: [],
    deps: { callModel, tools, recorder: counting },
    params: { ...params, scope },
  });
  return { ...ran, tools, writes, journal, ledger: ran.deps.ledger as CountingLedger };
}

describe('a response is the same however it is cut into reads', () => {
  const events: readonly StreamEvent[] = [
    begins(),
    { type: 'ping' },
    openThought,
    adds({ type: 'thinking_delta', thinking: 'hm' }),
    adds({ type: 'signature_delta', signature: 's' }),
    closes,
    openText,
    text('On it'),
    text('.'),
    closes,
    call('a'),
    json('{"n":'),
    json('1}'),
    closes,
    call('b'), // without input, so the next event tells whether it was cut
    closes,
    openText,
    text('And so on.'),
    closes,
    states(null, { usage: { output_tokens: 5 } }),
    states('tool_use', { context_management: { applied_edits: [] } }),
    states(null, { usage: { output_tokens: 9 } }),
    stops,
  ];

  it.each([1, 2, 3, 5, 7, events.length])('%i events in a read', async (size) => {
    const { messages, tools, journal } = await respond({
      reads: inReadsOf(size, events),
      apart: true,
      params: { includePartialMessages: true },
      requestId: 'req',
    });
    expect(assistants(messages).map(({ message }) => message.content[0])).toEqual([
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'On it.' },
      { type: 'tool_use', id: 'a', name: 'T', input: { n: 1 } },
      { type: 'tool_use', id: 'b', name: 'T', input: {} },
      { type: 'text', text: 'And so on.' },
    ]);
    for (const message of assistants(messages)) {
      expect(message).not.toHaveProperty('aborted');
      expect([message.requestId, message.message.id, message.message.model]).toEqual(['req', 'm', 'real']);
    }
    expect(tools.added.map((added) => [added.block.id, 'unparsed' in added])).toEqual([
      ['a', false],
      ['b', false],
    ]);
    const passed = messages.flatMap((message) => (message.type === 'stream_events' ? [message] : []));
    expect(passed.flatMap((message) => message.events)).toEqual(events);
    expect(passed.every((message) => message.events.length > 0)).toBe(true);
    expect(passed.map((message) => message.ttftMs)).toEqual([3, ...passed.slice(1).map(() => undefined)]);
    expect(passed.filter((message) => 'thinkingDisplay' in message)).toEqual([]);
    expect(journal.ofType('response')).toMatchObject([
      { stopReason: 'tool_use', usage: { output_tokens: 9 } },
    ]);
    expect(journal.ofType('response')[0]).not.toHaveProperty('broken');
    // The end of the response is recorded with its last block, which is recorded again if it came before the end.
    const ends = journal.ofType('assistant').map((body) => [body.settled ?? false, body.message.stop_reason]);
    const before = Array.from({ length: 4 }, () => [false, null]);
    expect(ends).toEqual(
      size === events.length
        ? [...before, [false, 'tool_use']]
        : [...before, [false, null], [true, 'tool_use']],
    );
  });

  it('the events of one read stay together up to the end of a block', async () => {
    const { messages } = await respond({
      reads: [
        [
          begins(),
          openText,
          text('a'),
          text('b'),
          closes,
          openText,
          text('c'),
          closes,
          states('end_turn'),
          stops,
        ],
      ],
      params: { includePartialMessages: true },
    });
    const groups = messages.flatMap((message) =>
      message.type === 'stream_events'
        ? [message.events.map(({ type }) => type.replace('content_block_', ''))]
        : [],
    );
    expect(groups).toEqual([
      ['message_start', 'start', 'delta', 'delta'],
      ['stop', 'start', 'delta'],
      ['stop', 'message_delta'],
      ['message_stop'],
    ]);
  });

  it('without partial messages only its beginning and its end are passed on, and no empty read', async () => {
    const { messages } = await respond({ reads: inReadsOf(1, events), requestId: 'req' });
    const passed = messages.flatMap((message) => (message.type === 'stream_events' ? [message.events] : []));
    const ends = ['message_delta', 'message_delta', 'message_delta', 'message_stop'];
    expect(passed.map((group) => group.map(({ type }) => type))).toEqual(
      ['message_start', ...ends].map((type) => [type]),
    );
  });

  it('a read that finishes no block writes nothing', async () => {
    const whole = [
      begins(),
      openText,
      ...Array.from({ length: 20 }, () => text('x')),
      closes,
      states('end_turn'),
      stops,
    ];
    const together = await respond({ reads: [whole] });
    const apart = await respond({ reads: inReadsOf(1, whole) });
    expect(apart.writes).toBe(together.writes);
  });
});

describe('where a response ends early', () => {
  const half = [begins(), openText, text('Half')];

  it.each([
    ['an open text is kept and marked', half, ['Half', true]],
    [
      'an open thought is dropped',
      [begins(), openThought, adds({ type: 'thinking_delta', thinking: 'hm' })],
      undefined,
    ],
    ['an open call is dropped', [begins(), call('a'), json('{"n":1}')], undefined],
  ] as const)('by an abort, %s', async (_, events, kept) => {
    const { messages, journal, tools, ledger } = await respond({
      reads: [events],
      outcome: { kind: 'aborted' },
    });
    const blocks = assistants(messages).map((message) => [
      (message.message.content[0] as { text?: string }).text,
      message.aborted,
    ]);
    expect(blocks).toEqual(kept === undefined ? [] : [kept]);
    const recorded = journal.ofType('assistant').filter((body) => body.settled !== true);
    expect(recorded).toHaveLength(blocks.length);
    expect(tools.added).toEqual([]);
    // An abort wastes nothing; what was received is paid for.
    expect(journal.ofType('response')).toMatchObject([{ broken: true }]);
    expect(ledger.settled.map(({ wasted }) => wasted)).toEqual([undefined]);
  });

  it('by a broken stream, an open text is dropped; what came is estimated, also without its first event', async () => {
    const { messages, ledger } = await respond({
      reads: [[begins(), text('stray'), openText, text('x'.repeat(4_000)), text('y')]],
      outcome: { kind: 'broken' },
    });
    expect(assistants(messages).filter((message) => message.synthetic === undefined)).toEqual([]);
    expect(ledger.settled).toMatchObject([{ wasted: true, usage: { input_tokens: 7 } }]);
    expect(ledger.settled[0]?.usage.output_tokens).toBeGreaterThan(500);
  });

  it('between the stop reason and the end: it is broken, and a call without input has run', async () => {
    const { journal, tools } = await respond({
      reads: [[begins(), call('a'), closes, states('tool_use')]],
      outcome: { kind: 'broken' },
    });
    expect(tools.added.map(({ block }) => block.id)).toEqual(['a']);
    expect(journal.ofType('response')).toMatchObject([{ broken: true, stopReason: 'tool_use' }]);
  });

  it.each(['failed', 'broken', 'aborted'] as const)(
    '%s before it began: nothing is paid for or recorded',
    async (kind) => {
      const { journal, ledger } = await respond({ reads: [], outcome: { kind } });
      expect(journal.ofType('response')).toEqual([]);
      expect(ledger.settled).toEqual([]);
    },
  );

  it('by a consumer that leaves before it began: nothing is paid for or recorded', async () => {
    const journal = recorder();
    const deps = loopDeps({ callModel: scriptedModel([hang()]).callModel, recorder: journal });
    const loop = messageByMessage(loopParams(), deps);
    await loop.next();
    await loop.return(undefined as never);
    expect(journal.ofType('response')).toEqual([]);
    expect((deps.ledger as CountingLedger).settled).toEqual([]);
  });
});

describe('what the end of a response says of a call', () => {
  it('one without input was cut only if the output cap was reached, whatever came before', async () => {
    const { tools } = await respond({
      reads: [
        [begins(), call('a'), json('{"n":1}'), closes, call('b'), json('{"n":'), closes],
        [states(null, { usage: { output_tokens: 5 } }), states('max_tokens'), stops],
      ],
    });
    expect(tools.added.map(({ block, unparsed }) => [block.id, unparsed?.cut])).toEqual([
      ['a', undefined],
      ['b', true],
    ]);
  });

  it.each([
    ['the outcome', 'late', 'late'],
    ['the headers', undefined, 'early'],
  ])('its request id is that of %s', async (_, late, expected) => {
    const { journal } = await respond({
      reads: [[begins(), openText, text('Half'), closes]],
      requestId: 'early',
      outcome: { kind: 'aborted', ...(late !== undefined && { requestId: late }) },
    });
    expect(journal.ofType('response')).toMatchObject([{ requestId: expected }]);
  });

  it('without ids it is recorded without them', async () => {
    const { messages, journal } = await respond({
      reads: [[openText, text('Hi.'), closes, states('end_turn'), stops]],
    });
    const [message] = assistants(messages);
    expect(message).not.toHaveProperty('requestId');
    expect([message?.message.id, message?.message.model]).toEqual(['', 'test-model']);
    expect(journal.ofType('response')[0]).not.toHaveProperty('requestId');
    expect(journal.ofType('response')[0]).toMatchObject({ messageId: '' });
  });
});
