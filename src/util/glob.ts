/** Patterns for absolute and relative paths: `*`, `?`, `**` and `{a,b}`. Bounded: a pattern is somebody's text. */

const MAX_CHARS = 300;
const MAX_ALTERNATIVES = 64;
const MAX_STARS = 12;

/** A pattern that is longer or branches further than is sensible matches nothing. */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern.length > MAX_CHARS) return false;
  const alternatives = expandBraces(pattern.replaceAll('\\', '/'), MAX_ALTERNATIVES);
  const segments = split(path.replaceAll('\\', '/'));
  return alternatives.some((each) => matchSegments(split(each), segments, 0, 0));
}

const split = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== '.');

function matchSegments(
  pattern: readonly string[],
  path: readonly string[],
  fromPattern: number,
  fromPath: number,
): boolean {
  let at = fromPath;
  for (let i = fromPattern; i < pattern.length; i += 1) {
    const segment = pattern[i] ?? '';
    if (segment === '**') {
      // `**/**` says no more than `**`.
      while (pattern[i + 1] === '**') i += 1;
      for (let next = at; next <= path.length; next += 1)
        if (matchSegments(pattern, path, i + 1, next)) return true;
      return false;
    }
    const part = path[at];
    if (part === undefined || !segmentPattern(segment).test(part)) return false;
    at += 1;
  }
  return at === path.length;
}

const NOTHING = /^\b$/;

function segmentPattern(segment: string): RegExp {
  const folded = segment.replace(/\*+/g, '*');
  if (folded.split('*').length > MAX_STARS) return NOTHING;
  const source = folded
    .replace(/[.+^$()|[\]\\{}]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]');
  return new RegExp(`^${source}$`);
}

/** Every reading of the braces; the text itself when there would be too many, or when they do not close. */
function expandBraces(pattern: string, most: number): readonly string[] {
  let readings = [pattern];
  for (;;) {
    const next = readings.flatMap((reading) => {
      const open = /\{([^{}]*,[^{}]*)\}/.exec(reading);
      if (open === null) return [reading];
      const [head, tail] = [reading.slice(0, open.index), reading.slice(open.index + open[0].length)];
      return (open[1] ?? '').split(',').map((each) => `${head}${each}${tail}`);
    });
    if (next.length > most) return [pattern];
    if (next.length === readings.length && next.every((each, i) => each === readings[i])) return next;
    readings = next;
  }
}
