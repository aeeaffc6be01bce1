import type { JsonObject, JsonSchema } from '../../protocol/json.ts';
import { isRecord } from '../../util/is-record.ts';

/**
 * Converts numbers and booleans that a model wrote as text (`"5000"`, `"true"`) to the type of the schema.
 * Returns the same object when nothing is converted. Invalid text is kept, for the validation to refuse.
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
  const { properties } = schema;
  if (!isRecord(value) || !isRecord(properties)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const now = Object.hasOwn(properties, key) ? read(item, properties[key]) : item;
    if (now !== item) {
      copy ??= { ...value };
      copy[key] = now;
    }
  }
  return copy ?? value;
}

function readText(text: string, { type }: Readonly<Record<string, unknown>>): unknown {
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('string')) return text;
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(text)) return Number(text);
  if (types.includes('boolean') && /^\s*(?:true|false)\s*$/i.test(text))
    return text.trim().toLowerCase() === 'true';
  return text;
}
