/**
 * Generated conversations against the strict judge: random replies, tool outcomes, broken streams and aborts. Whatever
 * happens, no request is refused for its structure, every call has exactly one result, and every submission ends in
 * exactly one result message (L10.1, L10.6, L10.7, L10.9); and what the engine has in memory is what a resume would see.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryEngine, type SDKMessage } from '../../src/index.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { AnyTool, ToolOutput } from '../../src/protocol/tools/tool.ts';
import {
  type Fault,
  type RehearsalServer,
  type ScriptedReply,
  startRehearsal,
  thinking,
  toolUse,
} from '../../src/rehearsal/index.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { recordingStore, sequentialIds } from '../../src/testing/index.ts';
import { systemClock } from '../../src/util/clock.ts';
import { propertyRuns } from '../long-form.ts';

const RUNS = propertyRuns(200, 2_000);
const MODEL = 'claude-sonnet-5';

/** Waits of back-offs are not slept; everything else is real. */
const impatient = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(0, signal),
};

type Deed = 'ok' | 'throw' | 'empty' | 'error' | 'hang' | 'end' | 'later';

const toolNamed = (name: string, safe: boolean): AnyTool => ({
  name,
  inputJsonSchema: { type: 'object', properties: { deed: { type: 'string' } } },
  description: () => `Does what it is told (${name}).`,
  parse: (input: { deed?: Deed }) =>
    typeof input.deed === 'string'
      ? { ok: true, input: input as { deed: Deed } }
      : { ok: false, issues: ['deed is missing'] },
  isConcurrencySafe: () => safe,
  isReadOnly: () => safe,
  effectClass: () => (safe ? 'pure' : 'unsafe'),
  async run({ deed }: { deed: Deed }, { signal }): Promise<ToolOutput> {
    if (deed === 'throw') throw new Error('thrown by the tool');
    if (deed === 'later') await new Promise((resolve) => setImmediate(resolve));
    if (deed === 'hang') {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
        setTimeout(resolve, 30).unref();
      });
    }
    return {
      data: deed,
      content: deed === 'empty' ? '' : `did ${deed}`,
      isError: deed === 'error',
      endsTurn: deed === 'end',
    };
  },
});
const TOOLS = [toolNamed('Look', true), toolNamed('Change', false)];

const deed = fc.constantFrom<Deed>('ok', 'ok', 'ok', 'later', 'throw', 'empty', 'error', 'hang', 'end');
const call = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ name: fc.constantFrom('Look', 'Change'), deed })
      .map(({ name, deed: d }) => toolUse(name, { deed: d })),
  },
  { weight: 1, arbitrary: fc.constant(toolUse('Unknown', { x: 1 })) },
  { weight: 1, arbitrary: fc.constant(toolUse('Look', {})) },
  { weight: 1, arbitrary: fc.constant(toolUse('Look', { deed: 'ok' }, 'toolu_same')) },
);
const words = fc
  .constantFrom('Right.', 'Let me see. ', '  \n', 'naïve 🦆 text', 'x'.repeat(300))
  .map((text) => ({ type: 'text' as const, text }));
const block = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 4, arbitrary: call },
  { weight: 1, arbitrary: fc.constant(thinking('Hmm.')) },
);
const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        name: fc.constantFrom(
          'cut',
          'reset-after-events',
          'reset-before-headers',
          'reset-after-stop',
          'sse-error',
          'truncated-json',
          'invalid-json',
          'duplicate-event',
          'unknown-event',
          'unknown-block',
          'crlf',
          'split-utf8',
          'delta-without-usage',
          'empty-body',
          'html-error-page',
          'wrong-content-type',
          'max-tokens-in-tool-json',
          'empty-response',
          'out-of-order',
        ),
        after: fc.integer({ min: 0, max: 12 }),
        times: fc.integer({ min: 1, max: 2 }),
      })
      .map((given) => given as Fault),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(429, 500, 529)
      .map((status): Fault => ({ name: 'http-status', status, times: 1 })),
  },
);
const turn: fc.Arbitrary<ScriptedReply> = fc
  .record({
    blocks: fc.array(block, { maxLength: 5 }),
    stop: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('max_tokens', 'refusal', 'pause_turn', 'stop_sequence', 'tool_use'),
      },
    ),
    fault,
  })
  .map(({ blocks, stop, fault: f }) => ({
    // The real API puts thinking first.
    blocks: [
      ...blocks.filter((b) => b.type === 'thinking').slice(0, 1),
      ...blocks.filter((b) => b.type !== 'thinking'),
    ],
    ...(stop === undefined ? {} : { stop_reason: stop }),
    ...(f === undefined ? {} : { faults: [f] }),
  }));

const ALTERING = new Set(['duplicate-event', 'out-of-order']);

interface Ending {
  readonly how: 'run' | 'interrupt' | 'preempt' | 'leave';
  /** After this many messages. */
  readonly after: number;
}
const ending: fc.Arbitrary<Ending> = fc.record({
  how: fc.oneof(
    { weight: 4, arbitrary: fc.constant('run' as const) },
    { weight: 2, arbitrary: fc.constantFrom('interrupt' as const, 'preempt' as const, 'leave' as const) },
  ),
  after: fc.integer({ min: 1, max: 8 }),
});
const conversation = fc.record({
  turns: fc.array(turn, { maxLength: 5 }),
  endings: fc.tuple(ending, ending),
  maxTurns: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  partial: fc.boolean(),
  reopen: fc.boolean(),
});

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

describe('generated conversations', () => {
  it(`hold their invariants in ${RUNS} runs`, async () => {
    const timersBefore = held('Timeout');
    await fc.assert(
      fc.asyncProperty(conversation, async ({ turns, endings, maxTurns, partial, reopen }) => {
        server.clear();
        server.setScenario({
          name: 'generated',
          replies: [...turns, { blocks: [{ type: 'text', text: 'Done.' }], times: 'any' }],
        });
        const store = recordingStore();
        const views: { readonly live: Iterable<ViewMessage>; readonly resumed: Iterable<ViewMessage> }[] = [];
        const sessionId = sequentialIds().uuid();
        const open = (resume: boolean) =>
          new QueryEngine({
            cwd: '/',
            tools: TOOLS,
            baseUrl: server.url,
            apiKey: 'key',
            model: MODEL,
            permissionMode: 'bypassPermissions',
            allowDangerouslySkipPermissions: true,
            includePartialMessages: partial,
            store,
            clock: impatient,
            commands: [
              {
                name: 'seen',
                description: 'Compares the conversation in memory with the one on record.',
                run: (_args, { messages }) => {
                  views.push({
                    live: messages,
                    resumed: resumeSession(store.entries(sessionId)).view.messages,
                  });
                  return { messages: [], shouldQuery: false, resultText: 'Seen.' };
                },
              },
            ],
            ...(maxTurns === undefined ? {} : { maxTurns }),
            ...(resume ? { resume: sessionId } : { sessionId }),
          });
        let engine = open(false);
        await submit(engine, 'First.', endings[0]);
        await submit(engine, '/seen', { how: 'run', after: 0 });
        if (reopen) {
          await engine.close();
          engine = open(true);
        }
        await submit(engine, 'Second.', endings[1]);
        await submit(engine, '/seen', { how: 'run', after: 0 });
        await submit(engine, 'Third.', { how: 'run', after: 0 });
        await engine.close();

        // A doubled or shuffled event alters signed thinking on its way; that it was altered shows when it is sent back.
        const altered = turns.some(({ faults = [] }) =>
          faults.some((f) => ALTERING.has(typeof f === 'string' ? f : f.name)),
        );
        const rejected = server
          .report()
          .rejected.filter(({ rule }) => !(altered && rule === 'thinking-signature'));
        expect(rejected, 'requests refused for their structure').toEqual([]);
        expect(views).toHaveLength(2);
        for (const { live, resumed } of views) expect(shown(live), 'the live view').toEqual(shown(resumed));
        expectOneResultPerCall(store.entries(sessionId));
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 500_000, markInterruptAsFailure: true, ...seeded() },
    );
    expect(held('ProcessWrap'), 'children').toBe(0);
    expect(held('Timeout'), 'timers that hold the process').toBeLessThanOrEqual(timersBefore);
  }, 600_000);
});

/** What the model is sent of it. */
const shown = (view: Iterable<ViewMessage>) =>
  [...view].map(({ uuid, ...message }) => ({
    uuid,
    content: 'message' in message ? message.message.content : message.rendered,
  }));

/** Resources of this kind that keep the process alive. */
const held = (kind: string): number =>
  process.getActiveResourcesInfo().filter((each) => each === kind).length;

/** A failure prints its seed; set it here to see it again. */
function seeded(): { seed?: number; path?: string } {
  const seed = process.env['TURNWRIGHT_PROPERTY_SEED'];
  const path = process.env['TURNWRIGHT_PROPERTY_PATH'];
  return { ...(seed === undefined ? {} : { seed: Number(seed) }), ...(path === undefined ? {} : { path }) };
}

async function submit(engine: QueryEngine, prompt: string, { how, after }: Ending): Promise<void> {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt)) {
    messages.push(message);
    if (messages.length !== after || how === 'run') continue;
    if (how === 'leave') return;
    if (how === 'interrupt') engine.interrupt();
    else await engine.queue.put({ content: 'Never mind, this instead.', priority: 'now' });
  }
  for (let queued = engine.queue.take(); queued !== undefined; queued = engine.queue.take()); // left for the caller to submit
  const results = messages.filter((message) => message.type === 'result');
  expect(results, 'one result').toHaveLength(1);
  expect(messages.at(-1), 'the result comes last').toBe(results[0]);
}

function expectOneResultPerCall(entries: readonly JournalEntry[]): void {
  const calls: string[] = [];
  const results: string[] = [];
  const retracted = new Set(entries.flatMap((entry) => (entry.type === 'retract' ? entry.uuids : [])));
  for (const entry of entries) {
    if (entry.type === 'assistant' && entry.settled === undefined && !retracted.has(entry.uuid)) {
      for (const block of entry.message.content) if (block.type === 'tool_use') calls.push(block.id);
    }
    if (entry.type === 'user' && typeof entry.message.content !== 'string') {
      for (const block of entry.message.content)
        if (block.type === 'tool_result') results.push(block.tool_use_id);
    }
  }
  expect(results.sort(), 'one result per call').toEqual(calls.sort());
}
