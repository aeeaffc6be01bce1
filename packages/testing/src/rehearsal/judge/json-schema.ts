/** Whether a value is a JSON schema of draft 2020-12, by its own keywords. References are not followed. */
import { isRecord } from '@turnwright/base/json-values.ts';

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const SCHEMA = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const SCHEMA_LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SCHEMA_MAP = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const NUMBER = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNT = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
const STRING = [
  '$id',
  '$ref',
  '$anchor',
  '$comment',
  'title',
  'description',
  'format',
  'contentEncoding',
  'contentMediaType',
];

type Check = (value: unknown) => boolean;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ...SCHEMA.map((key) => [key, isJsonSchema] as const),
  ...SCHEMA_LIST.map((key) => [key, isSchemaList] as const),
  ...SCHEMA_MAP.map((key) => [key, isSchemaMap] as const),
  ...NUMBER.map((key) => [key, isNumber] as const),
  ...COUNT.map((key) => [key, isCount] as const),
  ...STRING.map((key) => [key, isString] as const),
  ['type', isType],
  ['required', isUniqueStrings],
  ['enum', Array.isArray],
  ['pattern', isPattern],
  ['uniqueItems', isBoolean],
  ['$schema', isString],
]);

export function isJsonSchema(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (!isRecord(value)) return false;
  for (const key in value) {
    const check = CHECKS.get(key);
    if (check !== undefined && !check(value[key])) return false;
  }
  return true;
}

function isSchemaList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonSchema);
}

function isSchemaMap(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isJsonSchema);
}

function isType(value: unknown): boolean {
  if (Array.isArray(value))
    return isUniqueStrings(value) && value.length > 0 && value.every((type) => TYPES.has(type));
  return typeof value === 'string' && TYPES.has(value);
}

function isUniqueStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString) && new Set(value).size === value.length;
}

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
