/**
 * Whether a line is what a rule forbids, or may be: a word that only the shell knows may be the forbidden
 * one.
 */
import { mayRunAnything } from '../../shell/programs/beyond-name.ts';
import { baseName } from '../../shell/reading/base-name.ts';
import { naiveSegments, segmentContains } from '../../shell/reading/naive-segments.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import {
  type CommandLine,
  everySegment,
  literalWords,
  programOf,
  type Segment,
  type ShellWord,
} from '../../shell/reading/segment.ts';
import { ANY, meet, type Piece } from '../../shell/reading/text-pattern.ts';
import { matchesWildcards } from '../../util/text/wildcards.ts';
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
export function forbidsCommand(specifier: string, command: string, line: CommandLine): Match {
  const { text } = readSpecifier(specifier);
  const whole = text.split(/\s+/).join(' ');
  const otherwise: Match = line.unseen === undefined ? 'no' : 'maybe';
  const segments = everySegment(line.segments);
  const pattern = readCommandPattern(text) ?? starsIn(text);
  if (pattern !== undefined) {
    if (line.unseen !== undefined && holdsEveryPart(whole, command)) return 'yes';
    return segments.reduce<Match>(
      (found, each) => stronger(found, forbidsByPattern(each, pattern, whole)),
      otherwise,
    );
  }
  const wanted = plainWords(whole);
  if (wanted === undefined)
    return command.split(/\s+/).join(' ').includes(whole) || contains(command, whole) ? 'yes' : otherwise;
  if (line.unseen !== undefined && contains(command, whole)) return 'yes';
  return segments.reduce<Match>(
    (found, each) => stronger(found, forbidsSegment(each, wanted, whole)),
    otherwise,
  );
}

function forbidsSegment(segment: Segment, wanted: readonly string[], whole: string): Match {
  const own = startsLike(segment.words, wanted);
  if (own === 'yes' || isInert(segment)) return own;
  if (contains(heardBy(segment), whole)) return 'yes';
  return mayRunAnything(segment) || (runsArguments(segment) && literalWords(segment) === undefined)
    ? 'maybe'
    : own;
}

/** Its words, and what it is given to read. */
function heardBy({ words, fed = '' }: Segment): string {
  return `${words.map(({ value, text }) => value ?? text).join(' ')}\n${fed}`;
}

/** The rule's words in their order; options of the command, and their values, may stand between them. */
function startsLike(words: readonly ShellWord[], [program, ...rest]: readonly string[]): Match {
  const name = words[0]?.value;
  if (name === undefined || program === undefined) return 'no';
  // On file systems that fold case, the search for a program does so too.
  const folded = name.toLowerCase();
  const isMeant = (text: string) => wildly(program.toLowerCase(), text);
  if (!isMeant(folded) && !isMeant(baseName(folded))) return 'no';
  const letters = rest.filter(isCluster).flatMap((cluster) => [...cluster.slice(1)]);
  const lettered = weakest(letters.map((letter) => holdsLetter(words, letter)));
  if (lettered === 'no') return 'no';
  return weakest([
    lettered,
    followsLike(
      words,
      1,
      rest.filter((word) => !isCluster(word)),
    ),
  ]);
}

const isCluster = (word: string): boolean => /^-[A-Za-z]+$/.test(word);

/** `-rf` is also `-fr` and `-r -f`. */
function holdsLetter(words: readonly ShellWord[], letter: string): Match {
  if (words.some(({ value }) => value !== undefined && isCluster(value) && value.includes(letter)))
    return 'yes';
  return words.slice(1).some((word) => word.value === undefined && mayBeOption(word)) ? 'maybe' : 'no';
}

const mayBeOption = ({ value, may }: ShellWord): boolean => value?.startsWith('-') ?? meet(may, ['-', ANY]);

/** git takes the next word as the value of these. */
const VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env))$/;

function followsLike(words: readonly ShellWord[], start: number, wanted: readonly string[]): Match {
  const known = new Map<string, Match>();
  const from = (at: number, next: number): Match => {
    if (next === wanted.length) return 'yes';
    const word = words[at];
    if (word === undefined) return 'no';
    const key = `${at} ${next}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = look(word, at, next);
    known.set(key, found);
    return found;
  };
  const look = (word: ShellWord, at: number, next: number): Match => {
    const previous = at > 1 ? words[at - 1] : undefined;
    const isValue = previous !== undefined && mayBeOption(previous);
    const skipped = isValue || mayBeOption(word) ? from(at + 1, next) : ('no' as const);
    if (VALUED.test(previous?.value ?? '')) return skipped;
    const fit = fits(word, wanted[next] ?? '');
    const taken =
      fit === 'no' ? 'no' : weakest([fit, word.many ? from(at, next + 1) : from(at + 1, next + 1)]);
    const isSure = word.value?.startsWith('-') === true || previous?.value?.startsWith('-') === true;
    return stronger(taken, isSure ? skipped : onlyMaybe(skipped));
  };
  return from(start, 0);
}

/** Long options may be cut short, and may carry a value. */
function fits({ value, may }: ShellWord, wanted: string): Match {
  if (value === undefined) return meet(may, withGaps(wanted)) ? 'maybe' : 'no';
  if (wildly(wanted, value)) return 'yes';
  if (!wanted.startsWith('--') || wanted.includes('*')) return 'no';
  const name = value.split('=', 1)[0] ?? '';
  return name.length > 2 && wanted.startsWith(name) ? 'yes' : 'no';
}

/** A word of a rule, in which a star is any text. */
function wildly(wanted: string, word: string): boolean {
  if (!wanted.includes('*')) return wanted === word;
  return matchesWildcards(
    wanted,
    word,
    (char) => char === '*',
    (char, other) => char === other,
  );
}

const withGaps = (text: string): readonly Piece[] =>
  text.split('*').flatMap((part, i): Piece[] => (i === 0 ? [part] : [ANY, part]));

function weakest(matches: readonly Match[]): Match {
  if (matches.includes('no')) return 'no';
  return matches.includes('maybe') ? 'maybe' : 'yes';
}

/** A rule with stars within; what follows it is forbidden too, as behind a rule without stars. */
function forbidsByPattern(segment: Segment, pattern: CommandPattern, whole: string): Match {
  const words = literalWords(segment);
  if (words !== undefined) {
    const [program = '', ...rest] = words;
    const names = [program, baseName(program), program.toLowerCase(), baseName(program.toLowerCase())];
    const open = { ...pattern, prefix: true };
    if (names.some((name) => matchesCommand(open, [name, ...rest]))) return 'yes';
  }
  const known = startsLike(segment.words, whole.split(' '));
  if (known === 'yes' || isInert(segment)) return stronger(known, fitsPattern(segment, whole));
  if (runsArguments(segment) && holdsEveryPart(whole, heardBy(segment))) return 'yes';
  return stronger(known, fitsPattern(segment, whole));
}

/** A rule that does not part into words all the same forbids what its stars leave. */
function starsIn(text: string): CommandPattern | undefined {
  return text.includes('*') ? { signs: ['any'], prefix: false } : undefined;
}

/** A rule with stars within, held against the words as they stand. */
function fitsPattern(segment: Segment, whole: string): Match {
  const { words } = segment;
  if (mayRunAnything(segment)) return 'maybe';
  if (literalWords(segment) !== undefined) return 'no';
  const line = words.flatMap((word, i): Piece[] => [
    ...(i === 0 ? [] : [' ']),
    ...(word.many ? [ANY] : word.may),
  ]);
  return meet([...withGaps(whole), ANY], line) ? 'maybe' : 'no';
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
