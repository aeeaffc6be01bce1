/**
 * `parse()` of a tool from its JSON schema, without a library: types, required, enum, const, nested objects
 * and arrays, `additionalProperties: false`, bounds of numbers, texts and lists. Other keywords are ignored:
 * the owner of such a schema validates them (an MCP server does).
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';
import type { ParseResult } from '../../protocol/tools/tool.ts';
import {
  type InputPath,
  missing,
  mistyped,
  outOfRange,
  typeName,
  unexpected,
  unfit,
  wrongLength,
} from '../gate/input-issues.ts';
import { withSpelledValues } from '../gate/spelled-values.ts';

/** Limit of reported problems. */
const MAX_ISSUES = 20;

/** The caller asserts that the schema describes `Input`. Never throws. */
export function createParser<Input>(schema: JsonSchema): (input: JsonObject) => ParseResult<Input> {
  const check = (input: JsonObject): ParseResult<Input> => {
    const issues: string[] = [];
    checkValue(input, { ...schema, type: 'object' }, [], issues);
    return issues.length === 0
      ? { ok: true, input: input as Input }
      : { ok: false, issues: issues.slice(0, MAX_ISSUES) };
  };
  return (input) => {
    const checked = check(input);
    if (checked.ok) return checked;
    const read = withSpelledValues(input, schema);
    return read === input ? checked : check(read);
  };
}

function checkValue(value: unknown, schema: JsonSchema, path: InputPath, issues: string[]): void {
  const types: unknown = schema['type'];
  const allowed = typeof types === 'string' ? [types] : Array.isArray(types) ? types.map(String) : [];
  if (allowed.length > 0 && !allowed.some((type) => isOfType(value, type))) {
    issues.push(mistyped(path, allowed.join(' | '), typeName(value)));
    return;
  }
  const choices = schema['enum'];
  if (Array.isArray(choices) && !choices.includes(value)) {
    issues.push(unfit(path, `must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`));
    return;
  }
  if ('const' in schema && schema['const'] !== value)
    issues.push(unfit(path, `must be ${JSON.stringify(schema['const'])}`));
  if (typeof value === 'number') checkNumber(value, schema, path, issues);
  else if (typeof value === 'string')
    checkLength(value.length, schema, ['minLength', 'maxLength', 'character'], path, issues);
  else if (Array.isArray(value)) checkArray(value, schema, path, issues);
  else if (isRecord(value)) checkObject(value, schema, path, issues);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'object':
      return isRecord(value);
    default:
      return typeName(value) === type;
  }
}

function checkNumber(value: number, schema: JsonSchema, path: InputPath, issues: string[]): void {
  const limit = (keyword: string) => (typeof schema[keyword] === 'number' ? schema[keyword] : undefined);
  const [min, max] = [limit('minimum'), limit('maximum')];
  const [above, below] = [limit('exclusiveMinimum'), limit('exclusiveMaximum')];
  const report = (limit: number, isMost: boolean, inclusive: boolean) =>
    issues.push(unfit(path, outOfRange(limit, isMost, inclusive)));
  if (min !== undefined && value < min) report(min, false, true);
  if (max !== undefined && value > max) report(max, true, true);
  if (above !== undefined && value <= above) report(above, false, false);
  if (below !== undefined && value >= below) report(below, true, false);
}

function checkLength(
  length: number,
  schema: JsonSchema,
  [minKey, maxKey, unit]: readonly [string, string, 'character' | 'item'],
  path: InputPath,
  issues: string[],
): void {
  const [min, max] = [schema[minKey], schema[maxKey]];
  if (typeof min === 'number' && length < min) issues.push(unfit(path, wrongLength(min, false, unit)));
  if (typeof max === 'number' && length > max) issues.push(unfit(path, wrongLength(max, true, unit)));
}

function checkArray(value: readonly unknown[], schema: JsonSchema, path: InputPath, issues: string[]): void {
  checkLength(value.length, schema, ['minItems', 'maxItems', 'item'], path, issues);
  const items = schema['items'];
  if (!isRecord(items)) return;
  for (const [at, item] of value.entries()) {
    if (issues.length >= MAX_ISSUES) return;
    checkValue(item, items, [...path, at], issues);
  }
}

function checkObject(
  value: Record<string, unknown>,
  schema: JsonSchema,
  path: InputPath,
  issues: string[],
): void {
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  for (const key of required) {
    if (!Object.hasOwn(value, key) || value[key] === undefined) issues.push(missing([...path, key]));
  }
  const others = schema['additionalProperties'];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (isRecord(property)) checkValue(item, property, [...path, key], issues);
    else if (property === undefined && others === false) issues.push(unexpected([...path, key]));
    else if (property === undefined && isRecord(others)) checkValue(item, others, [...path, key], issues);
  }
}
