/**
 * Text for the model about problems of a tool's input: one sentence each, with the field and what was
 * expected.
 */

export type InputPath = readonly (string | number)[];

/** `todos[0].content` */
function showPath(path: InputPath): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('');
}

export const missing = (path: InputPath) => `The required parameter \`${showPath(path)}\` is missing`;

export const unexpected = (path: InputPath) => `An unexpected parameter \`${showPath(path)}\` was provided`;

export const mistyped = (path: InputPath, expected: string, provided: string) =>
  path.length === 0
    ? `The input is expected to be of type \`${expected}\` but is of type \`${provided}\``
    : `The parameter \`${showPath(path)}\` is expected to be of type \`${expected}\` but was provided as \`${provided}\``;

export const unfit = (path: InputPath, rule: string) =>
  path.length === 0 ? `The input ${rule}` : `The parameter \`${showPath(path)}\` ${rule}`;

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** `InputValidationError: Bash failed due to the following issue: …` */
export function inputValidationError(toolName: string, issues: readonly string[]): string {
  const [only] = issues;
  return issues.length === 1 && only !== undefined
    ? `InputValidationError: ${toolName} failed due to the following issue: ${only}`
    : `InputValidationError: ${toolName} failed due to the following issues:\n${issues.join('\n')}`;
}

/** For `unfit`: a number beyond its limit, which itself may count as within. */
export function outOfRange(limit: number, isMost: boolean, inclusive: boolean): string {
  if (inclusive) return `must be at ${isMost ? 'most' : 'least'} ${limit}`;
  return `must be ${isMost ? 'less' : 'greater'} than ${limit}`;
}

/** For `unfit`: a text or list that is too long or too short. */
export function wrongLength(limit: number, isMost: boolean, unit: 'character' | 'item'): string {
  return `must have at ${isMost ? 'most' : 'least'} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}
