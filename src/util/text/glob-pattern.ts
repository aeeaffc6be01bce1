/**
 * Patterns for absolute and relative paths: `*`, `?`, `**` and `{a,b}`. Bounded, as patterns may come from
 * untrusted text.
 */

import { isSameList } from '../collections/made-once.ts';
import { matchesSegments } from './wildcards.ts';

const MAX_CHARS = 300;
const MAX_ALTERNATIVES = 64;

/** A pattern that is too long or has too many alternatives matches nothing. */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern.length > MAX_CHARS) return false;
  const alternatives = expandBraces(pattern.replaceAll('\\', '/'), MAX_ALTERNATIVES);
  const segments = split(path.replaceAll('\\', '/'));
  return alternatives.some((each) => matchesSegments(split(each), segments));
}

const split = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== '.');

/** Every expansion of the braces; the text itself when there would be too many, or they do not close. */
export function expandBraces(pattern: string, most: number): readonly string[] {
  let readings: readonly string[] = [pattern];
  for (;;) {
    const next: string[] = [];
    for (const reading of readings) {
      const open = /\{([^{}]*,[^{}]*)\}/.exec(reading);
      const [head, tail] = open
        ? [reading.slice(0, open.index), reading.slice(open.index + open[0].length)]
        : [reading, ''];
      const alternatives = open?.[1]?.split(',') ?? [''];
      if (next.length + alternatives.length > most) return [pattern];
      next.push(...alternatives.map((each) => `${head}${each}${tail}`));
    }
    if (isSameList(next, readings)) return next;
    readings = next;
  }
}
