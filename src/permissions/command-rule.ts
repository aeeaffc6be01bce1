import { naiveSegments, segmentContains } from '../shell/naive-segments.ts';
import { plainWords } from '../shell/plain-command.ts';

/**
 * `git status` matches that command alone; `npm run test:*` (or `npm run test *`) also what follows it as further
 * words. Only plain commands match: one program, literal arguments.
 */
export function allowsCommand(specifier: string, command: string): boolean {
  const words = plainWords(command);
  if (words === undefined) return false;
  const { text, prefix } = readSpecifier(specifier);
  const wanted = plainWords(text);
  if (wanted === undefined || wanted.some((word, i) => words[i] !== word)) return false;
  return prefix || words.length === wanted.length;
}

/** The other way round: matches if any piece of the command naively contains what the rule forbids. */
export function forbidsCommand(specifier: string, command: string): boolean {
  const { text } = readSpecifier(specifier);
  const segments = naiveSegments(command);
  const holds = (part: string) =>
    command.includes(part) || segments.some((segment) => segmentContains(segment, part));
  const whole = text.split(/\s+/).join(' ');
  if (!whole.includes('*'))
    return segments.some((segment) => segmentContains(segment, whole)) || isCompound(whole, command);
  return whole
    .split('*')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every(holds);
}

/** A rule that itself names operators is found by its text. */
function isCompound(text: string, command: string): boolean {
  return plainWords(text) === undefined && command.split(/\s+/).join(' ').includes(text);
}

function readSpecifier(specifier: string): { readonly text: string; readonly prefix: boolean } {
  if (specifier.endsWith(':*')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  if (specifier.endsWith(' *')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  return { text: specifier, prefix: false };
}
