/**
 * Checks a value against a JSON Schema (the keywords that drafts 7 and 2020-12 share, `$defs` and local `$ref`).
 * `format` and the other annotations decide nothing, as the standard has it. A schema that uses a keyword this
 * check cannot judge is refused when it is compiled, so that nothing passes unchecked.
 */

import { isDeepStrictEqual } from 'node:util';
import { TurnwrightError } from '../protocol/errors.ts';
import type { JsonObject, JsonSchema } from '../protocol/json.ts';

export type SchemaCheck = (value: unknown) => readonly string[];

/** One sentence per problem, each naming its place. Throws `invalid_option` when the schema cannot be judged. */
export function compileJsonSchema(schema: JsonSchema): SchemaCheck {
  refuseUnknown(schema, schema, '#');
  return (value) => issuesOf({ root: schema, schema, value, path: '' }, 0);
}

interface Place {
  readonly root: JsonSchema;
  readonly schema: unknown;
  readonly value: unknown;
  readonly path: string;
}

const UNSUPPORTED = new Set([
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
  '$recursiveRef',
  'dependencies',
]);

/** A `$ref` that leads to itself without consuming any of the value would not end. */
const MAX_DEPTH = 200;

function issuesOf(place: Place, depth: number): readonly string[] {
  const { schema, value, path, root } = place;
  if (schema === true || schema === undefined) return [];
  const at = path === '' ? 'The value' : path;
  if (schema === false) return [`${at} is not allowed`];
  if (depth > MAX_DEPTH) return [`${at} is nested too deeply to be checked`];
  const s = schema as JsonObject;
  const check = (inner: unknown, v: unknown = value, p: string = path) =>
    issuesOf({ root, schema: inner, value: v, path: p }, depth + 1);
  const fits = (inner: unknown, v: unknown = value) => check(inner, v).length === 0;

  const types = s['type'] === undefined ? [] : [s['type']].flat().map(String);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [`${at} must be ${types.join(' or ')}, but is ${typeName(value)}`];
  }
  const issues: string[] = [];
  if (Array.isArray(s['enum']) && !s['enum'].some((choice) => isDeepStrictEqual(choice, value))) {
    issues.push(`${at} must be one of ${s['enum'].map((choice) => JSON.stringify(choice)).join(', ')}`);
  }
  if ('const' in s && !isDeepStrictEqual(s['const'], value))
    issues.push(`${at} must be ${JSON.stringify(s['const'])}`);
  if (typeof s['$ref'] === 'string') issues.push(...check(resolveRef(root, s['$ref'])));
  for (const inner of listOf(s['allOf'])) issues.push(...check(inner));
  if (Array.isArray(s['anyOf']) && !s['anyOf'].some((inner) => fits(inner))) {
    issues.push(
      `${at} fits none of the ${s['anyOf'].length} allowed forms (${firstIssue(s['anyOf'], check)})`,
    );
  }
  if (Array.isArray(s['oneOf'])) {
    const count = s['oneOf'].filter((inner) => fits(inner)).length;
    if (count === 0)
      issues.push(
        `${at} fits none of the ${s['oneOf'].length} allowed forms (${firstIssue(s['oneOf'], check)})`,
      );
    if (count > 1) issues.push(`${at} fits ${count} forms where exactly one is allowed`);
  }
  if ('not' in s && fits(s['not'])) issues.push(`${at} has a form that is not allowed`);
  if ('if' in s) issues.push(...check(fits(s['if']) ? s['then'] : s['else']));

  if (typeof value === 'number') issues.push(...numberIssues(value, s, at));
  else if (typeof value === 'string') issues.push(...stringIssues(value, s, at));
  else if (Array.isArray(value)) issues.push(...arrayIssues(value, s, at, path, check, fits));
  else if (isObject(value)) issues.push(...objectIssues(value, s, at, path, check, fits));
  return issues;
}

type Check = (schema: unknown, value?: unknown, path?: string) => readonly string[];
type Fits = (schema: unknown, value?: unknown) => boolean;

function numberIssues(value: number, s: JsonObject, at: string): string[] {
  const issues: string[] = [];
  const bound = (key: string, broken: (limit: number) => boolean, words: string) => {
    const limit = s[key];
    if (typeof limit === 'number' && broken(limit)) issues.push(`${at} must be ${words} ${limit}`);
  };
  bound('minimum', (limit) => value < limit, 'at least');
  bound('maximum', (limit) => value > limit, 'at most');
  bound('exclusiveMinimum', (limit) => value <= limit, 'greater than');
  bound('exclusiveMaximum', (limit) => value >= limit, 'less than');
  bound('multipleOf', (step) => !isMultiple(value, step), 'a multiple of');
  return issues;
}

/** Binary fractions are not exact: 0.3 counts as a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

function stringIssues(value: string, s: JsonObject, at: string): string[] {
  const issues: string[] = [];
  const length = [...value].length;
  if (typeof s['minLength'] === 'number' && length < s['minLength'])
    issues.push(`${at} must have at least ${s['minLength']} characters`);
  if (typeof s['maxLength'] === 'number' && length > s['maxLength'])
    issues.push(`${at} must have at most ${s['maxLength']} characters`);
  if (typeof s['pattern'] === 'string' && !patternOf(s['pattern']).test(value))
    issues.push(`${at} must match /${s['pattern']}/`);
  return issues;
}

function arrayIssues(
  value: readonly unknown[],
  s: JsonObject,
  at: string,
  path: string,
  check: Check,
  fits: Fits,
): string[] {
  const issues: string[] = [];
  if (typeof s['minItems'] === 'number' && value.length < s['minItems'])
    issues.push(`${at} must have at least ${s['minItems']} items`);
  if (typeof s['maxItems'] === 'number' && value.length > s['maxItems'])
    issues.push(`${at} must have at most ${s['maxItems']} items`);
  if (
    s['uniqueItems'] === true &&
    value.some((item, i) => value.slice(0, i).some((other) => isDeepStrictEqual(item, other)))
  ) {
    issues.push(`${at} must not hold an item twice`);
  }
  // Draft 7 writes a tuple as a list under `items`, 2020-12 under `prefixItems`.
  const tuple = listOf(s['prefixItems'] ?? (Array.isArray(s['items']) ? s['items'] : []));
  const rest = Array.isArray(s['items']) ? s['additionalItems'] : s['items'];
  for (const [i, item] of value.entries())
    issues.push(...check(i < tuple.length ? tuple[i] : rest, item, `${path}[${i}]`));
  if ('contains' in s) {
    const count = value.filter((item) => fits(s['contains'], item)).length;
    const min = typeof s['minContains'] === 'number' ? s['minContains'] : 1;
    const max = typeof s['maxContains'] === 'number' ? s['maxContains'] : Number.POSITIVE_INFINITY;
    if (count < min || count > max) issues.push(`${at} holds ${count} items of the required form`);
  }
  return issues;
}

function objectIssues(
  value: JsonObject,
  s: JsonObject,
  at: string,
  path: string,
  check: Check,
  fits: Fits,
): string[] {
  const issues: string[] = [];
  const keys = Object.keys(value);
  const inside = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const key of listOf(s['required']).map(String)) {
    if (!Object.hasOwn(value, key)) issues.push(`${inside(key)} is missing`);
  }
  for (const [key, needs] of Object.entries(objectOf(s['dependentRequired']))) {
    if (!Object.hasOwn(value, key)) continue;
    for (const other of listOf(needs).map(String)) {
      if (!Object.hasOwn(value, other)) issues.push(`${inside(other)} is missing beside ${key}`);
    }
  }
  for (const [key, inner] of Object.entries(objectOf(s['dependentSchemas']))) {
    if (Object.hasOwn(value, key)) issues.push(...check(inner));
  }
  if (typeof s['minProperties'] === 'number' && keys.length < s['minProperties'])
    issues.push(`${at} must have at least ${s['minProperties']} fields`);
  if (typeof s['maxProperties'] === 'number' && keys.length > s['maxProperties'])
    issues.push(`${at} must have at most ${s['maxProperties']} fields`);
  const properties = objectOf(s['properties']);
  const patterns = Object.entries(objectOf(s['patternProperties'])).map(([source, inner]) => ({
    pattern: patternOf(source),
    inner,
  }));
  for (const key of keys) {
    const known = Object.hasOwn(properties, key);
    const matching = patterns.filter(({ pattern }) => pattern.test(key));
    if (known) issues.push(...check(properties[key], value[key], inside(key)));
    for (const { inner } of matching) issues.push(...check(inner, value[key], inside(key)));
    if (!known && matching.length === 0) {
      if (s['additionalProperties'] === false) issues.push(`${inside(key)} is not a known field`);
      else issues.push(...check(s['additionalProperties'], value[key], inside(key)));
    }
    if ('propertyNames' in s && !fits(s['propertyNames'], key))
      issues.push(`${inside(key)} has a name that is not allowed`);
  }
  return issues;
}

function firstIssue(forms: readonly unknown[], check: Check): string {
  return check(forms[0])[0] ?? 'no form given';
}

/** `#`, `#/$defs/name` and the like; an address elsewhere is refused when the schema is compiled. */
function resolveRef(root: JsonSchema, ref: string): unknown {
  let at: unknown = root;
  for (const part of ref
    .replace(/^#\/?/, '')
    .split('/')
    .filter((p) => p !== '')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null ? (at as JsonObject)[key] : undefined;
  }
  return at;
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);

function refuseUnknown(root: JsonSchema, schema: unknown, where: string): void {
  if (Array.isArray(schema)) {
    for (const [i, inner] of schema.entries()) refuseUnknown(root, inner, `${where}/${i}`);
    return;
  }
  if (!isObject(schema)) return;
  const named = /\/(properties|patternProperties|\$defs|definitions|dependentSchemas)$/.test(where);
  for (const [key, inner] of Object.entries(schema)) {
    if (!named && UNSUPPORTED.has(key)) throw refused(where, `uses "${key}", which is not supported`);
    if (!named && DATA.has(key)) continue;
    if (
      !named &&
      key === '$ref' &&
      (typeof inner !== 'string' || !inner.startsWith('#') || resolveRef(root, inner) === undefined)
    ) {
      throw refused(where, `refers to ${JSON.stringify(inner)}, which is not in the schema`);
    }
    if (!named && key === 'pattern') patternOf(String(inner), where);
    if (/\/patternProperties$/.test(where)) patternOf(key, where);
    refuseUnknown(root, inner, `${where}/${key}`);
  }
}

function patternOf(source: string, where = '#'): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    try {
      return new RegExp(source);
    } catch (cause) {
      throw refused(where, `has a pattern that is no regular expression: ${source}`, cause);
    }
  }
}

function refused(where: string, what: string, cause?: unknown): TurnwrightError {
  return new TurnwrightError('invalid_option', `The JSON schema ${what} (at ${where}).`, { cause });
}

function isOfType(value: unknown, type: string): boolean {
  return type === 'integer'
    ? Number.isInteger(value)
    : type === 'number'
      ? typeof value === 'number'
      : typeName(value) === type;
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

const isObject = (value: unknown): value is JsonObject => typeName(value) === 'object';
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
