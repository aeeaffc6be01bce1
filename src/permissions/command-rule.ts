import { naiveSegments, segmentContains } from '../shell/naive-segments.ts';
import { plainWords } from '../shell/plain-command.ts';
import {
  baseName,
  type CommandLine,
  everySegment,
  literalWords,
  programOf,
  type Segment,
} from '../shell/segment.ts';

/**
 * `git status` matches that command alone; `npm run test:*` (or `npm run test *`) also what follows it as further
 * words. Only literal words match.
 */
export function allowsWords(specifier: string, words: readonly string[]): boolean {
  const { text, prefix } = readSpecifier(specifier);
  const wanted = plainWords(text);
  if (wanted === undefined || wanted.some((word, i) => words[i] !== word)) return false;
  return prefix || words.length === wanted.length;
}

/** Whether the rule by itself covers a line of one bare command; lines of several are judged piece by piece. */
export function allowsCommand(specifier: string, { segments, unseen }: CommandLine): boolean {
  const [only, ...more] = segments;
  if (only === undefined || more.length > 0 || unseen !== undefined) return false;
  const words = literalWords(only);
  return words !== undefined && !only.assigns && only.redirects.length === 0 && allowsWords(specifier, words);
}

/**
 * The other way round: matches if any command of the line, or one that it starts in turn, is what the rule forbids.
 * Where the line is not seen whole, and among the arguments of programs that may run them, whatever naively contains
 * it counts too.
 */
export function forbidsCommand(specifier: string, command: string, line: CommandLine): boolean {
  const { text } = readSpecifier(specifier);
  const whole = text.split(/\s+/).join(' ');
  if (whole.includes('*')) return holdsEveryPart(whole, command);
  const wanted = plainWords(whole);
  if (wanted === undefined) return command.split(/\s+/).join(' ').includes(whole) || contains(command, whole);
  if (line.unseen !== undefined && contains(command, whole)) return true;
  return everySegment(line.segments).some(
    (segment) => startsLike(segment, wanted) || (!isInert(segment) && contains(heardBy(segment), whole)),
  );
}

/** Its words, and what it is given to read. */
function heardBy({ words, fed = '' }: Segment): string {
  return `${words.map(({ value, text }) => value ?? text).join(' ')}\n${fed}`;
}

/** The rule's words in their order; options of the command, and their values, may stand between them. */
function startsLike({ words }: Segment, [program, ...rest]: readonly string[]): boolean {
  const name = words[0]?.value;
  if (name === undefined || program === undefined) return false;
  // Where file systems fold case, so does the look for a program.
  const folded = name.toLowerCase();
  if (folded !== program.toLowerCase() && baseName(folded) !== program.toLowerCase()) return false;
  let at = 1;
  for (const wanted of rest) {
    while (at < words.length && words[at]?.value !== wanted) {
      const isOption = words[at]?.text.startsWith('-') === true;
      const isValue = at > 1 && words[at - 1]?.text.startsWith('-') === true;
      if (!isOption && !isValue) return false;
      at++;
    }
    if (at++ >= words.length) return false;
  }
  return true;
}

/** Programs that never run an argument, whatever it says. */
const INERT = /^(?:echo|tee|printf|cat|ls|pwd|head|tail|wc|grep|mkdir|touch|cp|mv|true|false|test|\[|cd)$/;

function isInert(segment: Segment): boolean {
  const program = programOf(segment);
  if (program === 'git') return /^(?:add|commit|diff|log|show|status)$/.test(segment.words[1]?.value ?? '');
  return INERT.test(program);
}

function contains(command: string, text: string): boolean {
  return naiveSegments(command).some((segment) => segmentContains(segment, text));
}

function holdsEveryPart(pattern: string, command: string): boolean {
  return pattern
    .split('*')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every((part) => command.includes(part) || contains(command, part));
}

/** It also speaks of words that it does not name. */
export function isPrefix(specifier: string): boolean {
  return readSpecifier(specifier).prefix;
}

function readSpecifier(specifier: string): { readonly text: string; readonly prefix: boolean } {
  if (specifier.endsWith(':*')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  if (specifier.endsWith(' *')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  return { text: specifier, prefix: false };
}
