/**
 * What the conversation never writes (S6.1): it would clear the screen or the history, keep lines from it, or take the
 * mouse. The alternate screen belongs to viewers, which a test allows by `viewer`.
 */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['CSI 2J or 3J', '\x1b\\[[23]J'],
  ['a scroll region', '\x1b\\[\\d*;?\\d*r'],
  ['a mouse mode', '\x1b\\[\\?(?:9|100[0-7]|101[56])h'],
  ['a terminal reset', '\x1bc|\x1b\\[!p'],
];
const ALTERNATE: readonly [string, string] = ['the alternate screen', '\x1b\\[\\?(?:47|104[79])h'];

export function forbiddenIn(raw: string, { viewer = false } = {}): readonly string[] {
  const checked = viewer ? FORBIDDEN : [...FORBIDDEN, ALTERNATE];
  return checked.filter(([, sequence]) => new RegExp(sequence).test(raw)).map(([name]) => name);
}
