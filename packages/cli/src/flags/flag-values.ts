/** Values of flags, validated: each parser returns the value or throws one sentence. */

import { readFileSync } from 'node:fs';
import { readHandWrittenJson } from '@turnwright/base/files/plain-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { InvalidArgumentError } from 'commander';

export function appended(word: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), word];
}

export function positiveInteger(word: string): number {
  const value = Number(word);
  if (!Number.isSafeInteger(value) || value <= 0)
    throw new InvalidArgumentError('Give a whole number above 0.');
  return value;
}

export function positiveNumber(word: string): number {
  const value = Number(word);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Give a number above 0.');
  return value;
}

/** The word `none` is passed on. */
export const orNone = (parse: (word: string) => number) => (word: string) => {
  if (word === 'none') return word;
  try {
    return parse(word);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message.replace(/\.$/, '')}, or none.`);
  }
};

export function port(word: string): number {
  const value = Number(word);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('Give a port, 0 to 65535.');
  return value;
}

export function parseWholeNumber(word: string): number {
  const value = Number(word);
  if (word.trim() === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError('Give a whole number, 0 or more.');
  }
  return value;
}

export function fraction(word: string): number {
  const value = Number(word);
  if (!(value >= 0 && value <= 1) || word.trim() === '')
    throw new InvalidArgumentError('Give a share between 0 and 1.');
  return value;
}

/** A JSON object, or the name of a file that contains one. */
export function jsonObject(word: string): Readonly<Record<string, unknown>> {
  const text = word.trimStart().startsWith('{') ? word : readText(word);
  let value: unknown;
  try {
    value = readHandWrittenJson(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}.`);
  }
  if (!isRecord(value)) throw new InvalidArgumentError('Give a JSON object.');
  return value;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InvalidArgumentError('Give a JSON object or the name of a readable file.');
  }
}
