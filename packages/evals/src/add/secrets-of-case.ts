/**
 * What must not be written into a case: secrets of the environment, of `.env` files, and those of a known
 * form.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RemovedSecret, removeSecrets } from '@turnwright/base/text/secret-text.ts';
import { isWithheld } from '@turnwright/engine/settings/resolve/child-env.ts';

/** Removes what it knows of from texts, and keeps where it was. */
export interface SecretRemover {
  /** `place`: names the text. */
  text(text: string, place: string): string;
  /** Every text in a value. */
  value<T>(value: T, place: string): T;
  /** `an API key: prompt line 1`, one for each kind and place. Never a value. */
  readonly removed: readonly string[];
}

/** `folder`: where `.env` files may be. */
export async function openSecretRemover(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SecretRemover> {
  const known = new Map<string, string>();
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && isWithheld(name, value) && isTelling(value))
      known.set(value, `the value of ${name}`);
  const names = await readdir(folder).catch(() => []);
  for (const file of names.filter((name) => /^\.env(?:\.|$)/.test(name)))
    for (const [, name = '', value] of valuesIn(await readFile(join(folder, file), 'utf8').catch(() => '')))
      if (value !== undefined && isTelling(value)) known.set(value, `the value of ${name} in ${file}`);
  // A value that contains another one goes first.
  const longestFirst = new Map([...known].sort(([a], [b]) => b.length - a.length));
  const removed = new Set<string>();
  const note = (place: string) => (secret: RemovedSecret) =>
    removed.add(`${secret.kind}: ${place}${secret.line > 1 ? ` line ${secret.line}` : ''}`);
  const text = (given: string, place: string) => {
    const left = removeSecrets(given, longestFirst);
    left.removed.forEach(note(place));
    return left.text;
  };
  const value = (given: unknown, place: string): unknown => {
    if (typeof given === 'string') return text(given, place);
    if (Array.isArray(given)) return given.map((item) => value(item, place));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([key, item]) => [key, value(item, place)]));
  };
  return {
    text,
    value: (given, place) => value(given, place) as typeof given,
    get removed() {
      return [...removed];
    },
  };
}

const valuesIn = (text: string) =>
  text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*["']?(.*?)["']?\s*$/gm);

/** Words and numbers that are in every text are no secrets: `true`, `production`, `3000`. */
const isTelling = (value: string): boolean =>
  value.length >= 8 && !/^(?:[a-z]+|[A-Z]+|\d{1,8}|https?:\/\/localhost[:\d/]*)$/.test(value);
