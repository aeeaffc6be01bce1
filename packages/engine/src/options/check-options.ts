/** Checks options against their rows. */

import { isSlip } from '@turnwright/base/text/is-slip.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { Kind } from './kinds.ts';
import { findOptionRow, OPTIONS, type OptionName, type OptionRow } from './table.ts';

type Given = { readonly [Name in OptionName]?: unknown };

/**
 * Throws `invalid_option` for a name that is not in the table, a value of another kind, and a contradiction.
 */
export function checkOptions(options: Given): void {
  for (const name of Object.keys(options)) {
    const value = options[name as OptionName];
    if (value === undefined) continue;
    const row = findOptionRow(name);
    if (row === undefined) throw invalidOption(name, `is not supported${meant(name, Object.keys(OPTIONS))}`);
    checkValue(name, row, value);
  }
  const problem = contradiction(options, (name) => `"${name}"`);
  if (problem !== undefined)
    throw new TurnwrightError('invalid_option', `The options contradict each other: ${problem}`);
}

/** Throws `invalid_option` when the value is of another kind than the option's. */
export function checkValue(name: string, row: Pick<OptionRow, 'is'>, value: unknown): void {
  if (value !== undefined && !row.is.accepts(value)) throw invalidOption(name, mustBe(row.is, value));
}

/** The options that exclude or need others, in the order of the table. */
const RELATED = Object.entries<OptionRow>(OPTIONS).flatMap(([name, { excludes, needs }]) =>
  excludes === undefined && needs === undefined ? [] : [{ name: name as OptionName, excludes, needs }],
);

/** The first contradiction between options, as a sentence: two that exclude each other, or a missing one. */
export function contradiction(options: Given, called: (name: OptionName) => string): string | undefined {
  const isGiven = (name: OptionName) => options[name] !== undefined && options[name] !== false;
  for (const { name, excludes, needs } of RELATED) {
    if (!isGiven(name)) continue;
    if (excludes !== undefined && isGiven(excludes))
      return `${called(name)} and ${called(excludes)} exclude each other.`;
    if (needs !== undefined && !needs.some(isGiven))
      return `${called(name)} needs ${needs.map(called).join(' or ')}.`;
  }
  return undefined;
}

/** The known name that a misspelled one resembles, in brackets; '' if none does. */
function meant(name: string, known: readonly string[]): string {
  const near = known.find((each) => isSlip(name, each));
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}

export function invalidOption(name: string, what: string): TurnwrightError {
  return new TurnwrightError('invalid_option', `The option "${name}" ${what}.`);
}

export function mustBe({ expected }: Pick<Kind<never>, 'expected'>, value: unknown): string {
  return `must be ${expected}, got ${shown(value)}`;
}

/** The value for a message, without its content if it is an object or a list. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
