/** Judges values by a JSON Schema. Brings ajv along: import it dynamically, with the first schema. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { Ajv, type ErrorObject } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { TurnwrightError } from '../protocol/errors.ts';
import type { JsonSchema } from '../protocol/json.ts';

/** One sentence per problem, each naming where it is; empty when the value fits. */
export type SchemaCheck = (value: unknown) => readonly string[];

/**
 * Throws `invalid_option` for a schema that cannot be judged. Drafts 2020-12 (the default), 2019-09, 7
 * and 6; of draft 4 what `withoutDraft4` makes of it.
 */
export function compileJsonSchema(schema: JsonSchema): SchemaCheck {
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  try {
    // The dialect is chosen here: its name may be one that the library does not know in this spelling.
    const { $schema: _, ...rules } = schema;
    const { Judge, described } = pickDialect(dialect, schema);
    described().validateSchema(rules, true);
    const validate = new Judge({ ...OPTIONS, validateSchema: false }).compile(rules);
    return (value) => (validate(value) ? [] : (validate.errors ?? []).map(sentence));
  } catch (error) {
    if (error instanceof TurnwrightError) throw error;
    const why = errorText(error);
    throw new TurnwrightError('invalid_option', `The JSON schema for the result cannot be used: ${why}.`, {
      cause: error,
    });
  }
}

// Formats are notes, as the standard has it; unknown keywords are the schema's own business.
const OPTIONS = { allErrors: true, strict: false, validateFormats: false, multipleOfPrecision: 9 } as const;

/**
 * A dialect describes itself by a schema, by which a caller's schema is checked. Compiling it takes twenty
 * times as long as compiling a caller's, and is done once in a process. A caller's schema is compiled in an
 * instance of its own: its names must not meet those of another caller's.
 */
const DRAFT_7 = { Judge: Ajv, described: lazily(() => new Ajv(OPTIONS)) };
const DRAFT_2019 = { Judge: Ajv2019, described: lazily(() => new Ajv2019(OPTIONS)) };
const DRAFT_2020 = { Judge: Ajv2020, described: lazily(() => new Ajv2020(OPTIONS)) };

const pickDialect = (dialect: string, schema: JsonSchema) =>
  /draft-0[467]/.test(dialect) || usesTupleItems(schema)
    ? DRAFT_7
    : dialect.includes('2019-09')
      ? DRAFT_2019
      : DRAFT_2020;

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
