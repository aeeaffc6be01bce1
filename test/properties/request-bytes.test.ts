/**
 * The byte rule (L3): apart from `cache_control`, the bytes of `system`, of `tools` and of each message of a request
 * recur unchanged and in place in the next one, wherever nothing edited the view in between; read off the wire.
 */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@turnwright/base/clock.ts';
import { QueryEngine, type SDKMessage } from '@turnwright/engine';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { fakeTool, recordingStore, sequentialIds } from '@turnwright/testing';
import {
  type Fault,
  type RehearsalServer,
  type ScriptedReply,
  startRehearsal,
  text,
  thinking,
  toolUse,
} from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inForm, propertyRuns } from '../long-form.ts';

const RUNS = propertyRuns(6, 100);
/** Tool calls of the long conversation; half of them are made in each of two engines. */
const ITERATIONS = inForm(20, 50);
const MODEL = 'claude-sonnet-5';
/** What edits a view is on record as one of these. */
const EDITS: ReadonlySet<JournalEntry['type']> = new Set(['replacement', 'snip', 'collapse', 'boundary']);

/** Waits of back-offs are not slept. */
const impatient = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(0, signal),
};

const TOOLS = [
  fakeTool({
    name: 'Look',
    concurrencySafe: true,
    answer: ({ chars }) => 'look 🦆 "here"\n'.repeat(Math.ceil(Number(chars ?? 1) / 14)),
  }),
  fakeTool({
    name: 'Change',
    answer: ({ fails }) => {
      if (fails === true) throw new Error('It cannot be changed.');
      return '';
    },
  }),
];

const call = fc.oneof(
  fc
    .integer({ min: 1, max: 4_000 })
    .map((chars) => toolUse('Look', { chars, 7: null, path: 'a/b\u2028.ts' })),
  fc.boolean().map((fails) => toolUse('Change', { fails })),
  fc.constant(toolUse('Look', { chars: 3 }, 'toolu_same')),
);
const words = fc.constantFrom('Right.', 'Let me see. ', '  \n', 'naïve 🦆 text', '\ud800 lone').map(text);
const fault: fc.Arbitrary<Fault> = fc.record({
  name: fc.constantFrom(
    'cut',
    'sse-error',
    'reset-after-events',
    'empty-response',
    'max-tokens-in-tool-json',
  ),
  after: fc.integer({ min: 0, max: 12 }),
  times: fc.constant(1),
}) as fc.Arbitrary<Fault>;
const turn: fc.Arbitrary<ScriptedReply> = fc
  .record({
    thought: fc.boolean(),
    blocks: fc.array(fc.oneof(words, call), { maxLength: 4 }),
    stop: fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom('max_tokens', 'pause_turn', 'stop_sequence') },
    ),
    fault: fc.option(fault, { freq: 4, nil: undefined }),
  })
  .map(({ thought, blocks, stop, fault: struck }) => ({
    blocks: [...(thought ? [thinking('Hmm.')] : []), ...blocks],
    ...(stop !== undefined && { stop_reason: stop }),
    ...(struck !== undefined && { faults: [struck] }),
  }));
const session = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 8 }),
  prompts: fc.array(
    fc.record({
      text: fc.constantFrom('Go on.', 'And now?', ' spaced ', '"quoted"'),
      /** In an engine of its own, that resumes the session. */
      anew: fc.boolean(),
      /** Interrupted after so many messages. */
      cutAfter: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 4, nil: undefined }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

let server: RehearsalServer;
let wire: Wire;
beforeAll(async () => {
  server = await startRehearsal();
  wire = await recordingProxy(server.url);
});
afterAll(async () => {
  await wire.close();
  await server.close();
});

const systemPrompt = 'You look and change.\n'.repeat(200);

function open(store: ReturnType<typeof recordingStore>, sessionId: string, resume: boolean): QueryEngine {
  return new QueryEngine({
    cwd: '/',
    tools: TOOLS,
    systemPrompt: [systemPrompt],
    baseUrl: wire.url,
    apiKey: 'key',
    model: MODEL,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    store,
    clock: impatient,
    ...(resume ? { resume: sessionId } : { sessionId }),
  });
}

async function submit(engine: QueryEngine, prompt: string, cutAfter?: number): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt)) {
    messages.push(message);
    if (messages.length === cutAfter) engine.interrupt();
  }
  return messages;
}

describe('the bytes of a request', () => {
  it(`recur in the next one, in ${RUNS} generated sessions`, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(session, async ({ turns, prompts }) => {
        server.clear();
        wire.bodies.length = 0;
        server.setScenario({
          name: 'generated',
          replies: [...turns, { blocks: [text('Done.')], times: 'any' }],
        });
        const store = recordingStore();
        const sessionId = sequentialIds().uuid();
        let engine = open(store, sessionId, false);
        await submit(engine, 'First.');
        for (const prompt of prompts) {
          if (prompt.anew) {
            await engine.close();
            engine = open(store, sessionId, true);
          }
          await submit(engine, prompt.text, prompt.cutAfter);
        }
        await engine.close();
        expect(server.report().rejected).toEqual([]);
        const edits = store.entries(sessionId).filter(({ type }) => EDITS.has(type));
        expect(edits, 'no rung fired').toEqual([]);
        const requests = wire.bodies.map(partsOf);
        for (const [at, next] of requests.slice(1).entries()) expectRecurs(requests[at] as Parts, next);
        compared += requests.length - 1;
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true },
    );
    expect(compared).toBeGreaterThan(RUNS);
  }, 240_000);

  it(`over ${ITERATIONS} iterations and two engines, all input is read from the cache but what was added`, async () => {
    server.clear();
    wire.bodies.length = 0;
    const chars = (n: number) => 50 + ((n * 977) % 3_000);
    server.setScenario(({ call: n }) =>
      n % (ITERATIONS / 2 + 1) === 0
        ? { blocks: [text('So far.')] }
        : { blocks: [toolUse('Look', { chars: chars(n) })] },
    );
    const store = recordingStore();
    const sessionId = sequentialIds().uuid();
    for (const resume of [false, true]) {
      const engine = open(store, sessionId, resume);
      expect((await submit(engine, 'Look.')).at(-1)).toMatchObject({ type: 'result', is_error: false });
      await engine.close();
    }
    const usages = server.requests.flatMap(({ verdict }) =>
      verdict.kind === 'answered' ? [verdict.usage] : [],
    );
    expect(usages).toHaveLength(ITERATIONS + 2);
    for (const [at, usage] of usages.entries()) {
      const before = usages[at - 1];
      const stood = before && total(before);
      expect(usage.cache_read_input_tokens, `request ${at + 1}: read`).toBe(stood ?? 0);
      expect(usage.cache_creation_input_tokens, `request ${at + 1}: added`).toBe(total(usage) - (stood ?? 0));
      expect(usage.input_tokens, `request ${at + 1}: neither`).toBe(0);
    }
    const requests = wire.bodies.map(partsOf);
    for (const [at, next] of requests.slice(1).entries()) expectRecurs(requests[at] as Parts, next);
  });
});

const total = (usage: {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}) => usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;

interface Parts {
  readonly system: string;
  readonly tools: string;
  readonly messages: readonly string[];
}

/** All but the last message recur as they were; more blocks may stand behind those of the last (L3). */
function expectRecurs(before: Parts, now: Parts): void {
  expect(now.system).toBe(before.system);
  expect(now.tools).toBe(before.tools);
  const last = before.messages.length - 1;
  expect(now.messages.slice(0, last)).toEqual(before.messages.slice(0, last));
  const extended = (now.messages[last] ?? '').slice(0, (before.messages[last] as string).length - 2);
  expect(`${extended}]}`).toBe(before.messages[last]);
}

/** The bytes of a body, value by value, without the marks. */
function partsOf(body: string): Parts {
  const fields = new Map(
    elements(body).map((field) => {
      const colon = valueEnd(field, 0);
      return [JSON.parse(field.slice(0, colon)) as string, field.slice(colon + 1)];
    }),
  );
  const [system, tools, messages] = ['system', 'tools', 'messages'].map((name) => fields.get(name) ?? '[]');
  return {
    system: unmarked(system as string),
    tools: unmarked(tools as string),
    messages: elements(messages as string).map(unmarked),
  };
}

/** No text can hold this: its quotes would be escaped. */
const unmarked = (json: string) => json.replaceAll(/,"cache_control":\{[^}]*\}/g, '');

/** The texts between the commas of an array or object. */
function elements(json: string): string[] {
  const found: string[] = [];
  let start = 1;
  for (let at = 1; at < json.length; at++) {
    const char = json[at];
    if (char === '"' || char === '{' || char === '[') at = valueEnd(json, at) - 1;
    else if (char === ',' || char === ']' || char === '}') {
      if (at > start) found.push(json.slice(start, at));
      start = at + 1;
    }
  }
  return found;
}

/** Behind the text, list or object that begins here. */
function valueEnd(json: string, from: number): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const char = json[at];
    if (char === '"') {
      for (at++; json[at] !== '"'; at++) if (json[at] === '\\') at++;
    } else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth === 0) return at + 1;
  }
  throw new Error('The body is no JSON.');
}

interface Wire {
  readonly url: string;
  /** As they were sent. */
  readonly bodies: string[];
  close(): Promise<void>;
}

/** Passes everything on as it is. */
async function recordingProxy(target: string): Promise<Wire> {
  const bodies: string[] = [];
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    bodies.push(body.toString('utf8'));
    const { method, headers, url } = incoming;
    const upstream = send(new URL(url ?? '/', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
      answer.on('close', () => {
        if (!answer.complete) outgoing.destroy();
      });
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    upstream.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    bodies,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
