/** A caller's JSON Schema in another place than its own: in a field, or in a newer draft. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { JsonSchema } from '../../protocol/json.ts';

/** Keywords whose value is data, however much it looks like a schema. */
const DATA: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples']);
/** Keywords whose value has schemas by names of the caller's own. */
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Where a schema keeps the parts that it refers to: they go to the root of the schema that carries it. */
const SHARED = ['$defs', 'definitions'] as const;

/**
 * An object with the schema in its one field. References keep their targets: the shared parts stand at the
 * root, and what points to another place points into the field.
 */
export function carriedIn(field: string, schema: JsonSchema): JsonSchema {
  const { $id, id: _, $schema: __, ...rest } = schema as Readonly<Record<string, unknown>>;
  const moved = (ref: string): string => {
    const local = typeof $id === 'string' && ref.startsWith(`${$id}#`) ? ref.slice($id.length) : ref;
    if (local !== '#' && !local.startsWith('#/')) return local;
    return SHARED.some((name) => local.startsWith(`#/${name}/`))
      ? local
      : `#/properties/${field}${local.slice(1)}`;
  };
  const { $defs, definitions, ...own } = mapped(rest, (part) =>
    typeof part['$ref'] === 'string' ? { ...part, $ref: moved(part['$ref']) } : part,
  );
  return {
    type: 'object',
    properties: { [field]: own },
    required: [field],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  } as JsonSchema;
}

/** A schema of draft 4 as later drafts write it: limits that are excluded are numbers. */
export function withoutDraft4(schema: JsonSchema): JsonSchema {
  if (!/draft-04/.test(String(schema['$schema'] ?? ''))) return schema;
  const { $schema: _, id: __, ...rest } = schema as Readonly<Record<string, unknown>>;
  return mapped(rest, (part) => limit(limit(part, 'Minimum'), 'Maximum')) as JsonSchema;
}

type Part = Readonly<Record<string, unknown>>;

function limit(part: Part, which: 'Minimum' | 'Maximum'): Part {
  const excluded = `exclusive${which}`;
  const bound = which.toLowerCase();
  if (typeof part[excluded] !== 'boolean') return part;
  const { [excluded]: isExcluded, [bound]: value, ...rest } = part;
  if (value === undefined) return rest;
  return { ...rest, [isExcluded === true ? excluded : bound]: value };
}

/** Every schema in it, itself included, as `change` makes it; data and names stay as they are. */
function mapped(schema: Part, change: (part: Part) => Part): Part {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    return isRecord(value) ? mapped(value, change) : value;
  };
  const named = (value: unknown): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, within(part)]))
      : value;
  const parts = Object.entries(schema).map(([key, value]) => [
    key,
    DATA.has(key) ? value : BY_NAME.has(key) ? named(value) : within(value),
  ]);
  return change(Object.fromEntries(parts));
}
