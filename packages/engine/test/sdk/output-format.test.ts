/** `outputFormat`: what it takes, what the model is asked for, and the type of `structured_output`. */

import { gather, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { callTool, recordingStore, type ScriptStep, scriptedModel } from '@turnwright/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { z as mini } from 'zod/mini';
import { z as z3 } from 'zod/v3';
import {
  type JsonSchema,
  type Options,
  type OutputFormat,
  type Query,
  QueryEngine,
  query,
  type SDKMessage,
  type SDKResultSuccess,
  startup,
} from '../../src/index.ts';

const TREE = { tree: 'larch', heightM: 40 };
const calls = (value: Readonly<Record<string, unknown>>) => callTool('StructuredOutput', value);

/** The result of a run whose model plays these steps, and the schema that the model was given. */
async function asked(outputFormat: OutputFormat, ...steps: readonly ScriptStep[]) {
  const { query: running, model } = queryUnderTest(steps, 'Which tree is it?', { outputFormat });
  const { messages } = await gather(running);
  const tool = model.requests[0]?.tools.find(({ name }) => name === 'StructuredOutput');
  return { messages, result: messages.at(-1), schema: tool?.input_schema as JsonSchema | undefined, model };
}

describe('what is taken', () => {
  const shape = { tree: z.string(), heightM: z.number() };
  const mine: JsonSchema = {
    type: 'object',
    properties: { tree: { type: 'string' }, heightM: { type: 'number' } },
    required: ['tree', 'heightM'],
    additionalProperties: false,
  };

  it.each<[string, OutputFormat]>([
    ['a schema of zod 4', z.object(shape)],
    ['a schema of zod/mini', mini.object({ tree: mini.string(), heightM: mini.number() })],
    ['a schema of zod 3', z3.object({ tree: z3.string(), heightM: z3.number() })],
    ['a wrapped schema', { type: 'json_schema', schema: z.object(shape) }],
    ['z.toJSONSchema()', z.toJSONSchema(z.object(shape))],
    ['z.toJSONSchema(), wrapped', { type: 'json_schema', schema: z.toJSONSchema(z.object(shape)) }],
    ['a JSON Schema', mine],
    ['a JSON Schema, wrapped', { type: 'json_schema', schema: mine }],
  ])('%s', async (_, outputFormat) => {
    const { result, schema } = await asked(outputFormat, calls({ tree: 'larch' }), calls(TREE));
    expect(schema).toMatchObject(mine);
    expect(result).toMatchObject({
      subtype: 'success',
      structured_output: TREE,
      result: JSON.stringify(TREE),
    });
  });

  it('a schema of zod before 3.24, which lacks the standard interface', async () => {
    const early = z3.object({ tree: z3.string().transform((text) => text.length) });
    Object.defineProperty(early, '~standard', { value: undefined });
    const { result } = await asked(early, calls({ tree: 'larch' }));
    expect(result).toMatchObject({ structured_output: { tree: 5 }, result: '{"tree":"larch"}' });
  });

  it('a schema of another library that describes itself', async () => {
    const { result } = await asked(
      {
        '~standard': {
          version: 1,
          vendor: 'mine',
          validate: (value) =>
            value === 'larch' ? { value: 'Larix' } : { issues: [{ message: 'no tree', path: [] }] },
          jsonSchema: { input: () => ({ type: 'string' }) },
        },
      } as OutputFormat,
      calls({ value: 'shrub' }),
      calls({ value: 'larch' }),
    );
    expect(result).toMatchObject({ structured_output: 'Larix', result: '"larch"' });
  });

  it.each<[string, unknown, RegExp]>([
    ['an object without keywords', { schema: { type: 'object' } }, /"outputFormat" must be a schema/],
    ['a text', 'a tree', /"outputFormat" must be a schema/],
    ['a wrapper without a schema', { type: 'json_schema' }, /"outputFormat" must be a schema/],
  ])('not %s', (_, outputFormat, why) => {
    expect(() => query({ prompt: 'x', options: { outputFormat } as Options })).toThrow(why);
  });

  it.each<[string, OutputFormat, RegExp]>([
    ['a type of no JSON value', z.object({ planted: z.date() }), /cannot be written as JSON Schema: Date/],
    [
      'a schema that cannot be judged',
      { type: 'object', properties: 7 },
      /JSON schema for the result cannot be used/,
    ],
    [
      'a schema of a library that does not describe itself',
      { '~standard': { version: 1, vendor: 'mine', validate: (value) => ({ value }) } },
      /is of mine, which does not write it as JSON Schema/,
    ],
  ])('not %s', async (_, outputFormat, why) => {
    const { error } = await gather(queryUnderTest([], 'x', { outputFormat }).query);
    expect(error).toMatchObject({ code: 'invalid_option', message: expect.stringMatching(why) });
  });
});

describe('what the schema makes of the value', () => {
  const Visit = z
    .object({ on: z.iso.date().transform((text) => new Date(text)), guests: z.number().default(1) })
    .refine(({ guests }) => guests < 5, 'too many guests');

  it('is the structured output; the result and the journal have the JSON that the model gave', async () => {
    const store = recordingStore();
    const model = scriptedModel([calls({ on: '2026-05-04' })]);
    const engine = new QueryEngine({
      cwd: process.cwd(),
      tools: [],
      callModel: model.callModel,
      outputFormat: Visit,
      store,
    });
    const messages: SDKMessage<z.infer<typeof Visit>>[] = [];
    for await (const message of engine.submitMessage('When?')) messages.push(message);
    await engine.close();
    expect(messages.at(-1)).toMatchObject({
      structured_output: { on: new Date('2026-05-04'), guests: 1 },
      result: '{"on":"2026-05-04"}',
    });
    const recorded = store.entries(engine.sessionId).find(({ type }) => type === 'result');
    expect(recorded).toMatchObject({ result: { structured_output: { on: '2026-05-04' } } });
  });

  it('a value that it refuses goes back to the model with the reason', async () => {
    const { messages, result } = await asked(
      Visit,
      calls({ on: '2026-05-04', guests: 7 }),
      calls({ on: '2026-05-04', guests: 2 }),
    );
    expect(JSON.stringify(messages)).toContain('The value: too many guests');
    expect(result).toMatchObject({ structured_output: { guests: 2 } });
  });

  it('waits for a schema that has to ask, and an error in it is the reason for the model', async () => {
    const known = z.object({ tree: z.string() }).refine(async ({ tree }) => {
      await Promise.resolve();
      if (tree === 'oak') throw new Error('the register is closed');
      return tree === 'larch';
    }, 'not in the register');
    const { messages, result } = await asked(
      known,
      calls({ tree: 'oak' }),
      calls({ tree: 'shrub' }),
      calls({ tree: 'larch' }),
    );
    expect(JSON.stringify(messages)).toMatch(/the register is closed.*not in the register/s);
    expect(result).toMatchObject({ structured_output: { tree: 'larch' } });
  });

  it('an answer that it refuses five times is an error', async () => {
    const { result } = await asked(Visit, ...Array(5).fill(calls({ on: '2026-05-04', guests: 9 })));
    expect(result).toMatchObject({ subtype: 'error_max_structured_output_retries' });
  });

  it('parts that a value has to meet together stay open, what zod drops is closed, and data is kept', async () => {
    const both = z.object({
      who: z.intersection(z.object({ first: z.string() }), z.object({ last: z.string() })),
      more: z.looseObject({ x: z.number() }).default({ x: 1 }),
    });
    const value = { who: { first: 'Ada', last: 'Lovelace' }, more: { x: 1, y: 2 } };
    const { result, schema } = await asked(both, calls(value));
    expect(result).toMatchObject({ structured_output: value });
    expect(schema).toMatchObject({ additionalProperties: false });
  });
});

describe('the type of structured_output', () => {
  const Review = z.object({ verdict: z.enum(['merge', 'change']), reasons: z.array(z.string()) });
  type Review = z.infer<typeof Review>;
  type Told<Q> =
    Q extends AsyncIterable<infer Message>
      ? Extract<Message, { subtype: 'success'; type: 'result' }> extends { structured_output?: infer Value }
        ? Value
        : 'no result'
      : 'no messages';
  const ask = <Output>(outputFormat: OutputFormat<Output>) =>
    query<Output>({ prompt: 'x', options: { outputFormat } });

  it('is that of the schema', () => {
    const typed = () => query({ prompt: 'x', options: { outputFormat: Review } });
    expectTypeOf<ReturnType<typeof typed>>().toEqualTypeOf<Query<Review>>();
    expectTypeOf<Told<ReturnType<typeof typed>>>().toEqualTypeOf<Review>();
    const wrapped = () =>
      query({ prompt: 'x', options: { outputFormat: { type: 'json_schema', schema: Review } } });
    expectTypeOf<ReturnType<typeof wrapped>>().toEqualTypeOf<Query<Review>>();
    const described = () => query({ prompt: 'x', options: { outputFormat: z.toJSONSchema(Review) } });
    expectTypeOf<ReturnType<typeof described>>().toEqualTypeOf<Query<Review>>();
    const earlier = () =>
      query({ prompt: 'x', options: { outputFormat: z3.object({ tree: z3.string().default('oak') }) } });
    expectTypeOf<ReturnType<typeof earlier>>().toEqualTypeOf<Query<{ tree: string }>>();
    const small = () => query({ prompt: 'x', options: { outputFormat: mini.array(mini.number()) } });
    expectTypeOf<ReturnType<typeof small>>().toEqualTypeOf<Query<number[]>>();
    const generic = () => ask(Review);
    expectTypeOf<ReturnType<typeof generic>>().toEqualTypeOf<Query<Review>>();
  });

  it('is unknown without a schema, with a plain one, and where the schema says any', () => {
    const none = () => query({ prompt: 'x' });
    expectTypeOf<ReturnType<typeof none>>().toEqualTypeOf<Query>();
    expectTypeOf<Told<Query>>().toEqualTypeOf<unknown>();
    const plain = () =>
      query({
        prompt: 'x',
        options: { outputFormat: { type: 'object', properties: { tree: { type: 'string' } } } },
      });
    expectTypeOf<ReturnType<typeof plain>>().toEqualTypeOf<Query<unknown>>();
    const anything = () => query({ prompt: 'x', options: { outputFormat: z.any() } });
    expectTypeOf<ReturnType<typeof anything>>().toEqualTypeOf<Query<unknown>>();
    const options: Options = { outputFormat: Review };
    const later = () => query({ prompt: 'x', options });
    expectTypeOf<ReturnType<typeof later>>().toEqualTypeOf<Query<unknown>>();
  });

  it('is the type argument where one is given, which a schema must agree with', () => {
    const plain = () =>
      query<Review>({ prompt: 'x', options: { outputFormat: { type: 'json_schema', schema: {} } } });
    expectTypeOf<ReturnType<typeof plain>>().toEqualTypeOf<Query<Review>>();
    const other = z.object({ n: z.number() });
    // @ts-expect-error the schema is of another type
    const wrong = () => query<Review>({ prompt: 'x', options: { outputFormat: other } });
    expectTypeOf(wrong).toBeFunction();
  });

  it('reaches through the engine and a warm session, and is one of the untyped messages', () => {
    const engine = () => new QueryEngine({ cwd: '/', tools: [], outputFormat: Review });
    expectTypeOf<ReturnType<typeof engine>>().toEqualTypeOf<QueryEngine<Review>>();
    expectTypeOf<Told<ReturnType<ReturnType<typeof engine>['submitMessage']>>>().toEqualTypeOf<Review>();
    const warm = async () => (await startup({ options: { outputFormat: Review } })).query('x');
    expectTypeOf<Awaited<ReturnType<typeof warm>>>().toEqualTypeOf<Query<Review>>();
    const inEngine = () => query({ prompt: 'x', options: { engine: { outputFormat: Review } } });
    expectTypeOf<ReturnType<typeof inEngine>>().toEqualTypeOf<Query<Review>>();
    const named = () => new QueryEngine({ cwd: '/', tools: [], jsonSchema: Review });
    expectTypeOf<ReturnType<typeof named>>().toEqualTypeOf<QueryEngine<Review>>();
    expectTypeOf<SDKMessage<Review>>().toExtend<SDKMessage>();
    expectTypeOf<Query<Review>>().toExtend<Query>();
    expectTypeOf<Options<Review>>().toExtend<Options>();
    expectTypeOf<SDKResultSuccess['structured_output']>().toEqualTypeOf<unknown>();
  });

  it('no public type is any', () => {
    expectTypeOf<SDKMessage>().not.toBeAny();
    expectTypeOf<SDKMessage<Review>>().not.toBeAny();
    expectTypeOf<Query<Review>>().not.toBeAny();
    expectTypeOf<Options['outputFormat']>().not.toBeAny();
  });
});
