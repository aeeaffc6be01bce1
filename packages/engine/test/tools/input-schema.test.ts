import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/protocol/json.ts';
import { createParser } from '../../src/tools/schema/from-json-schema.ts';
import { inputFromZod } from '../../src/tools/schema/from-zod.ts';

describe('from JSON schema', () => {
  const parse = createParser<unknown>({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, maxLength: 3 },
      count: { type: 'integer', minimum: 1, maximum: 9 },
      ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      kind: { enum: ['a', 'b'] },
      fixed: { const: 7 },
      either: { type: ['string', 'null'] },
      list: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
          additionalProperties: false,
        },
      },
      map: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['name'],
    additionalProperties: false,
  });
  const issuesOf = (input: object) => {
    const parsed = parse(input as Record<string, unknown>);
    return parsed.ok ? [] : parsed.issues;
  };

  test.each([
    [
      {
        name: 'ab',
        count: 3,
        ratio: 0.5,
        kind: 'a',
        fixed: 7,
        either: null,
        list: [{ id: 'x' }],
        map: { k: 1 },
      },
      [],
    ],
    [{}, ['The required parameter `name` is missing']],
    [{ name: undefined }, ['The required parameter `name` is missing']],
    [{ name: 'a' }, ['The parameter `name` must have at least 2 characters']],
    [{ name: 'abcd' }, ['The parameter `name` must have at most 3 characters']],
    [
      { name: 'ab', count: 1.5 },
      ['The parameter `count` is expected to be of type `integer` but was provided as `number`'],
    ],
    [{ name: 'ab', count: 0 }, ['The parameter `count` must be at least 1']],
    [{ name: 'ab', count: 10 }, ['The parameter `count` must be at most 9']],
    [{ name: 'ab', ratio: 0 }, ['The parameter `ratio` must be greater than 0']],
    [{ name: 'ab', ratio: 1 }, ['The parameter `ratio` must be less than 1']],
    [{ name: 'ab', kind: 'c' }, ['The parameter `kind` must be one of "a", "b"']],
    [{ name: 'ab', fixed: 8 }, ['The parameter `fixed` must be 7']],
    [
      { name: 'ab', either: 1 },
      ['The parameter `either` is expected to be of type `string | null` but was provided as `number`'],
    ],
    [{ name: 'ab', list: [] }, ['The parameter `list` must have at least 1 item']],
    [
      { name: 'ab', list: {} },
      ['The parameter `list` is expected to be of type `array` but was provided as `object`'],
    ],
    [
      { name: 'ab', list: [{ id: 'x' }, { no: 1 }] },
      ['The required parameter `list[1].id` is missing', 'An unexpected parameter `list[1].no` was provided'],
    ],
    [
      { name: 'ab', map: { k: 'v' } },
      ['The parameter `map.k` is expected to be of type `number` but was provided as `string`'],
    ],
    [
      { name: 'ab', extra: 1, constructor: 2 },
      ['An unexpected parameter `extra` was provided', 'An unexpected parameter `constructor` was provided'],
    ],
  ])('%j', (input, issues) => {
    expect(issuesOf(input)).toEqual(issues);
  });

  test('numbers and booleans may be written as text; what is none is refused', () => {
    const read = createParser<unknown>({
      type: 'object',
      properties: {
        count: { type: 'integer', maximum: 9 },
        ratio: { type: ['number', 'null'] },
        flag: { type: 'boolean' },
        name: { type: 'string' },
        list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
      },
    });
    expect(read({ count: '5', ratio: '-.5', flag: 'true', name: '7', list: [{ n: '1' }, { n: 2 }] })).toEqual(
      {
        ok: true,
        input: { count: 5, ratio: -0.5, flag: true, name: '7', list: [{ n: 1 }, { n: 2 }] },
      },
    );
    for (const input of [
      { count: 'five' },
      { count: '' },
      { count: '10' },
      { count: '1.5' },
      { flag: 'yes' },
    ])
      expect(read(input)).toMatchObject({ ok: false });
  });

  test('the number of issues is bounded', () => {
    expect(
      issuesOf({ name: 'ab', list: Array.from({ length: 1000 }, () => ({})) }).length,
    ).toBeLessThanOrEqual(20);
  });
});

describe('from zod', () => {
  const shape = {
    name: z.string().min(2),
    mode: z.enum(['fast', 'slow']).default('fast'),
    when: z.coerce.number().optional(),
    list: z.array(z.number()).max(1).optional(),
    zoom: z.number().positive().max(8).optional(),
    mail: z.email().optional(),
  };

  test('a raw shape: JSON schema, defaults, coercion, unknown keys dropped', async () => {
    const input = await inputFromZod(shape);
    expect(input.inputJsonSchema).toMatchObject({
      type: 'object',
      required: ['name'],
      properties: { mode: { default: 'fast', enum: ['fast', 'slow'] } },
    });
    expect(input.inputJsonSchema).not.toHaveProperty('$schema');
    expect(await input.parse({ name: 'ab', when: '5', extra: 1 })).toEqual({
      ok: true,
      input: { name: 'ab', mode: 'fast', when: 5 },
    });
  });

  test.each([
    [{}, ['The required parameter `name` is missing']],
    [{ name: 5 }, ['The parameter `name` is expected to be of type `string` but was provided as `number`']],
    [{ name: 'ab', mode: 'x' }, ['The parameter `mode` must be one of "fast", "slow"']],
    [{ name: 'a' }, ['The parameter `name` must have at least 2 characters']],
    [{ name: 'ab', list: [1, 2] }, ['The parameter `list` must have at most 1 item']],
    [{ name: 'ab', zoom: 9 }, ['The parameter `zoom` must be at most 8']],
    [{ name: 'ab', zoom: 0 }, ['The parameter `zoom` must be greater than 0']],
    [{ name: 'ab', mail: 'x' }, [expect.stringMatching(/^The parameter `mail` is not valid: /)]],
  ])('issues of %j', async (value, issues) => {
    expect(await (await inputFromZod(shape)).parse(value)).toEqual({ ok: false, issues });
  });

  test.each([
    ['a plain shape', { n: z.number(), on: z.boolean().optional() }],
    ['a shape that zod checks', { n: z.number().max(9), on: z.boolean().optional() }],
  ])('%s: numbers and booleans may be written as text', async (_, shape) => {
    const { parse } = await inputFromZod(shape);
    expect(await parse({ n: '5', on: 'false' })).toEqual({ ok: true, input: { n: 5, on: false } });
    expect(await parse({ n: 'five' })).toMatchObject({ ok: false });
  });

  test('a strict object refuses unknown keys, a loose one keeps them', async () => {
    expect(await (await inputFromZod(z.strictObject({ a: z.number() }))).parse({ a: 1, b: 2 })).toEqual({
      ok: false,
      issues: ['An unexpected parameter `b` was provided'],
    });
    expect(await (await inputFromZod(z.looseObject({ a: z.number() }))).parse({ a: 1, b: 2 })).toEqual({
      ok: true,
      input: { a: 1, b: 2 },
    });
  });

  test('a refinement may wait, and may throw', async () => {
    const slow = await inputFromZod({ a: z.number().refine(async (n) => n > 1) });
    expect(await slow.parse({ a: 2 })).toEqual({ ok: true, input: { a: 2 } });
    const broken = await inputFromZod({
      a: z.number().refine(() => {
        throw new Error('oops');
      }),
    });
    expect(await broken.parse({ a: 2 })).toEqual({
      ok: false,
      issues: ['The input could not be checked: oops'],
    });
  });

  test('a plain shape is described and parsed as zod does it', async () => {
    const text = fc.string({ maxLength: 3 });
    const field = fc.letrec<Record<'kind' | 'plain', z.ZodType>>((tie) => ({
      plain: fc.oneof(
        fc.constantFrom(z.string(), z.number(), z.boolean()),
        fc.constantFrom(z.enum(['a', 'b']), z.enum({ One: 'a', Two: 'c' }), z.enum({ One: 1 })),
        fc.constantFrom(z.string().min(2), z.number().int(), z.coerce.number(), z.literal('a'), z.null()),
        tie('kind').map((each) => z.array(each)),
      ),
      kind: fc.oneof(
        tie('plain'),
        fc.tuple(tie('plain'), text).map(([each, words]) => each.describe(words)),
        tie('plain').map((each) => each.optional()),
        tie('plain').map((each) => each.meta({ title: 'one', description: 'two' })),
        tie('plain').map((each) => each.default('a')),
      ),
    })).kind;
    const key = fc.constantFrom('a', 'b', 'toString', '__proto__');
    // Without null, which counts as missing where that is allowed, and not for zod alone.
    const value = fc.oneof(
      fc.constantFrom('a', 'b', 1, 1.5, true, Infinity, undefined),
      fc.array(fc.constantFrom('a', 1)),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, field), fc.dictionary(key, value), async (fields, input) => {
        const ours = await inputFromZod(fields);
        const { $schema: _dialect, ...theirs } = z.toJSONSchema(z.object(fields), { io: 'input' });
        expect(ours.inputJsonSchema).toEqual(theirs);
        const { success, data } = z.object(fields).safeParse(input);
        const parsed = await ours.parse(input as JsonObject);
        expect(parsed.ok).toBe(success);
        if (parsed.ok) expect(parsed.input).toStrictEqual(data);
      }),
    );
  });

  test('what is not zod 4 is refused by name', async () => {
    await expect(inputFromZod({ a: { _def: {} } as unknown as z.ZodType })).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('`a`'),
    });
  });

  test('F124 the tools room loads zod and diff only when they are used', async () => {
    const entryPoints = ['schema/from-zod', 'tools-port', 'builtin/index'].map((name) =>
      fileURLToPath(new URL(`../../src/tools/${name}.ts`, import.meta.url)),
    );
    const { metafile } = await build({
      entryPoints,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      external: ['zod', 'diff'],
      outdir: 'unwritten',
      write: false,
      metafile: true,
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    const lazy = imports.filter((i) => i.external === true && !i.path.startsWith('node:'));
    expect(lazy.map((i) => `${i.kind} ${i.path}`).sort()).toEqual([
      'dynamic-import diff',
      'dynamic-import zod',
    ]);
  });
});
