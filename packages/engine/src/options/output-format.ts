/** What `outputFormat` takes: a schema of a library, or a JSON Schema. */
import type { JsonSchema } from '../protocol/json.ts';
import type { Kind } from './kinds.ts';

/**
 * A schema by the interface that libraries have in common (standardschema.dev): zod 3.24 and newer, zod 4,
 * ArkType and others. `Output`: what it makes of a valid value.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** A schema of zod before 3.24. */
export interface EarlyZodSchema<Output = unknown> {
  readonly _output: Output;
  safeParseAsync(value: unknown): Promise<unknown>;
}

/** A schema whose values are of type `Output`. A plain JSON Schema does not say what type that is. */
export type OutputSchema<Output = unknown> = StandardSchema<Output> | EarlyZodSchema<Output> | JsonSchema;

/** A schema, or one in the form of the Messages API's `output_config`. */
export type OutputFormat<Output = unknown> =
  | OutputSchema<Output>
  | { readonly type: 'json_schema'; readonly schema: OutputSchema<Output> };

/** `Output`, but `unknown` where it is `any`: what a model answered is never exempt from checks. */
export type Known<Output> = 0 extends 1 & Output ? unknown : Output;

/** The schema that a format carries. */
export function schemaIn(format: OutputFormat): OutputSchema {
  return isWrapped(format) ? format.schema : (format as OutputSchema);
}

const isWrapped = (format: OutputFormat): format is Extract<OutputFormat, { readonly type: 'json_schema' }> =>
  (format as { readonly type?: unknown }).type === 'json_schema';

/** Schemas of some libraries are functions. */
const isSchema = (value: unknown): value is OutputSchema =>
  typeof value === 'function' || (typeof value === 'object' && value !== null && !Array.isArray(value));

/** Required of a JSON Schema without a wrapper: every object would be valid otherwise. */
const hasKeyword = (value: object): boolean =>
  Object.entries(value).some(
    ([name, part]) =>
      /^(?:\$schema|\$ref|properties|items|enum|const|(?:any|one|all)Of)$/.test(name) ||
      (name === 'type' && /^(?:object|array|string|number|integer|boolean|null)\b/.test(String(part))),
  );

export const outputFormat: Kind<OutputFormat> = {
  expected: 'a schema, or { type: "json_schema", schema }',
  accepts: (value) => {
    if (!isSchema(value)) return false;
    if (isWrapped(value)) return isSchema(value.schema);
    return '~standard' in value || '_def' in value || hasKeyword(value);
  },
  fromJson: (schema) => ({ type: 'json_schema', schema }),
};
