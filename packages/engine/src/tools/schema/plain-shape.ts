/**
 * Shapes of strings, numbers, booleans, enums and lists of them, without further checks: most tools have no
 * others. Their JSON Schema and their validation do not need zod, which is large and slow on first use.
 */
import type { z } from 'zod';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';

interface PlainShape {
  /** Same as zod's output. */
  readonly jsonSchema: JsonSchema;
  /** Same as zod's result; undefined: invalid, and zod reports why. */
  accept(input: JsonObject): JsonObject | undefined;
}

interface Kind {
  readonly jsonSchema: JsonSchema;
  fits(value: unknown): boolean;
}

/** undefined: a field has another kind, or further checks. */
export function plainShape(shape: Readonly<Record<string, z.core.$ZodType>>): PlainShape | undefined {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const fields: [key: string, fits: Kind['fits'], isOptional: boolean][] = [];
  for (const [key, field] of Object.entries(shape)) {
    const isOptional = hasOnly(field, 'optional', 'innerType');
    const inner = isOptional ? toKind(inside(field, 'innerType')) : toKind(field);
    const kind = isOptional && inner !== undefined ? described(inner, field) : inner;
    if (kind === undefined || key === '__proto__') return undefined;
    properties[key] = kind.jsonSchema;
    if (!isOptional) required.push(key);
    fields.push([key, kind.fits, isOptional]);
  }
  return {
    jsonSchema: { type: 'object', properties, ...(required.length > 0 && { required }) },
    accept(input) {
      const accepted: Record<string, JsonObject[string]> = {};
      for (const [key, fits, isOptional] of fields) {
        const value = input[key];
        if (fits(value)) accepted[key] = value;
        else if (!isOptional || key in input) return undefined;
      }
      return accepted;
    },
  };
}

function toKind(field: z.core.$ZodType): Kind | undefined {
  if (hasOnly(field, 'string')) return described(STRING, field);
  if (hasOnly(field, 'number')) return described(NUMBER, field);
  if (hasOnly(field, 'boolean')) return described(BOOLEAN, field);
  if (hasOnly(field, 'enum', 'entries'))
    return described(choiceOf(Object.values(inside(field, 'entries'))), field);
  if (!hasOnly(field, 'array', 'element')) return undefined;
  const each = toKind(inside(field, 'element'));
  return each && described(listOf(each), field);
}

const STRING: Kind = { jsonSchema: { type: 'string' }, fits: (value) => typeof value === 'string' };
const NUMBER: Kind = { jsonSchema: { type: 'number' }, fits: (value) => Number.isFinite(value) };
const BOOLEAN: Kind = { jsonSchema: { type: 'boolean' }, fits: (value) => typeof value === 'boolean' };

function choiceOf(choices: readonly unknown[]): Kind | undefined {
  if (!choices.every((choice) => typeof choice === 'string')) return undefined;
  return {
    jsonSchema: { type: 'string', enum: choices },
    fits: (value) => choices.includes(value as string),
  };
}

function listOf(each: Kind): Kind {
  return {
    jsonSchema: { type: 'array', items: each.jsonSchema },
    fits: (value) => Array.isArray(value) && value.every(each.fits),
  };
}

/** With its description; undefined if it has other metadata. */
function described(kind: Kind | undefined, field: z.core.$ZodType): Kind | undefined {
  const { description, ...more } = (field as z.ZodType).meta() ?? {};
  if (kind === undefined || Object.keys(more).length > 0) return undefined;
  return description === undefined ? kind : { ...kind, jsonSchema: { ...kind.jsonSchema, description } };
}

const NOTHING_MORE: readonly string[] = ['type', 'error'];

/** Whether it has this type, without checks, coercion and other parts than `part`. */
function hasOnly(field: z.core.$ZodType, type: string, part?: string): boolean {
  const { def, toJSONSchema } = field?._zod ?? {};
  if (def?.type !== type || toJSONSchema !== undefined || !('meta' in field)) return false;
  for (const [key, value] of Object.entries(def)) {
    const isEmpty = value === undefined || (key === 'checks' && (value as readonly unknown[]).length === 0);
    if (!isEmpty && key !== part && !NOTHING_MORE.includes(key)) return false;
  }
  return true;
}

/** What `hasOnly` has found. */
// biome-ignore lint/suspicious/noExplicitAny: zod's types do not say what each type of schema is made of
const inside = (field: z.core.$ZodType, part: string): any => (field._zod.def as any)[part];
