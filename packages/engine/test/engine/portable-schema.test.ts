/** Output schemas whose root is no plain object, and those of older drafts. */
import { expect, it } from 'vitest';
import { compileJsonSchema } from '../../src/engine/json-schema-check.ts';
import { carriedIn, withoutDraft4 } from '../../src/engine/output/portable-schema.ts';
import type { JsonSchema } from '../../src/protocol/json.ts';

const T = { type: 'object', properties: { next: { $ref: '#/$defs/T' } }, required: ['next'] };

/** Schema, a value that it takes, and one that it does not take. */
const CARRIED: Readonly<Record<string, readonly [JsonSchema, unknown, unknown]>> = {
  'a reference at the root': [
    { $ref: '#/$defs/T', $defs: { T: { type: 'object', required: ['a'] } } },
    { a: 1 },
    {},
  ],
  'a list of shared parts': [
    { type: 'array', items: { $ref: '#/definitions/N' }, definitions: { N: { type: 'number' } } },
    [1],
    ['a'],
  ],
  'a choice, with both names of shared parts': [
    {
      anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/definitions/B' }],
      $defs: { A: { type: 'string' } },
      definitions: { B: { type: 'number' } },
    },
    1,
    true,
  ],
  'a recursion by the root': [{ type: 'array', items: { $ref: '#' } }, [[], [[]]], [1]],
  'a pointer into the root': [
    { type: 'array', prefixItems: [{ type: 'number' }], items: { $ref: '#/prefixItems/0' } },
    [1, 2],
    [1, 'a'],
  ],
  'a name of its own': [
    { $id: 'https://x.example/s', $ref: 'https://x.example/s#/$defs/N', $defs: { N: { type: 'number' } } },
    1,
    'a',
  ],
  'data that looks like a reference': [
    { type: ['string', 'object'], enum: ['a', { $ref: '#' }], $defs: { T } },
    'a',
    'b',
  ],
};

it.each(Object.entries(CARRIED))(
  '%s keeps its references when a tool carries it',
  (_what, [schema, good, bad]) => {
    const issuesOf = compileJsonSchema(carriedIn('value', schema));
    expect(issuesOf({ value: good })).toEqual([]);
    expect(issuesOf({ value: bad })).not.toEqual([]);
  },
);

it.each([
  ['http://json-schema.org/draft-04/schema#', 4],
  ['http://json-schema.org/draft-06/schema#', 7],
  ['http://json-schema.org/draft-07/schema', 7],
  ['https://json-schema.org/draft/2019-09/schema', 7],
  ['https://json-schema.org/draft/2020-12/schema', 7],
] as const)('%s is judged', ($schema, draft) => {
  const limit = draft === 4 ? { minimum: 0, exclusiveMinimum: true } : { exclusiveMinimum: 0 };
  const issuesOf = compileJsonSchema(
    withoutDraft4({ $schema, type: 'object', properties: { n: { type: 'number', ...limit } } } as JsonSchema),
  );
  expect(issuesOf({ n: 1 })).toEqual([]);
  expect(issuesOf({ n: 0 })).not.toEqual([]);
});
