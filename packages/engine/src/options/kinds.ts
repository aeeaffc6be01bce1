/** The kinds of values of options: how a value is checked, and how it is parsed from the words of a flag. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';

export interface Kind<T> {
  /** Completes "must be …". */
  readonly expected: string;
  accepts(value: unknown): boolean;
  /**
   * Parses the words of a flag; `accepts` then checks the value. `previous`: the value of an earlier flag of
   * the same name.
   */
  readonly read?: ((words: string, previous: T | undefined) => unknown) | undefined;
  /** In place of `read` for words that are JSON: makes the value from the parsed object. */
  readonly fromJson?: ((object: Readonly<Record<string, unknown>>) => unknown) | undefined;
  /** All valid words, if they can be listed. */
  readonly choices?: readonly string[] | undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

export const anyText: Kind<string> = { expected: 'a text', accepts: isText, read: (words) => words };

export const trueOrFalse: Kind<boolean> = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  read: (words) =>
    /^(?:0|false|no|off)$/i.test(words) ? false : /^(?:1|true|yes|on)$/i.test(words) ? true : words,
};

/** An empty word is not a number, although `Number` converts it to 0. */
const numberIn = (words: string): number => (words.trim() === '' ? Number.NaN : Number(words));

export const wholeNumber = (least: number): Kind<number> => ({
  expected: `a whole number of at least ${least}`,
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= least,
  read: numberIn,
});

export const numberAboveZero: Kind<number> = {
  expected: 'a number above 0',
  accepts: (value) => Number.isFinite(value) && (value as number) > 0,
  read: numberIn,
};

export function oneOf<const T extends string>(...choices: readonly T[]): Kind<T> {
  return {
    expected: `one of ${choices.join(', ')}`,
    accepts: (value) => isText(value) && choices.some((choice) => choice === value),
    read: (words) => words,
    choices,
  };
}

/** The words of a flag that is repeated, or takes several words, form one list. */
export const texts: Kind<readonly string[]> = {
  expected: 'a list of texts',
  accepts: isTextList,
  read: (word, previous = []) => [...previous, word],
};

/** Words separated by commas. */
export const names: Kind<readonly string[]> = {
  ...texts,
  read: (words, previous = []) => [...previous, ...namesIn(words)],
};

export function namesOf<const T extends string>(...choices: readonly T[]): Kind<readonly T[]> {
  return {
    expected: `a list of ${choices.join(', ')}`,
    accepts: (value) => isTextList(value) && value.every((name) => choices.some((choice) => choice === name)),
    read: namesIn,
  };
}

/** Names of tools and rules: see `rulesIn`. */
export const rules: Kind<readonly string[]> = {
  expected: 'a list of rules',
  accepts: isTextList,
  read: (words, previous = []) => [...previous, ...rulesIn(words)],
};

export const uuidText: Kind<string> = {
  expected: 'a UUID',
  accepts: (value) =>
    isText(value) && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value),
  read: (words) => words.toLowerCase(),
};

/** An object whose fields are checked where they are used. */
export function object<T extends object>(expected = 'an object'): Kind<T> {
  return { expected, accepts: isRecord, fromJson: (value) => value };
}

/** A function, with any parameters. */
export const callback: Kind<(...given: never[]) => unknown> = {
  expected: 'a function',
  accepts: (value) => typeof value === 'function',
};

/** An object whose named fields must be of these kinds. */
export function objectWith<T extends object>(
  expected: string,
  parts: { readonly [Name in keyof T]?: Kind<T[Name]> },
  words: Pick<Kind<T>, 'read' | 'fromJson'> = {},
): Kind<T> {
  return {
    expected,
    accepts: (value) =>
      isRecord(value) &&
      Object.entries(parts).every(([name, kind]) => (kind as Kind<unknown>).accepts(value[name])),
    ...words,
  };
}

const PLUGIN = objectWith<PluginConfig>('', { type: oneOf('local'), path: anyText });
export const plugins: Kind<readonly PluginConfig[]> = {
  expected: 'a list of { type: "local", path }',
  accepts: (value) => Array.isArray(value) && value.every(PLUGIN.accepts),
  read: (path, previous = []) => [...previous, { type: 'local', path }],
};

/** A value of either kind; words are parsed by the first kind that parses words. */
export function either<A, B>(first: Kind<A>, second: Kind<B>): Kind<A | B> {
  return {
    expected: `${first.expected} or ${second.expected}`,
    accepts: (value) => first.accepts(value) || second.accepts(value),
    read: (first.read ?? second.read) as Kind<A | B>['read'],
    fromJson: first.read === undefined ? (first.fromJson ?? second.fromJson) : undefined,
  };
}

function namesIn(words: string): readonly string[] {
  const found = words.split(',').map((name) => name.trim());
  return found.filter((name) => name !== '');
}

/**
 * Tool names and rules, separated by commas or blanks outside parentheses: `Read,Bash(git log:*)`. An empty
 * word is an empty list.
 */
function rulesIn(words: string): readonly string[] {
  const found: string[] = [];
  let rule = '';
  let depth = 0;
  for (const char of words) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) break;
    if (depth > 0 || !/[\s,]/.test(char)) rule += char;
    else {
      found.push(rule);
      rule = '';
    }
  }
  // Otherwise the text after the parenthesis would be lost, and the rule would apply to the whole tool.
  if (depth !== 0)
    throw new TurnwrightError(
      'invalid_option',
      'A parenthesis is left open or closed twice: write Bash(git log:*).',
    );
  found.push(rule);
  return found.filter((each) => each !== '');
}
