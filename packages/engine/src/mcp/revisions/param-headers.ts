/**
 * Arguments of calls that are also headers of their request over HTTP, where a server's schema says so
 * (`x-mcp-header`), for those who route requests without reading them.
 */
import { isRecord } from '@turnwright/base/json-values.ts';

/** Where in the arguments, and the header. */
export interface MirroredParam {
  readonly path: readonly string[];
  readonly header: string;
}

type Schema = Readonly<Record<string, unknown>>;

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * The protocol excludes `number`; servers that have it all the same, its own tests among them, check the
 * header.
 */
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean', 'number'];

/** Of one tool. `problem`: what is wrong with its schema, for which the protocol has the tool left out. */
export function mirroredParams(schema: unknown): readonly MirroredParam[] | { readonly problem: string } {
  const params: MirroredParam[] = [];
  const visit = (properties: Schema, path: readonly string[]): void => {
    for (const [name, property] of Object.entries(properties)) {
      if (!isRecord(property)) continue;
      const header = property[KEY];
      const here = [...path, name];
      if (typeof header === 'string' && TOKEN.test(header) && TYPES.includes(property['type']))
        params.push({ path: here, header: `Mcp-Param-${header}` });
      if (isRecord(property['properties'])) visit(property['properties'], here);
    }
  };
  if (isRecord(schema) && isRecord(schema['properties'])) visit(schema['properties'], []);
  const names = new Set(params.map(({ header }) => header.toLowerCase()));
  if (names.size < params.length) return { problem: `two of its inputs have the same "${KEY}"` };
  return params.length < occurrencesIn(schema)
    ? {
        problem: `its "${KEY}" is no name of a header, or not at an input that is a text, a number or a boolean`,
      }
    : params;
}

/** Bounded as schemas are: what is nested too deeply was refused before. */
function occurrencesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + occurrencesIn(each), 0);
  if (!isRecord(value)) return 0;
  let found = KEY in value ? 1 : 0;
  for (const [name, each] of Object.entries(value)) {
    // Names of inputs are no keywords.
    const isNames = name === 'properties' && isRecord(each);
    if (isNames) for (const property of Object.values(each)) found += occurrencesIn(property);
    else if (!VALUES.includes(name)) found += occurrencesIn(each);
  }
  return found;
}

/** Keywords that hold values and no schemas. */
const VALUES: readonly string[] = ['const', 'default', 'enum', 'examples', KEY];

/** Headers of a call with these arguments. */
export function paramHeaders(params: readonly MirroredParam[], input: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of params) {
    const value = path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), input);
    const text = toText(value);
    if (text !== undefined) headers[header] = fieldValue(text);
  }
  return headers;
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** As it is if it is safe in a header, else as base64 of its UTF-8, with marks around it. */
function fieldValue(text: string): string {
  const isPlain = /^[\x20-\x7e\t]+$/.test(text) && text.trim() === text && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
