/**
 * Schema and `parse()` of a tool from a zod 4 shape or object. zod is loaded here only, by the first tool
 * whose shape is not plain, or the first invalid input.
 */

import { andThen } from '@turnwright/base/async/promises.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { z } from 'zod';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JsonObject, JsonSchema } from '../../protocol/json.ts';
import type { ParseResult } from '../../protocol/tools/tool.ts';
import {
  type InputPath,
  missing,
  mistyped,
  outOfRange,
  typeName,
  unexpected,
  unfit,
  wrongLength,
} from '../gate/input-issues.ts';
import { withSpelledValues } from '../gate/spelled-values.ts';
import { plainShape } from './plain-shape.ts';

export type ZodShape = Readonly<Record<string, z.ZodType>>;

interface ZodInput<Input> {
  readonly inputJsonSchema: JsonSchema;
  /** Synchronous, unless a refinement or transform of the schema is asynchronous. */
  parse(input: JsonObject): ParseResult<Input> | Promise<ParseResult<Input>>;
}

export async function inputFromZod<Shape extends ZodShape>(
  shape: Shape,
): Promise<ZodInput<z.infer<z.ZodObject<Shape>>>>;
export async function inputFromZod<Schema extends z.ZodType>(
  schema: Schema,
): Promise<ZodInput<z.infer<Schema>>>;
/**
 * Unknown keys are treated as in the zod object: dropped, refused (`strictObject`) or kept (`looseObject`); a
 * raw shape drops them. Throws `invalid_option` when zod is not installed or the schema is not one of zod 4.
 */
export async function inputFromZod(shapeOrSchema: ZodShape | z.ZodType): Promise<ZodInput<unknown>> {
  const plain = isZodType(shapeOrSchema) ? undefined : plainShape(shapeOrSchema);
  if (plain === undefined) return checkedByZod(shapeOrSchema);
  let checked: Promise<ZodInput<unknown>> | undefined;
  return {
    inputJsonSchema: plain.jsonSchema,
    parse(input) {
      const accepted = plain.accept(input) ?? plain.accept(withSpelledValues(input, plain.jsonSchema));
      if (accepted !== undefined) return { ok: true, input: accepted };
      checked ??= checkedByZod(shapeOrSchema);
      return checked.then(({ parse }) => parse(input), unchecked);
    },
  };
}

async function checkedByZod(shapeOrSchema: ZodShape | z.ZodType): Promise<ZodInput<unknown>> {
  const zod = loaded ?? (await loadZod());
  const schema = isZodType(shapeOrSchema) ? shapeOrSchema : toZodObject(zod, shapeOrSchema);
  const { safeParse, safeParseAsync } = zod.core;
  const { $schema: _dialect, ...described } = toJsonSchema(zod, schema);
  const inputJsonSchema = { type: 'object', ...described };
  let mustWait = false;
  const parseLater = async (input: JsonObject): Promise<ParseResult<unknown>> => {
    try {
      const parsed = await safeParseAsync(schema, input);
      mustWait = true;
      return toParseResult(parsed, input);
    } catch (error) {
      return unchecked(error);
    }
  };
  const parse = (input: JsonObject): ParseResult<unknown> | Promise<ParseResult<unknown>> => {
    if (mustWait) return parseLater(input);
    try {
      return toParseResult(safeParse(schema, input, PARSING), input);
    } catch {
      return parseLater(input); // zod says by a throw that there is something to wait for
    }
  };
  return {
    inputJsonSchema,
    parse: (input) =>
      andThen(parse(input), (parsed) => {
        const read = parsed.ok ? input : withSpelledValues(input, inputJsonSchema);
        return read === input ? parsed : parse(read);
      }),
  };
}

/** A refinement of the caller may throw; `parse` must not. */
function unchecked(error: unknown): ParseResult<never> {
  const why = errorText(error);
  return { ok: false, issues: [unfit([], `could not be checked: ${why}`)] };
}

/** Cached: importing a loaded module again still calls Node's loader. */
let loaded: typeof import('zod') | undefined;

/** Without code generation: a tool is not called often enough. */
const PARSING = { jitless: true };

function toParseResult(
  parsed: z.core.util.SafeParseResult<unknown>,
  input: JsonObject,
): ParseResult<unknown> {
  return parsed.success
    ? { ok: true, input: parsed.data }
    : { ok: false, issues: parsed.error.issues.flatMap((issue) => sentences(issue, input)) };
}

async function loadZod(): Promise<typeof import('zod')> {
  try {
    loaded ??= await import('zod');
    return loaded;
  } catch (cause) {
    throw new TurnwrightError(
      'invalid_option',
      'A tool has a zod schema, but zod 4 is not installed beside turnwright.',
      { cause },
    );
  }
}

function isZodType(value: ZodShape | z.ZodType): value is z.ZodType {
  return '_zod' in value && typeof (value as { safeParseAsync?: unknown }).safeParseAsync === 'function';
}

/** A plain zod object, without the methods of the public API. */
function toZodObject(zod: typeof import('zod'), shape: ZodShape): z.core.$ZodType {
  const strangers = Object.entries(shape).filter(
    ([, field]) => typeof field !== 'object' || field === null || !('_zod' in field),
  );
  if (strangers.length > 0) {
    const names = strangers.map(([key]) => `\`${key}\``).join(', ');
    throw new TurnwrightError(
      'invalid_option',
      `These fields of a tool's schema are not zod 4 types: ${names}. Schemas of zod 3 have to be written with zod 4.`,
    );
  }
  return new zod.core.$ZodObject({ type: 'object', shape });
}

function toJsonSchema(zod: typeof import('zod'), schema: z.core.$ZodType): Record<string, unknown> {
  try {
    return zod.z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>;
  } catch (cause) {
    throw new TurnwrightError('invalid_option', "A tool's zod schema cannot be written as JSON Schema.", {
      cause,
    });
  }
}

function sentences(issue: z.core.$ZodIssue, input: JsonObject): string[] {
  const path: InputPath = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  const value = valueAt(input, path);
  if (value === undefined && path.length > 0) return [missing(path)];
  switch (issue.code) {
    case 'invalid_type':
      return [mistyped(path, issue.expected, typeName(value))];
    case 'unrecognized_keys':
      return issue.keys.map((key) => unexpected([...path, key]));
    case 'invalid_value':
      return [
        unfit(path, `must be one of ${issue.values.map((choice) => JSON.stringify(choice)).join(', ')}`),
      ];
    case 'too_big':
    case 'too_small': {
      const bound = describeBound(issue);
      if (bound !== undefined) return [unfit(path, bound)];
    }
  }
  return [unfit(path, `is not valid: ${issue.message}`)];
}

/** The same wording as the check of a JSON schema, which the tool has when its host is another process. */
function describeBound(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string | undefined {
  const [limit, isMost] = issue.code === 'too_big' ? [issue.maximum, true] : [issue.minimum, false];
  switch (issue.origin) {
    case 'number':
    case 'int':
      return outOfRange(Number(limit), isMost, issue.inclusive !== false);
    case 'string':
      return wrongLength(Number(limit), isMost, 'character');
    case 'array':
      return wrongLength(Number(limit), isMost, 'item');
    default:
      return undefined;
  }
}

function valueAt(input: unknown, path: InputPath): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
