import type { Count } from './text-pattern.ts';

/**
 * The pieces a command could be made of, for rules that forbid: cut at everything that may begin another
 * command, with and without quotes and backslashes. It finds too much rather than too little, and is no
 * parser: what hides a name on purpose (an escape in `$'…'`, a variable) is not found, and is not plain
 * either.
 */
export function naiveSegments(command: string): readonly string[] {
  const joined = command.replace(/\\\r?\n/g, '');
  const dequoted = joined.replace(/['"\\]/g, '');
  const texts = dequoted === joined ? [joined] : [joined, dequoted];
  const segments = new Set<string>();
  for (const text of texts) {
    for (const piece of text.split(/[;&|(){}<>`$\n\r,]+/)) {
      const segment = piece.replace(/[^!-~]+/g, ' ').trim();
      if (segment !== '') segments.add(segment);
    }
  }
  return [...segments];
}

/** Whether the segment holds the text between word boundaries; `/bin/rm` holds `rm`, `farm` does not. */
export function segmentContains(segment: string, text: string, count?: Count): boolean {
  for (let at = segment.indexOf(text); at >= 0; at = segment.indexOf(text, at + 1)) {
    count?.(1 + (text.length >> 6));
    const before = segment.charAt(at - 1);
    const after = segment.charAt(at + text.length);
    if ((before === '' || BOUNDARY.test(before)) && (after === '' || BOUNDARY.test(after))) return true;
  }
  return false;
}

const BOUNDARY = /[^A-Za-z0-9_-]/;
