/**
 * What `outputFormat` asks for: the JSON Schema that the model is given, and the judgement of the caller's
 * own schema. Import it dynamically, with the first format. Libraries are recognised by their schemas, and
 * loaded only where a schema cannot describe itself: several versions of one may be in use.
 */

import { andThen } from '@turnwright/base/async/promises.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import {
  type EarlyZodSchema,
  type OutputFormat,
  type OutputSchema,
  type StandardResult,
  type StandardSchema,
  schemaIn,
} from '../../options/output-format.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JsonSchema } from '../../protocol/json.ts';
import { compileJsonSchema, type SchemaCheck } from '../json-schema-check.ts';
import { withoutDraft4 } from './portable-schema.ts';

/** The value that the caller receives, or one sentence per problem. */
export type Judgement =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly string[] };

/** Must not throw. */
export type Judge = (value: unknown) => Judgement | Promise<Judgement>;

export interface OpenedSchema {
  readonly jsonSchema: JsonSchema;
  /** By the JSON Schema. */
  readonly issuesOf: SchemaCheck;
  /** By the caller's schema; undefined: the JSON Schema says everything. */
  readonly judge: Judge | undefined;
}

/** Throws `invalid_option` for a schema that cannot be used. */
export async function openOutputSchema(format: OutputFormat): Promise<OpenedSchema> {
  const schema = schemaIn(format);
  const jsonSchema = withoutDraft4(isJsonSchema(schema) ? schema : await described(schema));
  return { jsonSchema, issuesOf: compileJsonSchema(jsonSchema), judge: createJudge(schema) };
}

/** What `z.toJSONSchema()` returns is one too: it hides the schema that it was made from. */
function isJsonSchema(schema: OutputSchema): schema is JsonSchema {
  if (typeof schema === 'function' || isZod4(schema) || isZod3(schema)) return false;
  return !('~standard' in schema) || !Object.keys(schema).includes('~standard');
}

type AnySchema = StandardSchema | EarlyZodSchema;

/** Of zod 3, whose schemas say by `typeName` what they are. */
const isZod3 = (schema: object): boolean =>
  typeof (schema as { readonly _def?: { readonly typeName?: unknown } })._def?.typeName === 'string';

const isZod4 = (schema: object): boolean => '_zod' in schema;

/** What the model has to write: values before defaults and transforms. */
async function described(schema: AnySchema): Promise<JsonSchema> {
  try {
    if (isZod4(schema)) return closed(await ofZod4(schema));
    if (isZod3(schema)) return await ofZod3(schema);
    const described = describes(schema)?.input({ target: 'draft-2020-12' });
    if (described !== undefined) return described;
  } catch (cause) {
    if (cause instanceof TurnwrightError) throw cause;
    const why = errorText(cause).replace(/\.$/, '');
    throw unusable(`cannot be written as JSON Schema: ${why}.`, cause);
  }
  const { vendor } = (schema as StandardSchema)['~standard'];
  throw unusable(`is of ${vendor}, which does not write it as JSON Schema: give the JSON Schema instead.`);
}

const unusable = (why: string, cause?: unknown): TurnwrightError =>
  new TurnwrightError('invalid_option', `The schema of "outputFormat" ${why}`, { cause });

type Describing = { input(options: { readonly target: string }): JsonSchema };

/** The part of the common interface that not every library has. */
const describes = (schema: AnySchema): Describing | undefined =>
  (schema as { readonly '~standard'?: { readonly jsonSchema?: Describing } })['~standard']?.jsonSchema;

/** Early versions of zod 4, and its `mini`, leave it to a function of the package. */
async function ofZod4(schema: AnySchema): Promise<JsonSchema> {
  const own = describes(schema)?.input({ target: 'draft-2020-12' });
  if (own !== undefined) return own;
  const { toJSONSchema } = await installed(() => import('zod'));
  return toJSONSchema(schema as never, { io: 'input' }) as JsonSchema;
}

async function ofZod3(schema: AnySchema): Promise<JsonSchema> {
  const { zodToJsonSchema } = await installed(() => import('zod-to-json-schema'));
  const options = { target: 'jsonSchema7', pipeStrategy: 'input', $refStrategy: 'root' } as const;
  return zodToJsonSchema(schema as never, options) as JsonSchema;
}

async function installed<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    throw unusable('is of zod, but zod is not installed beside turnwright.', cause);
  }
}

/**
 * The same with `additionalProperties: false` where zod leaves it open, since it drops what is not named: the
 * providers that keep answers to a schema themselves require it. Not in the parts of an intersection.
 */
function closed(schema: JsonSchema): JsonSchema {
  const within = (value: unknown, mayClose: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => within(item, mayClose));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, part]) => {
      const isData = key === 'default' || key === 'const' || key === 'enum' || key === 'examples';
      return [key, isData ? part : within(part, key !== 'allOf')];
    });
    const isOpen = 'properties' in value && !('additionalProperties' in value) && !('allOf' in value);
    const closes = mayClose && isOpen && (value as JsonSchema).type === 'object';
    return { ...Object.fromEntries(entries), ...(closes && { additionalProperties: false }) };
  };
  return within(schema, true) as JsonSchema;
}

/** zod first: by the standard interface it begins a check that waits, and drops the promise of it. */
function createJudge(schema: OutputSchema): Judge | undefined {
  const { safeParseAsync } = schema as Partial<EarlyZodSchema>;
  if (typeof safeParseAsync === 'function')
    return guarded(async (value) => {
      const parsed = (await safeParseAsync.call(schema, value)) as ZodResult;
      return toJudgement(parsed.success ? { value: parsed.data } : { issues: parsed.error.issues });
    });
  const standard = (schema as Partial<StandardSchema>)['~standard'];
  if (typeof standard?.validate !== 'function') return undefined;
  return guarded((value) => andThen(standard.validate(value), toJudgement));
}

type ZodResult =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: Extract<StandardResult<unknown>, { issues: object }> };

/** A refinement of the caller may throw. */
function guarded(judge: Judge): Judge {
  const failed = (error: unknown) => ({ issues: [`The value could not be checked: ${errorText(error)}`] });
  return (value) => {
    try {
      const judgement = judge(value);
      return judgement instanceof Promise ? judgement.catch(failed) : judgement;
    } catch (error) {
      return failed(error);
    }
  };
}

function toJudgement(result: StandardResult<unknown>): Judgement {
  if (result.issues === undefined) return { value: result.value };
  return {
    issues: result.issues.map(({ message, path = [] }) => {
      const where = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
      return `${where === '' ? 'The value' : where}: ${message}`;
    }),
  };
}
