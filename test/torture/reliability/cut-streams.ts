/**
 * R5: answers of every wire, cut off at every byte in three ways and split in two at every byte. A cut answer is never a
 * complete one, a call never ends early, and no call of a model waits for what will not come.
 */
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '@turnwright/base/clock.ts';
import {
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelRequest,
} from '@turnwright/engine/protocol/model/model.ts';
import type { StreamEvent } from '@turnwright/engine/protocol/model/wire.ts';
import type { MessageAnswer } from '@turnwright/testing';
import { requestFor } from '@turnwright/testing/checks/model/opened-model.ts';
import { type OpenedWire, WIRES } from '../../model/wires/open-wires.ts';
import { row } from '../row.ts';

const TOOL = { name: 'Change', description: 'Changes.', input_schema: { type: 'object' as const } };
const INPUT = { path: 'a/b.ts', text: 'Grüße 👋 "quoted" \\ \n{}', deep: { list: [1, 2.5, null, true] } };

/** Without parts that some wires cannot carry. */
const STREAMS: Readonly<Record<string, MessageAnswer>> = {
  text: {
    kind: 'message',
    parts: [{ kind: 'text', text: 'Grüße 👋 from "here".\nSecond line.', pieces: 3 }],
  },
  call: {
    kind: 'message',
    parts: [
      { kind: 'text', text: 'I change it.' },
      { kind: 'call', id: 'call_1', name: 'Change', input: INPUT },
    ],
  },
  calls: {
    kind: 'message',
    parts: [
      { kind: 'call', id: 'call_1', name: 'Change', input: { path: 'one' } },
      { kind: 'call', id: 'call_2', name: 'Change', input: INPUT },
    ],
  },
};

/** Wires whose calls are decoded each in its own way. */
const WITH_SEVERAL_CALLS: readonly string[] = [
  'Anthropic Messages API',
  'OpenAI chat completions',
  'OpenAI responses',
  'AI SDK instance (chat completions)',
];

/** `end`: the HTTP body ends as if it were whole. `fin`, `rst`: the connection does. */
type Way = 'end' | 'fin' | 'rst' | 'split';
const waysAt = (at: number): readonly Way[] => [at % 2 === 0 ? 'end' : 'fin', 'rst', 'split'];

interface Case {
  readonly wire: keyof typeof WIRES;
  readonly stream: string;
  readonly way: Way;
  readonly at: number;
}

/** Real time that a call may take; nothing it waits for is slow. */
const HANGS_AFTER_MS = 20_000;

row('R5', async ({ figures, size, seed, corpus, keep }) => {
  const found = {
    success: [] as string[],
    hang: [] as string[],
    partial: [] as string[],
    differs: [] as string[],
    untyped: [] as string[],
  };
  let calls = 0;
  let streams = 0;
  const wires = Object.keys(WIRES) as (keyof typeof WIRES)[];
  for (const wire of wires) {
    const opened = await WIRES[wire]({ clock: systemClock, random: () => 0, maxRetries: 0 });
    for (const [stream, answer] of Object.entries(STREAMS)) {
      if (stream === 'calls' && !WITH_SEVERAL_CALLS.includes(wire)) continue;
      streams++;
      let length = 0;
      const whole = await call(opened, answer, (response, body) => {
        length = body.length;
        response.end(body);
      });
      if (whole.outcome?.kind !== 'complete')
        throw new Error(`${wire}: ${stream} is not complete when whole.`);
      const step = size(299, 1);
      const places = Array.from({ length: length - 1 }, (_, index) => index + 1).filter(
        (at) => at % step === seed % step,
      );
      const known = corpus<Case>().filter((one) => one.wire === wire && one.stream === stream);
      const cases = [
        ...known,
        ...places.flatMap((at) => waysAt(at).map((way): Case => ({ wire, stream, way, at }))),
      ];
      // One call after the other: the server has one queue of answers.
      for (const one of cases) {
        calls++;
        const { events, outcome } = await call(opened, answer, (response, body) =>
          write(response, body, one),
        );
        const problem = problemOf(one, whole, events, outcome);
        if (problem === undefined) continue;
        found[problem].push(`${JSON.stringify(one)}: ${JSON.stringify(outcome)?.slice(0, 200)}`);
        keep(one);
      }
    }
    await opened.dispose();
  }
  figures.atLeast('wires', wires.length, 9);
  figures.atLeast('streams', streams, 20);
  figures.atLeast('answers cut off or split', calls, size(350, 100_000));
  figures.none('cut answers that were taken for complete ones', found.success);
  figures.none('calls of a model that hang', found.hang);
  figures.none('tool calls that ended early', found.partial);
  figures.none('split answers that are not as when whole', found.differs);
  figures.none('failures without a kind', found.untyped);
});

function write(response: ServerResponse, body: Buffer, { way, at }: Case): void {
  const first = body.subarray(0, at);
  switch (way) {
    case 'end':
      response.end(first);
      return;
    case 'fin':
      response.write(first, () => response.socket?.end());
      return;
    case 'rst':
      // Behind the bytes, so that they are read before the reset.
      response.write(first, () => setTimeout(() => response.socket?.resetAndDestroy(), at % 3));
      return;
    case 'split':
      response.write(first, () => setImmediate(() => response.end(body.subarray(at))));
  }
}

interface Called {
  readonly events: readonly StreamEvent[];
  /** undefined: it did not end. */
  readonly outcome: ModelOutcome | undefined;
}

async function call(
  { client, server, model }: OpenedWire,
  answer: MessageAnswer,
  writer: (response: ServerResponse, body: Buffer) => void,
): Promise<Called> {
  server.answerWith(answer);
  server.writeBodiesWith(writer);
  const request: ModelRequest = requestFor(model, { tools: [TOOL] });
  const events: StreamEvent[] = [];
  const controller = new AbortController();
  const run = async (): Promise<ModelOutcome> => {
    const running = client.call(request, { retry: FRESH_RETRY_STATE, signal: controller.signal });
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      if (step.value.kind === 'events') events.push(...step.value.events);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), HANGS_AFTER_MS);
  });
  const outcome = await Promise.race([run(), late]);
  clearTimeout(timer);
  if (outcome === undefined) controller.abort();
  return { events, outcome };
}

function problemOf(
  { way }: Case,
  whole: Called,
  events: readonly StreamEvent[],
  outcome: ModelOutcome | undefined,
): 'success' | 'hang' | 'partial' | 'differs' | 'untyped' | undefined {
  if (outcome === undefined) return 'hang';
  const isSame = isDeepStrictEqual(contentOf(events), contentOf(whole.events));
  if (way === 'split') return outcome.kind === 'complete' && isSame ? undefined : 'differs';
  // What is missing may be behind the end of the answer: usage, an end mark.
  if (outcome.kind === 'complete' && !isSame) return 'success';
  const wholeCalls = callsIn(whole.events);
  if (callsIn(events).some((one) => !wholeCalls.includes(one))) return 'partial';
  return outcome.kind === 'complete' || ('failure' in outcome && outcome.failure.kind !== undefined)
    ? undefined
    : 'untyped';
}

/** The blocks of an answer that have ended, as texts, and its stop reason. */
function contentOf(events: readonly StreamEvent[]): readonly string[] {
  const stop = events.flatMap((event) => (event.type === 'message_delta' ? [event.delta.stop_reason] : []));
  return [...blocksOf(events), `stop: ${stop.filter((reason) => reason !== null).at(-1)}`];
}

const callsIn = (events: readonly StreamEvent[]): readonly string[] =>
  blocksOf(events).filter((block) => block.startsWith('tool_use'));

function blocksOf(events: readonly StreamEvent[]): readonly string[] {
  const texts = new Map<number, string>();
  const ended: string[] = [];
  for (const event of events) {
    if (event.type === 'content_block_start') {
      const block = event.content_block as { type: string; id?: string; name?: string };
      texts.set(event.index, `${block.type} ${block.name ?? ''} `);
    }
    if (event.type === 'content_block_delta') {
      const delta = event.delta as { text?: string; partial_json?: string; thinking?: string };
      const more = delta.text ?? delta.partial_json ?? delta.thinking ?? '';
      texts.set(event.index, (texts.get(event.index) ?? '') + more);
    }
    if (event.type === 'content_block_stop') ended.push(texts.get(event.index) ?? '');
  }
  return ended;
}
