import { isRecord } from '@turnwright/base/json-values.ts';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';

/**
 * Converts numbers and booleans that a model wrote as text (`"5000"`, `"true"`) to the type of the schema,
 * and leaves out a `null` in place of an absent field. Returns the same object when nothing changes. Invalid
 * text is kept, for the validation to refuse.
 */
export function withSpelledValues(input: JsonObject, schema: JsonSchema): JsonObject {
  return read(input, { ...schema, type: 'object' }) as JsonObject;
}

const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/;

function read(value: unknown, schema: unknown): unknown {
  if (!isRecord(schema)) return value;
  if (typeof value === 'string') return readText(value, schema);
  if (Array.isArray(value)) {
    const items = value.map((item) => read(item, schema['items']));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const { properties, required } = schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(properties, key)) continue;
    const isAbsent = item === null && !isIn(required, key) && !admitsNull(properties[key]);
    const now = isAbsent ? undefined : read(item, properties[key]);
    if (now === item) continue;
    copy ??= { ...value };
    if (isAbsent) delete copy[key];
    else copy[key] = now;
  }
  return copy ?? value;
}

const isIn = (list: unknown, item: unknown): boolean => Array.isArray(list) && list.includes(item);

/** Of a schema that says too little to tell: true. */
function admitsNull(schema: unknown): boolean {
  if (!isRecord(schema)) return true;
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(values)) return values.includes(null);
  if (Array.isArray(anyOf)) return anyOf.some(admitsNull);
  return type === undefined || type === 'null' || isIn(type, 'null');
}

function readText(text: string, { type }: Readonly<Record<string, unknown>>): unknown {
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('string')) return text;
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(text)) return Number(text);
  if (types.includes('boolean') && /^\s*(?:true|false)\s*$/i.test(text))
    return text.trim().toLowerCase() === 'true';
  return text;
}
