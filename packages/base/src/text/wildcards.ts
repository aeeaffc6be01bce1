/** Wildcards without recursion and regular expressions: untrusted patterns cannot make it slow. */

/** So many comparisons count as one step. */
const PER_STEP = 16;

/**
 * Whether the whole sequence matches the pattern, in which a star matches any number of elements and
 * everything else one. Takes at most as many steps as the product of the two lengths, because only the last
 * star backtracks. `count` receives their number, and may throw.
 */
export function matchesWildcards<P, E>(
  pattern: ArrayLike<P>,
  elements: ArrayLike<E>,
  isStar: (part: P) => boolean,
  fits: (part: P, element: E) => boolean,
  count?: (steps: number) => void,
): boolean {
  let compared = 0;
  let p = 0;
  let e = 0;
  let afterStar = -1;
  let taken = 0;
  while (e < elements.length) {
    if (count !== undefined && ++compared % PER_STEP === 0) count(1);
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
