/** Wildcards, without recursion and without a regular expression: what somebody else wrote cannot make it slow. */

/**
 * Whether the whole sequence fits the pattern, in which a star stands for any number of elements and everything else
 * for one. Takes at most as many steps as the product of the two lengths: only the last star ever gives way, since what
 * an earlier one took cannot help what comes behind a later one.
 */
export function matchesWildcards<P, E>(
  pattern: ArrayLike<P>,
  elements: ArrayLike<E>,
  isStar: (part: P) => boolean,
  fits: (part: P, element: E) => boolean,
): boolean {
  let p = 0;
  let e = 0;
  let afterStar = -1;
  let taken = 0;
  while (e < elements.length) {
    if (p < pattern.length && isStar(pattern[p] as P)) {
      afterStar = ++p;
      taken = e;
    } else if (p < pattern.length && fits(pattern[p] as P, elements[e] as E)) {
      p++;
      e++;
    } else if (afterStar >= 0) {
      p = afterStar;
      e = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.length && isStar(pattern[p] as P)) p++;
  return p === pattern.length;
}

/** `*` and `?` within one name. */
export function matchesName(pattern: string, name: string): boolean {
  return matchesWildcards(
    pattern,
    name,
    (char) => char === '*',
    (char, other) => char === '?' || char === other,
  );
}

/** `*` and `?` within each segment, `**` for any number of them. */
export function matchesSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchesWildcards(pattern, segments, (part) => part === '**', matchesName);
}
