import { type ApiError, invalidRequest } from '../api-error.ts';
import { isRecord } from '../request/api-request.ts';
import { isJsonSchema } from './json-schema.ts';
import type { Rule } from './rule.ts';

const INVALID =
  'JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12). Learn more about tool use at https://docs.claude.com/en/docs/tool-use.';
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

export const toolSchema: Rule = {
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
  return isJsonSchema(schema) ? undefined : invalidRequest(`${path}: ${INVALID}`);
}
