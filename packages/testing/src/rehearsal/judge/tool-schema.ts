import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiError, invalidRequest } from '../api-errors.ts';
import { isJsonSchema } from './json-schema.ts';
import type { JudgeRule } from './judge-rule.ts';

const INVALID =
  'JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.';
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

export const toolSchema: JudgeRule = {
  name: 'tool-schema',
  check({ tools }) {
    for (const [at, tool] of tools.entries()) {
      // Server tools have no schema.
      if (tool['type'] !== undefined && tool['type'] !== 'custom') continue;
      const error = checkSchema(tool['input_schema'], `tools.${at}.custom.input_schema`);
      if (error !== undefined) return error;
    }
    return undefined;
  },
};

function checkSchema(schema: unknown, path: string): ApiError | undefined {
  if (schema === undefined) return invalidRequest(`${path}: Field required`);
  if (!isRecord(schema)) return invalidRequest(`${path}: Input should be an object`);
  if (schema['type'] === undefined) return invalidRequest(`${path}.type: Field required`);
  if (schema['type'] !== 'object') return invalidRequest(`${path}.type: Input should be 'object'`);
  if ('oneOf' in schema || 'allOf' in schema || 'anyOf' in schema) {
    return invalidRequest(`${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  }
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  if (Object.keys(properties).some((key) => !PROPERTY_KEY.test(key))) {
    return invalidRequest(`${path}.properties: Property keys should match pattern '${PROPERTY_KEY.source}'`);
  }
  if (!isJsonSchema(schema)) return invalidRequest(`${path}: ${INVALID}`);
  const dangling = danglingReference(schema, schema);
  if (dangling === undefined) return undefined;
  return invalidRequest(`${path}: JSON schema is invalid: "${dangling}" refers to nothing in it`);
}

/** The first reference within the schema that has no target. `root`: what references are read from. */
function danglingReference(part: unknown, root: unknown): string | undefined {
  if (Array.isArray(part)) return findFirstDangling(part, root);
  if (!isRecord(part)) return undefined;
  const { $ref, const: _, enum: __, default: ___, examples: ____, ...rest } = part;
  const own = typeof part['$id'] === 'string' ? part : root;
  if (typeof $ref === 'string' && ($ref === '#' || $ref.startsWith('#/')) && !leadsSomewhere($ref, own))
    return $ref;
  return findFirstDangling(Object.values(rest), own);
}

function findFirstDangling(parts: readonly unknown[], root: unknown): string | undefined {
  for (const part of parts) {
    const found = danglingReference(part, root);
    if (found !== undefined) return found;
  }
  return undefined;
}

function leadsSomewhere(ref: string, root: unknown): boolean {
  let at = root;
  for (const step of ref.split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if ((!isRecord(at) && !Array.isArray(at)) || !Object.hasOwn(at, key)) return false;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}
