/** What stands behind a flag, checked: each parser returns the value or throws one sentence. */
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import type { PermissionMode } from '../../index.ts';

/**
 * Tool names and rules, separated by commas or blanks outside parentheses, in one word or several:
 * `Read,Bash(git log:*)`, `Read "Bash(git log:*)"`. An empty word stands for an empty list.
 */
export function ruleList(words: string, previous: readonly string[] | undefined): readonly string[] {
  const rules: string[] = [];
  let rule = '';
  let depth = 0;
  for (const char of words) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) break;
    if (depth > 0 || !/[\s,]/.test(char)) rule += char;
    else {
      rules.push(rule);
      rule = '';
    }
  }
  // Passed over, what stands behind the parenthesis would be lost, and the rule would hold for the whole tool.
  if (depth !== 0)
    throw new InvalidArgumentError('A parenthesis is left open or closed twice: write Bash(git log:*).');
  rules.push(rule);
  return [...(previous ?? []), ...rules.filter((each) => each !== '')];
}

export function appended(word: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), word];
}

export function positiveInteger(word: string): number {
  const value = Number(word);
  if (!Number.isSafeInteger(value) || value <= 0)
    throw new InvalidArgumentError('Give a whole number above 0.');
  return value;
}

export function port(word: string): number {
  const value = Number(word);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('Give a port, 0 to 65535.');
  return value;
}

export function wholeNumber(word: string): number {
  const value = Number(word);
  if (word.trim() === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError('Give a whole number, 0 or more.');
  }
  return value;
}

export function usd(word: string): number {
  const value = Number(word);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('Give an amount in USD above 0.');
  return value;
}

export function fraction(word: string): number {
  const value = Number(word);
  if (!(value >= 0 && value <= 1) || word.trim() === '')
    throw new InvalidArgumentError('Give a share between 0 and 1.');
  return value;
}

export function uuid(word: string): string {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(word)) {
    throw new InvalidArgumentError('Give a UUID.');
  }
  return word.toLowerCase();
}

/** The modes of the engine, and two names for its default: `manual`, and `auto`, whose classifier there is none of. */
export type PermissionModeName = PermissionMode | 'manual' | 'auto';

export function permissionModeOf(name: PermissionModeName | undefined): PermissionMode | undefined {
  return name === 'manual' || name === 'auto' ? 'default' : name;
}

export const SETTING_SOURCES = ['user', 'project', 'local'] as const;
export type SettingSource = (typeof SETTING_SOURCES)[number];

/** An empty word: no settings files at all. */
export function settingSources(word: string): readonly SettingSource[] {
  const names = word.split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== '')
    .map((name) => {
      const source = SETTING_SOURCES.find((known) => known === name);
      if (source === undefined)
        throw new InvalidArgumentError(`Give a list of ${SETTING_SOURCES.join(', ')}.`);
      return source;
    });
}

/** JSON in place, or the name of a file that holds it. */
export function jsonObject(word: string): Readonly<Record<string, unknown>> {
  const text = word.trimStart().startsWith('{') ? word : readText(word);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It is not JSON: ${(error as Error).message}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError('Give a JSON object.');
  }
  return value as Readonly<Record<string, unknown>>;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new InvalidArgumentError('Give a JSON object or the name of a readable file.');
  }
}
