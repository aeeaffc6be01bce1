/** Judges values by a JSON Schema. ajv is loaded with the first schema, not with the library. */
import type { ErrorObject } from 'ajv';
import { TurnwrightError } from '../protocol/errors.ts';
import type { JsonSchema } from '../protocol/json.ts';

/** One sentence per problem, each naming where it is; empty when the value fits. */
export type SchemaCheck = (value: unknown) => readonly string[];

/** Throws `invalid_option` for a schema that cannot be judged. Drafts 2020-12 (the default), 2019-09 and 7. */
export async function compileJsonSchema(schema: JsonSchema): Promise<SchemaCheck> {
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  try {
    const ajv = await judge(dialect, schema);
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? [] : (validate.errors ?? []).map(sentence));
  } catch (error) {
    if (error instanceof TurnwrightError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new TurnwrightError('invalid_option', `The JSON schema for the result cannot be used: ${why}.`, {
      cause: error,
    });
  }
}

async function judge(dialect: string, schema: JsonSchema) {
  // Formats are notes, as the standard has it; unknown keywords are the schema's own business.
  const options = { allErrors: true, strict: false, validateFormats: false, multipleOfPrecision: 9 } as const;
  if (/draft-0[467]/.test(dialect) || usesTupleItems(schema)) {
    const { Ajv } = await import('ajv');
    return new Ajv(options);
  }
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return new Ajv2020(options);
}

/** `items` as a list means a tuple in draft 7 and is an error since. */
const usesTupleItems = (schema: JsonSchema): boolean => /"items":\s*\[/.test(JSON.stringify(schema));

function sentence({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath === '' ? 'The value' : instancePath.slice(1).replaceAll('/', '.');
  const extra =
    'additionalProperty' in params
      ? ` (${String(params['additionalProperty'])})`
      : 'allowedValues' in params
        ? `: ${JSON.stringify(params['allowedValues'])}`
        : '';
  return `${where} ${message ?? 'does not fit the schema'}${extra}`;
}
