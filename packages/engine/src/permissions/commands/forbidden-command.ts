/**
 * Whether a line is what a rule forbids, or may be: a word that only the shell knows may be the forbidden
 * one.
 */

import { matchesWildcards } from '@turnwright/base/text/wildcards.ts';
import { mayRunAnything } from '../../shell/programs/beyond-name.ts';
import { naiveSegments, segmentContains } from '../../shell/reading/naive-segments.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import {
  baseName,
  type CommandLine,
  everySegment,
  literalWords,
  programOf,
  type Segment,
  type ShellWord,
} from '../../shell/reading/segment.ts';
import { ANY, type Count, meet, type PatternPiece } from '../../shell/reading/text-pattern.ts';
import {
  type CommandPattern,
  matchesCommand,
  readCommandPattern,
  readSpecifier,
} from '../rules/command-pattern.ts';
import { type Match, onlyMaybe, stronger } from '../rules/match.ts';

/**
 * Every command of the line is checked, and every command that it starts. If the line is not fully analysed,
 * and in the arguments of programs that may run commands, text that contains the denied words matches too.
 */
export function forbidsCommand(specifier: string, command: string, line: CommandLine, count: Count): Match {
  const { text } = readSpecifier(specifier);
  const whole = text.split(/\s+/).join(' ');
  const otherwise: Match = line.unseen === undefined ? 'no' : 'maybe';
  const segments = everySegment(line.segments);
  const pattern = readCommandPattern(text) ?? starsIn(text);
  if (pattern !== undefined) {
    if (
      line.unseen !== undefined &&
      holdsEveryPart(
        whole,
        heardIn(line, () => command),
        count,
      )
    )
      return 'yes';
    return segments.reduce<Match>(
      (found, each) => stronger(found, forbidsByPattern(each, { pattern, whole, count })),
      otherwise,
    );
  }
  const wanted = plainWords(whole);
  if (wanted === undefined) {
    const heard = heardIn(line, () => command);
    count(command.length >> 4);
    return command.split(/\s+/).join(' ').includes(whole) || contains(heard, whole, count)
      ? 'yes'
      : otherwise;
  }
  if (
    line.unseen !== undefined &&
    contains(
      heardIn(line, () => command),
      whole,
      count,
    )
  )
    return 'yes';
  return segments.reduce<Match>(
    (found, each) => stronger(found, forbidsSegment(each, wanted, { whole, count })),
    otherwise,
  );
}

interface Wanted {
  /** The words of the rule, with single blanks between them. */
  readonly whole: string;
  readonly count: Count;
}

function forbidsSegment(segment: Segment, wanted: readonly string[], { whole, count }: Wanted): Match {
  const own = startsLike(segment.words, wanted, count);
  if (own === 'yes' || isInert(segment)) return own;
  if (contains(heardBy(segment), whole, count)) return 'yes';
  return mayRunAnything(segment) || (runsArguments(segment) && literalWords(segment) === undefined)
    ? 'maybe'
    : own;
}

/** A text that may be run, and the pieces that commands in it would be made of. */
interface Heard {
  readonly text: string;
  readonly pieces: readonly string[];
  readonly size: number;
}

const heard = new WeakMap<object, Heard>();

/** Made once for all rules that are held against it. */
function heardIn(of: object, read: () => string): Heard {
  const before = heard.get(of);
  if (before !== undefined) return before;
  const text = read();
  const pieces = naiveSegments(text);
  const made = { text, pieces, size: pieces.reduce((size, piece) => size + piece.length, pieces.length) };
  heard.set(of, made);
  return made;
}

/** Its words, and what it is given to read. */
function heardBy(segment: Segment): Heard {
  return heardIn(segment, () => {
    const { words, fed = '' } = segment;
    return `${words.map(({ value, text }) => value ?? text).join(' ')}\n${fed}`;
  });
}

/** The rule's words in their order; options of the command, and their values, may stand between them. */
function startsLike(words: readonly ShellWord[], wanted: readonly string[], count: Count): Match {
  const [program, ...rest] = wanted;
  const name = words[0]?.value;
  if (name === undefined || program === undefined) return 'no';
  count(1);
  // On file systems that fold case, the search for a program does so too.
  const folded = name.toLowerCase();
  const isMeant = (text: string) => wildly(program.toLowerCase(), text, count);
  if (!isMeant(folded) && !isMeant(baseName(folded))) return 'no';
  count(words.length);
  const letters = new Set(rest.filter(isCluster).flatMap((cluster) => [...cluster.slice(1)]));
  const lettered = weakest([...letters].map((letter) => holdsLetter(words, letter, count)));
  if (lettered === 'no') return 'no';
  return weakest([
    lettered,
    followsLike(
      words,
      rest.filter((word) => !isCluster(word)),
      count,
    ),
  ]);
}

const isCluster = (word: string): boolean => /^-[A-Za-z]+$/.test(word);

/** `-rf` is also `-fr` and `-r -f`. */
function holdsLetter(words: readonly ShellWord[], letter: string, count: Count): Match {
  count(words.length);
  if (words.some(({ value }) => value !== undefined && isCluster(value) && value.includes(letter)))
    return 'yes';
  return words.slice(1).some((word) => word.value === undefined && mayBeOption(word, count)) ? 'maybe' : 'no';
}

const optional = new WeakMap<ShellWord, boolean>();

function mayBeOption(word: ShellWord, count: Count): boolean {
  if (word.value !== undefined) return word.value.startsWith('-');
  const known = optional.get(word) ?? meet(word.may, ['-', ANY], { count });
  optional.set(word, known);
  return known;
}

/** git takes the next word as the value of these. */
const VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env))$/;

function followsLike(words: readonly ShellWord[], wanted: readonly string[], count: Count): Match {
  if (wanted.length === 0) return 'yes';
  let found = 'no' as Match;
  /** How surely the words up to here are the first ones of the rule, by their number. */
  let reached: Match[] = ['yes'];
  let isOption = false;
  for (let at = 1; at < words.length && reached.length > 0 && found !== 'yes'; at++) {
    const word = words[at] as ShellWord;
    const previous = at > 1 ? words[at - 1] : undefined;
    const isValue = isOption;
    isOption = mayBeOption(word, count);
    const isSure = word.value?.startsWith('-') === true || previous?.value?.startsWith('-') === true;
    const isTaken = VALUED.test(previous?.value ?? '');
    const next: Match[] = [];
    const put = (into: Match[], number: number, how: Match) => {
      if (number === wanted.length) found = stronger(found, how);
      else into[number] = stronger(how, into[number] ?? 'no');
    };
    count(1 + reached.length);
    // What a word that may be many adds is gone through in the same turn.
    for (let number = 0; number < reached.length; number++) {
      const how = reached[number];
      if (how === undefined) continue;
      if (isValue || isOption) put(next, number, isSure ? how : onlyMaybe(how));
      if (isTaken) continue;
      const fit = fits(word, wanted[number] ?? '', count);
      if (fit !== 'no') put(word.many ? reached : next, number + 1, weakest([fit, how]));
    }
    reached = next;
  }
  return found;
}

/** Long options may be cut short, and may carry a value. */
function fits({ value, may }: ShellWord, wanted: string, count: Count): Match {
  if (value === undefined) return meet(may, withGaps(wanted), { count }) ? 'maybe' : 'no';
  if (wildly(wanted, value, count)) return 'yes';
  if (!wanted.startsWith('--') || wanted.includes('*')) return 'no';
  const name = value.split('=', 1)[0] ?? '';
  return name.length > 2 && wanted.startsWith(name) ? 'yes' : 'no';
}

/** A word of a rule, in which a star is any text. */
function wildly(wanted: string, word: string, count: Count): boolean {
  if (!wanted.includes('*')) return wanted === word;
  return matchesWildcards(
    wanted,
    word,
    (char) => char === '*',
    (char, other) => char === other,
    count,
  );
}

const withGaps = (text: string): readonly PatternPiece[] =>
  text.split('*').flatMap((part, i): PatternPiece[] => (i === 0 ? [part] : [ANY, part]));

function weakest(matches: readonly Match[]): Match {
  if (matches.includes('no')) return 'no';
  return matches.includes('maybe') ? 'maybe' : 'yes';
}

/** A rule with stars within; what follows it is forbidden too, as behind a rule without stars. */
function forbidsByPattern(
  segment: Segment,
  { pattern, whole, count }: Wanted & { readonly pattern: CommandPattern },
): Match {
  const words = literalWords(segment);
  if (words !== undefined) {
    const [program = '', ...rest] = words;
    const names = [program, baseName(program), program.toLowerCase(), baseName(program.toLowerCase())];
    const open = { ...pattern, prefix: true };
    if ([...new Set(names)].some((name) => matchesCommand(open, [name, ...rest], count))) return 'yes';
  }
  const known = startsLike(segment.words, whole.split(' '), count);
  if (known === 'yes' || isInert(segment)) return stronger(known, fitsPattern(segment, whole, count));
  if (runsArguments(segment) && holdsEveryPart(whole, heardBy(segment), count)) return 'yes';
  return stronger(known, fitsPattern(segment, whole, count));
}

/** A rule that does not part into words all the same forbids what its stars leave. */
function starsIn(text: string): CommandPattern | undefined {
  return text.includes('*') ? { signs: ['any'], prefix: false } : undefined;
}

/** A rule with stars within, held against the words as they stand. */
function fitsPattern(segment: Segment, whole: string, count: Count): Match {
  const { words } = segment;
  if (mayRunAnything(segment)) return 'maybe';
  if (literalWords(segment) !== undefined) return 'no';
  const line = words.flatMap((word, i): PatternPiece[] => [
    ...(i === 0 ? [] : [' ']),
    ...(word.many ? [ANY] : word.may),
  ]);
  return meet([...withGaps(whole), ANY], line, { count }) ? 'maybe' : 'no';
}

/** Programs that never run an argument, whatever it says. */
const INERT = /^(?:echo|tee|printf|cat|ls|pwd|head|tail|wc|grep|mkdir|touch|cp|mv|true|false|test|\[|cd)$/;

function isInert(segment: Segment): boolean {
  const program = programOf(segment);
  if (program === 'git') return /^(?:add|commit|diff|log|show|status)$/.test(segment.words[1]?.value ?? '');
  return INERT.test(program);
}

/** Programs that take a command as their last words, or a script behind an option. */
const LAUNCHERS =
  /^(?:flock|ssh|su|runuser|chroot|unshare|nsenter|strace|ltrace|script|expect|unbuffer|xvfb-run|ionice|chrt|taskset|time|start-stop-daemon|systemd-run|tmux|screen|fakeroot|pkexec|setarch|setpriv|numactl|prlimit|valgrind|perf|hyperfine|watchexec|entr|rlwrap|npx|bunx|docker|podman|kubectl)$/;
const SCRIPT_OPTION = /^--(?:eval|command|execute|print)$|^-\w*[ceEpr]$/;

function runsArguments(segment: Segment): boolean {
  const program = programOf(segment);
  if (LAUNCHERS.test(program)) return true;
  return (
    /^(?:python|perl|ruby|node|deno|bun|php|lua|tclsh|osascript)[\d.]*$/.test(program) &&
    segment.words.some(({ value }) => value !== undefined && SCRIPT_OPTION.test(value))
  );
}

function contains({ pieces, size }: Heard, text: string, count: Count): boolean {
  count(1 + (size >> 6));
  return pieces.some((piece) => segmentContains(piece, text, count));
}

function holdsEveryPart(pattern: string, heard: Heard, count: Count): boolean {
  return pattern
    .split('*')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every((part) => {
      count(1 + (heard.text.length >> 6));
      return heard.text.includes(part) || contains(heard, part, count);
    });
}
