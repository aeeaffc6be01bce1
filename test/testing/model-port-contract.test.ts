/**
 * The contract of the model port, run on the scripted model and on the real client over HTTP: for the same answer both
 * hand over the same outputs and the same outcome. So what a test of the loop scripts is what the client says.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CallModel,
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
  type ModelRequest,
} from '../../src/protocol/model/model.ts';
import {
  type Fault,
  type RehearsalServer,
  type ScriptedReply,
  startRehearsal,
  text,
  thinking,
  toolUse,
  reply as wireReply,
} from '../../src/rehearsal/index.ts';
import {
  broken,
  callTool,
  fail,
  fallback,
  hang,
  reply,
  retries,
  type ScriptStep,
  say,
  scriptedModel,
  think,
  unfinished,
} from '../../src/testing/index.ts';
import { clientFor, requestOf } from '../model/conversation.ts';
import { collapsingClock } from '../scenarios/collapsing-clock.ts';

interface Case {
  readonly title: string;
  readonly script: ScriptStep;
  /** The same over HTTP, one reply per attempt. */
  readonly wire: readonly ScriptedReply[];
  readonly request?: Partial<ModelRequest>;
  readonly options?: Partial<CallOptions>;
  /** The caller aborts with the first output of this word; `first`: before it asks. */
  readonly abortAt?: string;
  readonly says: readonly string[];
  readonly ends: {
    readonly kind: ModelOutcome['kind'];
    readonly failure?: string;
    readonly attempts: readonly string[];
    readonly retries?: number;
    readonly overloads?: number;
  };
}

const TOOL = { name: 'Look', description: 'Looks.', input_schema: { type: 'object' as const } };
const HALF_TEXT = unfinished({ type: 'text', text: 'Half a sen' });
const TEXT_BLOCK = ['content_block_start', 'content_block_delta', 'content_block_stop'];
const OPEN_BLOCK = TEXT_BLOCK.slice(0, 2);
const END = ['message_delta', 'message_stop'];
const HELLO = ['attempt', 'message_start', ...TEXT_BLOCK, ...END];
const overloadedStream = { kind: 'overloaded', errorType: 'overloaded_error' } as const;

const strikes = (...faults: Fault[]) => wireReply('Half a sentence.', { faults });
const breaksInCall = (...faults: Fault[]) => wireReply(toolUse('Look', { at: 'it' }, 'call_1'), { faults });
const status = (code: number, more: Partial<Fault> = {}) =>
  strikes({ name: 'http-status', status: code, ...more });

const CASES: readonly Case[] = [
  {
    title: 'a text',
    script: say('Hello.'),
    wire: [wireReply('Hello.')],
    says: HELLO,
    ends: { kind: 'complete', attempts: ['complete'] },
  },
  {
    title: 'thinking, a text and a call',
    script: reply([think('Hm.'), say('I look.'), callTool('Look', { at: 'it' })]),
    wire: [wireReply([thinking('Hm.'), text('I look.'), toolUse('Look', { at: 'it' })])],
    request: { thinking: { type: 'adaptive' } },
    says: ['attempt', 'message_start', ...TEXT_BLOCK, ...TEXT_BLOCK, ...TEXT_BLOCK, ...END],
    ends: { kind: 'complete', attempts: ['complete'] },
  },
  {
    title: 'a refusal',
    script: say('No.', { stopReason: 'refusal' }),
    wire: [wireReply('No.', { stop_reason: 'refusal' })],
    says: HELLO,
    ends: { kind: 'complete', attempts: ['complete'] },
  },
  {
    title: 'an answer that does not stream',
    script: say('Hello.'),
    wire: [wireReply('Hello.')],
    request: { stream: false },
    says: HELLO,
    ends: { kind: 'complete', attempts: ['complete'] },
  },
  {
    title: 'a prompt that is too long',
    script: fail({ kind: 'prompt_too_long', status: 400 }),
    wire: [
      status(400, {
        type: 'invalid_request_error',
        message: 'prompt is too long: 250000 tokens > 200000 maximum',
      }),
    ],
    says: ['attempt'],
    ends: { kind: 'failed', failure: 'prompt_too_long', attempts: ['prompt_too_long'] },
  },
  {
    title: 'overloaded once, then an answer',
    script: retries([{}], say('Hello.')),
    wire: [status(529), wireReply('Hello.')],
    says: ['attempt', 'retry 529', ...HELLO],
    ends: { kind: 'complete', attempts: ['overloaded', 'complete'], retries: 1 },
  },
  {
    title: 'a server error, then an answer',
    script: retries([{ status: 500, error: 'server_error' }], say('Hello.')),
    wire: [status(500), wireReply('Hello.')],
    says: ['attempt', 'retry 500', ...HELLO],
    ends: { kind: 'complete', attempts: ['server_error', 'complete'], retries: 1 },
  },
  {
    title: 'overloaded for a background query',
    script: fail({ kind: 'overloaded', status: 529 }),
    wire: [status(529)],
    request: { foreground: false },
    says: ['attempt'],
    ends: { kind: 'failed', failure: 'overloaded', attempts: ['overloaded'], overloads: 1 },
  },
  {
    title: 'overloaded up to the limit',
    script: retries([{}, {}], fallback()),
    wire: [status(529), status(529), status(529)],
    request: { overloadLimit: 3 },
    says: ['attempt', 'retry 529', 'attempt', 'retry 529', 'attempt'],
    ends: {
      kind: 'failed',
      failure: 'overloaded',
      attempts: ['overloaded', 'overloaded', 'overloaded'],
      retries: 2,
      overloads: 3,
    },
  },
  {
    title: 'a stream that is cut before a block',
    script: broken(),
    wire: [strikes({ name: 'cut', after: 1 })],
    says: ['attempt', 'message_start'],
    ends: { kind: 'broken', failure: 'cut', attempts: ['cut'] },
  },
  {
    title: 'a stream that is cut in a block',
    script: broken({ after: [HALF_TEXT] }),
    wire: [strikes({ name: 'cut', after: 3 })],
    says: ['attempt', 'message_start', ...OPEN_BLOCK],
    ends: { kind: 'broken', failure: 'cut', attempts: ['cut'] },
  },
  {
    title: 'a stream that is reset behind a call',
    script: broken({ after: [callTool('Look')], failure: { kind: 'cut' } }),
    wire: [breaksInCall({ name: 'reset-after-events', after: 4 })],
    says: ['attempt', 'message_start', ...TEXT_BLOCK],
    ends: { kind: 'broken', failure: 'cut', attempts: ['cut'] },
  },
  {
    title: 'a stream that reports an error of the server',
    script: broken({ after: [HALF_TEXT], failure: { kind: 'stream_error' } }),
    wire: [strikes({ name: 'sse-error', type: 'api_error', after: 3 })],
    says: ['attempt', 'message_start', ...OPEN_BLOCK],
    ends: { kind: 'broken', failure: 'stream_error', attempts: ['stream_error'] },
  },
  {
    title: 'a stream that falls silent',
    script: broken({ after: [HALF_TEXT], failure: { kind: 'stalled' } }),
    wire: [strikes({ name: 'stall', after: 3 })],
    says: ['attempt', 'message_start', ...OPEN_BLOCK],
    ends: { kind: 'broken', failure: 'stalled', attempts: ['stalled'] },
  },
  {
    title: 'overloaded inside a stream, for the first time',
    script: broken({ after: [callTool('Look')], failure: overloadedStream }),
    wire: [breaksInCall({ name: 'sse-error', type: 'overloaded_error', after: 4 })],
    request: { overloadLimit: 3 },
    says: ['attempt', 'message_start', ...TEXT_BLOCK],
    ends: { kind: 'broken', failure: 'overloaded', attempts: ['overloaded'], overloads: 1 },
  },
  {
    title: 'overloaded inside a stream, after two that failed',
    script: retries([{}, {}], broken({ after: [callTool('Look')], failure: overloadedStream })),
    wire: [status(529), status(529), breaksInCall({ name: 'sse-error', type: 'overloaded_error', after: 4 })],
    request: { overloadLimit: 3 },
    says: ['attempt', 'retry 529', 'attempt', 'retry 529', 'attempt', 'message_start', ...TEXT_BLOCK],
    ends: {
      kind: 'broken',
      failure: 'overloaded',
      attempts: ['overloaded', 'overloaded', 'overloaded'],
      retries: 2,
      overloads: 3,
    },
  },
  {
    title: 'overloaded inside a stream, as the last of a row that began in other calls',
    script: fallback({ after: [callTool('Look')] }),
    wire: [breaksInCall({ name: 'sse-error', type: 'overloaded_error', after: 4 })],
    request: { overloadLimit: 3 },
    options: { retry: { ...FRESH_RETRY_STATE, overloadedInARow: 2 } },
    says: ['attempt', 'message_start', ...TEXT_BLOCK],
    ends: { kind: 'broken', failure: 'overloaded', attempts: ['overloaded'], overloads: 3 },
  },
  {
    title: 'asked again at once after a stream that broke',
    script: say('Hello.'),
    wire: [wireReply('Hello.')],
    request: { stream: false },
    options: { after: { failure: { kind: 'stalled', message: 'Silence.' }, immediate: true } },
    says: HELLO,
    ends: { kind: 'complete', attempts: ['complete'] },
  },
  {
    title: 'asked again after a stream that broke: the wait is announced first, as an attempt of its own',
    script: say('Hello.'),
    wire: [wireReply('Hello.')],
    options: { after: { failure: { kind: 'cut', message: 'It broke.' }, immediate: false } },
    says: ['retry null', ...HELLO],
    ends: { kind: 'complete', attempts: ['complete'], retries: 1 },
  },
  {
    title: 'aborted before it is asked',
    script: say('Hello.'),
    wire: [],
    abortAt: 'first',
    says: [],
    ends: { kind: 'aborted', attempts: [] },
  },
  {
    title: 'aborted while it is asked',
    script: hang(),
    wire: [strikes({ name: 'stall-before-headers' })],
    abortAt: 'attempt',
    says: ['attempt'],
    ends: { kind: 'aborted', attempts: ['aborted'] },
  },
  {
    title: 'aborted in a block',
    script: hang(HALF_TEXT),
    wire: [strikes({ name: 'stall', after: 3 })],
    abortAt: 'content_block_delta',
    says: ['attempt', 'message_start', ...OPEN_BLOCK],
    ends: { kind: 'aborted', attempts: ['aborted'] },
  },
  {
    title: 'aborted in a wait',
    script: retries([{}], say('Hello.')),
    wire: [status(529)],
    abortAt: 'retry 529',
    says: ['attempt', 'retry 529'],
    ends: { kind: 'aborted', attempts: ['overloaded'], retries: 1, overloads: 1 },
  },
];

const wordsOf = (output: ModelOutput): string[] =>
  output.kind === 'attempt'
    ? ['attempt']
    : output.kind === 'retry'
      ? [`retry ${output.notice.status}`]
      : output.events.map(({ type }) => type);

/** Deltas of one block are one word, however it was split. */
const withoutRepeats = (words: readonly string[]) =>
  words.filter((word, at) => word !== 'ping' && (word !== 'content_block_delta' || words[at - 1] !== word));

async function called(callModel: CallModel, { request, options, abortAt }: Case) {
  const controller = new AbortController();
  if (abortAt === 'first') controller.abort();
  const call = callModel(requestOf(undefined, { tools: [TOOL], ...request }), {
    signal: controller.signal,
    retry: FRESH_RETRY_STATE,
    ...options,
  });
  const outputs: ModelOutput[] = [];
  for (;;) {
    const step = await call.next();
    if (step.done) return { outputs, outcome: step.value };
    outputs.push(step.value);
    if (abortAt !== undefined && wordsOf(step.value).includes(abortAt)) controller.abort();
  }
}

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

const sides: readonly (readonly [string, (given: Case) => CallModel])[] = [
  ['the scripted model', ({ script }) => scriptedModel([script]).callModel],
  [
    'the client over HTTP',
    ({ wire, script }) => {
      server.clear();
      server.setScenario({ name: 'contract', replies: wire.length === 0 ? [wireReply('Unasked.')] : wire });
      const isSilent =
        typeof script !== 'function' && 'failure' in script && script.failure.kind === 'stalled';
      return clientFor(server.url, {
        clock: collapsingClock(),
        ...(isSilent && { timeouts: { idleMs: 100 } }),
      }).call;
    },
  ],
];

describe.each(sides)('%s', (_side, open) => {
  it.each(CASES.map((given) => [given.title, given] as const))('%s', async (_title, given) => {
    const { says, ends, request } = given;
    const { outputs, outcome } = await called(open(given), given);

    expect(withoutRepeats(outputs.flatMap(wordsOf))).toEqual(says);
    expect({
      kind: outcome.kind,
      failure: 'failure' in outcome ? outcome.failure.kind : undefined,
      attempts: outcome.attempts.map((attempt) => attempt.outcome),
      retries: outcome.retry.retries,
      overloads: outcome.retry.overloadedInARow,
    }).toEqual({ failure: undefined, retries: 0, overloads: 0, ...ends });

    const batches = outputs.filter((output) => output.kind === 'events');
    const [first, ...later] = batches;
    if (first !== undefined) {
      expect(first.ttftMs, 'time to the first event').toBeGreaterThanOrEqual(0);
      expect(outcome.requestId).toBe(first.requestId);
    }
    expect(later.filter(({ ttftMs }) => ttftMs !== undefined)).toEqual([]);
    expect(batches.filter(({ requestId }) => requestId === undefined)).toEqual([]);
    if (request?.stream === false) expect(batches).toHaveLength(1);
    for (const attempt of outcome.attempts) {
      expect(attempt).toMatchObject({ model: 'claude-sonnet-5', stream: request?.stream ?? true });
      if (attempt.outcome !== 'complete' && attempt.usage !== undefined) expect(attempt.wasted).toBe(true);
    }
    if (outcome.kind === 'complete') expect(outcome.attempts.at(-1)?.usage).toBeDefined();
  });
});
