/**
 * Converts an input schema to one that the API accepts (F152), or says why it cannot: one invalid schema
 * would make every request fail. Where the result is more permissive, the server still validates.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';

type ToolSchema =
  | {
      readonly ok: true;
      readonly schema: JsonSchema;
      /** The server's names of properties that were renamed, by the name that the model uses. */
      readonly renamed: ReadonlyMap<string, string>;
    }
  | { readonly ok: false; readonly problem: string };

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const MAX_DEPTH = 64;
const MAX_SCHEMA_CHARS = 100_000;
const MAX_TEXT_CHARS = 4_000;
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = [
  'additionalProperties',
  'not',
  'contains',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedProperties',
];
const MANY = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** Never throws. */
export function readToolSchema(raw: unknown): ToolSchema {
  if (raw === undefined || raw === null || raw === true)
    return { ok: true, schema: { type: 'object', properties: {} }, renamed: new Map() };
  try {
    if (!isRecord(raw)) throw new Unfit('is not an object');
    if (JSON.stringify(raw).length > MAX_SCHEMA_CHARS)
      throw new Unfit(`is longer than ${MAX_SCHEMA_CHARS} characters`);
    const flat = flatten(normalise(raw, 0), raw);
    checkReferences(flat, flat);
    const { schema, renamed } = renameProperties(flat);
    return { ok: true, schema: { ...schema, type: 'object' }, renamed };
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, problem: `its input schema ${error.message}` };
    return { ok: false, problem: 'its input schema cannot be read' };
  }
}

/** The model's input in the server's names. */
export function inServerNames(input: JsonObject, renamed: ReadonlyMap<string, string>): JsonObject {
  if (renamed.size === 0) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [renamed.get(key) ?? key, value]));
}

class Unfit extends Error {}

type Schema = Record<string, unknown>;

/** Older drafts become 2020-12, texts are cleaned, invalid schemas are refused. */
function normalise(schema: Schema, depth: number): Schema {
  if (depth > MAX_DEPTH) throw new Unfit(`is nested deeper than ${MAX_DEPTH} levels`);
  const out: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    // The dialect is the API's; an id would change the base of references.
    if (key === '$schema' || key === '$id' || key === 'id' || value === undefined) continue;
    if (ONE.includes(key)) out[key] = subschema(value, depth, key);
    else if (MANY.includes(key)) {
      if (!Array.isArray(value)) throw new Unfit(`has no list as "${key}"`);
      if (value.length > 0) out[key] = value.map((each) => subschema(each, depth, key));
    } else if (NAMED.includes(key)) {
      if (!isRecord(value)) throw new Unfit(`has no object as "${key}"`);
      out[key] = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, subschema(each, depth, name)]),
      );
    } else if (key === 'items') {
      // A list means a tuple up to draft 7.
      if (Array.isArray(value)) out['prefixItems'] = value.map((each) => subschema(each, depth, key));
      else out['items'] = subschema(value, depth, key);
    } else out[key] = keyword(key, value, schema);
    if (out[key] === undefined) delete out[key];
  }
  return out;
}

function subschema(value: unknown, depth: number, where: string): unknown {
  if (typeof value === 'boolean') return value;
  if (!isRecord(value)) throw new Unfit(`has no schema at "${where}"`);
  return normalise(value, depth + 1);
}

/** undefined: left out. */
function keyword(key: string, value: unknown, schema: Schema): unknown {
  switch (key) {
    case 'type': {
      const types = Array.isArray(value) ? value : [value];
      const stray = types.find((type) => !TYPES.includes(type as string));
      if (stray !== undefined || types.length === 0)
        throw new Unfit(`names the unknown type ${JSON.stringify(stray)}`);
      return value;
    }
    case 'required':
      // A boolean at the property itself was draft 3.
      return Array.isArray(value)
        ? [...new Set(value.filter((name) => typeof name === 'string'))]
        : undefined;
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'exclusiveMinimum':
    case 'exclusiveMaximum': {
      if (typeof value === 'number') return value;
      // Draft 4: a flag beside the bound.
      return value === true ? schema[key === 'exclusiveMinimum' ? 'minimum' : 'maximum'] : undefined;
    }
    case 'pattern':
      return typeof value === 'string' && compiles(value) ? value : undefined;
    case 'description':
    case 'title':
    case '$comment':
      return typeof value === 'string' ? cleanText(value, MAX_TEXT_CHARS) : undefined;
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return Number.isInteger(value) && (value as number) >= 0 ? value : undefined;
    case 'minimum':
    case 'maximum':
      return typeof value === 'number' ? value : undefined;
    case 'multipleOf':
      return typeof value === 'number' && value > 0 ? value : undefined;
    default:
      return value;
  }
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/**
 * The API accepts no `anyOf`, `oneOf`, `allOf` or `$ref` at the top level: the alternatives become one object
 * that has all their properties and requires what all of them require.
 */
function flatten(schema: Schema, root: unknown): Schema {
  const { anyOf, oneOf, allOf, $ref, ...rest } = schema;
  const own = typeof $ref === 'string' ? { ...objectAt($ref, schema), ...rest } : rest;
  if (!mayBeObject(own)) throw new Unfit('describes no object');
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? [list] : []));
  const all = Array.isArray(allOf) ? allOf : [];
  if (alternatives.length === 0 && all.length === 0 && $ref === undefined) return own;
  const branch = (each: unknown): Schema =>
    isRecord(each)
      ? flatten({ $defs: schema['$defs'], definitions: schema['definitions'], ...each }, root)
      : {};
  let merged: Schema = own;
  for (const each of all) merged = both(merged, branch(each), 'union');
  for (const list of alternatives) {
    const branches = list.filter((each) => !isRecord(each) || mayBeObject(each)).map(branch);
    const [first, ...others] = branches;
    if (first === undefined) throw new Unfit('describes no object');
    merged = both(
      merged,
      others.reduce((sum, each) => both(sum, each, 'intersection'), first),
      'union',
    );
  }
  return merged;
}

function both(left: Schema, right: Schema, required: 'union' | 'intersection'): Schema {
  const list = (value: unknown) => (Array.isArray(value) ? (value as string[]) : []);
  const [one, two] = [list(left['required']), list(right['required'])];
  const properties: Schema = { ...asRecord(left['properties']) };
  for (const [name, value] of Object.entries(asRecord(right['properties']))) {
    const before = properties[name];
    properties[name] =
      before === undefined || JSON.stringify(before) === JSON.stringify(value)
        ? value
        : { anyOf: [before, value] };
  }
  const needed =
    required === 'union' ? [...new Set([...one, ...two])] : one.filter((name) => two.includes(name));
  const { additionalProperties: _, ...rest } = { ...right, ...left };
  return { ...rest, properties, required: needed };
}

function asRecord(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function mayBeObject(schema: Schema): boolean {
  const { type } = schema;
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function objectAt(reference: string, root: Schema): Schema {
  const found = resolveReference(reference, root);
  if (!isRecord(found) || found['$ref'] !== undefined)
    throw new Unfit(`refers to "${reference}", which is no object in it`);
  return found;
}

function checkReferences(value: unknown, root: Schema): void {
  if (Array.isArray(value)) for (const each of value) checkReferences(each, root);
  if (!isRecord(value)) return;
  const reference = value['$ref'];
  if (typeof reference === 'string' && resolveReference(reference, root) === undefined)
    throw new Unfit(`refers to "${cleanText(reference, 100)}", which is not in it`);
  for (const each of Object.values(value)) checkReferences(each, root);
}

function resolveReference(reference: string, root: Schema): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference
    .slice(2)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>(
    (at, key) =>
      isRecord(at) && Object.hasOwn(at, key) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined,
    root,
  );
}

function renameProperties(schema: Schema): { schema: Schema; renamed: ReadonlyMap<string, string> } {
  const properties = asRecord(schema['properties']);
  const renamed = new Map<string, string>();
  const wire = new Map<string, string>();
  const taken = new Set(Object.keys(properties).filter((name) => PROPERTY_NAME.test(name)));
  for (const name of Object.keys(properties)) {
    if (PROPERTY_NAME.test(name)) continue;
    const plain = name.replace(/[^a-zA-Z0-9_.-]/g, '_').slice(0, 60) || '_';
    let free = plain;
    for (let n = 2; taken.has(free); n++) free = `${plain}_${n}`;
    taken.add(free);
    renamed.set(free, name);
    wire.set(name, free);
  }
  if (wire.size === 0) return { schema, renamed };
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  return {
    renamed,
    schema: {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [wire.get(name) ?? name, value]),
      ),
      required: required.map((name) => wire.get(name) ?? name),
    },
  };
}
