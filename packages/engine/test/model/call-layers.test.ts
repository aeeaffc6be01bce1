import { expect, it } from 'vitest';
import { type CallLayer, layered, withoutRefusedTools } from '../../src/model/call-layers.ts';
import {
  type CallModel,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
  type ModelRequest,
} from '../../src/protocol/model/model.ts';

const OPTIONS = { signal: new AbortController().signal, retry: FRESH_RETRY_STATE };
const attempt: ModelOutput = { kind: 'attempt', attempt: 1, bytes: 1, maxTokens: 1 };
const complete: ModelOutcome = { kind: 'complete', retry: FRESH_RETRY_STATE, attempts: [] };
const refusing = (tool: number): ModelOutcome => ({
  kind: 'failed',
  failure: { kind: 'invalid_request', message: 'bad schema', tool },
  retry: FRESH_RETRY_STATE,
  attempts: [],
});

const asking = (tools: readonly string[]) =>
  ({ model: 'a', tools: tools.map((name) => ({ name, input_schema: {} })) }) as unknown as ModelRequest;

/** Answers each request with the next of these outcomes, and keeps the tools of each request. */
function provider(...outcomes: readonly ModelOutcome[]) {
  const asked: string[][] = [];
  let closed = 0;
  const call: CallModel = async function* (request) {
    const outcome = outcomes[asked.length] as ModelOutcome;
    asked.push(request.tools.map(({ name }) => name));
    try {
      yield attempt;
      return outcome;
    } finally {
      closed += 1;
    }
  };
  return { call, asked, closed: () => closed };
}

async function outcomeOf(call: ReturnType<CallModel>): Promise<ModelOutcome> {
  for (;;) {
    const step = await call.next();
    if (step.done) return step.value;
  }
}

it('a tool that the provider refuses is left out, and the call is repeated (F153)', async () => {
  const { call, asked } = provider(refusing(1), complete);
  const out: string[] = [];
  const layers = [withoutRefusedTools((name) => out.push(name) > 0)];
  expect(await outcomeOf(layered(call, layers)(asking(['Read', 'Bad']), OPTIONS))).toMatchObject({
    kind: 'complete',
  });
  expect({ asked, out }).toEqual({ asked: [['Read', 'Bad'], ['Read']], out: ['Bad'] });
});

it('after five refused tools the call fails', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const { call, asked } = provider(...names.map(() => refusing(0)));
  const out: string[] = [];
  const layers = [withoutRefusedTools((name) => out.push(name) > 0)];
  expect(await outcomeOf(layered(call, layers)(asking(names), OPTIONS))).toMatchObject({ kind: 'failed' });
  expect({ asked: asked.length, out: out.length }).toEqual({ asked: 6, out: 5 });
});

it('a layer may refuse the request before it is made; every layer is called once for what was made', async () => {
  const { call, asked } = provider(complete);
  const ends: unknown[] = [];
  const log: CallLayer = {
    after(_, outcome) {
      ends.push(outcome?.kind);
      return undefined;
    },
  };
  const poor: CallLayer = { before: () => ({ kind: 'budget', message: 'too dear' }) };
  expect(await outcomeOf(layered(call, [poor, log])(asking([]), OPTIONS))).toMatchObject({
    kind: 'failed',
    failure: { kind: 'budget' },
  });
  expect({ asked, ends }).toEqual({ asked: [], ends: [] });
  await outcomeOf(layered(call, [log])(asking([]), OPTIONS));
  expect(ends).toEqual(['complete']);
});

it('a call that its consumer leaves ends once, and nothing follows', async () => {
  const { call, closed } = provider(refusing(0), complete);
  const ends: unknown[] = [];
  const log: CallLayer = {
    after(_, outcome) {
      ends.push(outcome);
      return undefined;
    },
  };
  const running = layered(call, [withoutRefusedTools(() => true), log])(asking(['a']), OPTIONS);
  await running.next();
  await running.return(complete);
  expect(await running.next()).toMatchObject({ done: true });
  expect({ ends, closed: closed() }).toEqual({ ends: [undefined], closed: 1 });
});

it('an error of the call comes out, and its layers are called', async () => {
  const ends: unknown[] = [];
  const broken: CallModel = async function* () {
    yield attempt;
    throw new Error('why');
  };
  const log: CallLayer = {
    after(_, outcome) {
      ends.push(outcome);
      return undefined;
    },
  };
  await expect(outcomeOf(layered(broken, [log])(asking([]), OPTIONS))).rejects.toThrow('why');
  expect(ends).toEqual([undefined]);
});
