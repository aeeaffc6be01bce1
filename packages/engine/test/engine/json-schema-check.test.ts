import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from '../../src/engine/json-schema-check.ts';
import type { JsonSchema } from '../../src/protocol/json.ts';

const cases: readonly (readonly [string, JsonSchema, readonly unknown[], readonly unknown[]])[] = [
  ['types', { type: 'integer' }, [1, -3, 1e3], [1.5, '1', null, true]],
  ['several types', { type: ['string', 'null'] } as unknown as JsonSchema, ['a', null], [1, []]],
  ['enum with objects', { enum: [{ a: 1 }, 2] }, [{ a: 1 }, 2], [{ a: 2 }, '2']],
  ['const', { const: [1] }, [[1]], [[2], 1]],
  [
    'required and additional',
    { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false },
    [{ a: 0 }],
    [{}, { a: 0, b: 1 }],
  ],
  [
    'additional schema',
    { additionalProperties: { type: 'number' }, properties: { a: { type: 'string' } } },
    [{ a: 'x', b: 1 }],
    [{ a: 'x', b: 'y' }],
  ],
  [
    'pattern properties',
    { patternProperties: { '^x': { type: 'number' } }, additionalProperties: false },
    [{ xa: 1 }],
    [{ xa: 'a' }, { ya: 1 }],
  ],
  ['property names', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  ['dependent required', { dependentRequired: { a: ['b'] } }, [{ a: 1, b: 1 }, { b: 1 }], [{ a: 1 }]],
  ['counts', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  ['items', { items: { type: 'string' }, minItems: 1, maxItems: 2 }, [['a']], [[], ['a', 'b', 'c'], [1]]],
  [
    'tuples',
    { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    [['a', 1, 2]],
    [[1], ['a', 'b']],
  ],
  ['draft 7 tuples', { items: [{ type: 'string' }], additionalItems: false }, [['a']], [['a', 1]]],
  ['unique items', { uniqueItems: true }, [[1, 2]], [[{ a: 1 }, { a: 1 }]]],
  ['contains', { contains: { type: 'number' }, maxContains: 1 }, [['a', 1]], [['a'], [1, 2]]],
  ['numbers', { minimum: 1, exclusiveMaximum: 3, multipleOf: 0.1 }, [1, 2.9, 1.3], [0.9, 3, 1.25]],
  ['strings', { minLength: 2, maxLength: 3, pattern: '^[a-z😀]+$' }, ['ab', '😀😀😀'], ['a', 'abcd', 'AB']],
  ['any of', { anyOf: [{ type: 'string' }, { type: 'number', minimum: 5 }] }, ['a', 5], [4, null]],
  ['one of', { oneOf: [{ minimum: 5 }, { multipleOf: 2 }] }, [4, 5], [6, 3]],
  ['all of', { allOf: [{ minimum: 5 }, { maximum: 7 }] }, [6], [4, 8]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  [
    'if then else',
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } },
    ['ab', 3],
    ['a', 1],
  ],
  ['false', { properties: { a: false } }, [{ b: 1 }], [{ a: 1 }]],
  [
    'a recursive reference',
    {
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } } },
          additionalProperties: false,
        },
      },
    },
    [{}, { kids: [{ kids: [] }] }],
    [{ kids: [{ other: 1 }] }, { kids: 1 }],
  ],
];

describe('the JSON schema check', () => {
  it.each(cases)('%s', (_name, schema, good, bad) => {
    const check = compileJsonSchema(schema);
    for (const value of good) expect(check(value), JSON.stringify(value)).toEqual([]);
    for (const value of bad) expect(check(value).length, JSON.stringify(value)).toBeGreaterThan(0);
  });
  it('names the place and what was expected', () => {
    const check = compileJsonSchema({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'object', required: ['id'] } },
        size: { enum: ['s', 'm'] },
      },
      additionalProperties: false,
    });
    expect(check({ list: [{}] })).toEqual(["list.0 must have required property 'id'"]);
    expect(check({ list: 1 })).toEqual(['list must be array']);
    expect(check({ size: 'x' })).toEqual(['size must be equal to one of the allowed values: ["s","m"]']);
    expect(check({ other: 1 })).toEqual(['The value must NOT have additional properties (other)']);
  });
  it('keeps schemas of the same name apart', () => {
    const named = (type: string) => ({ $id: 'https://example.com/answer', type });
    const checks = ['string', 'number'].map((type) => compileJsonSchema(named(type)));
    expect(checks.map((check) => check('x').length)).toEqual([0, 1]);
  });
  it('refuses what it cannot judge', () => {
    for (const schema of [
      { properties: { a: { $ref: 'https://example.com/x' } } },
      { pattern: '(' },
      { type: 'nonsense' },
    ]) {
      expect(() => compileJsonSchema(schema)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });
});
