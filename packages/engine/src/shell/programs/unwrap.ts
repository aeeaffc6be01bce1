import {
  baseName,
  knownWord,
  type ShellLanguage,
  type ShellWord,
  wordsFromElsewhere,
} from '../reading/segment.ts';
import { comparesText } from '../reading/told-words.ts';
import { steersPrograms } from '../reading/variables.ts';
import { executedByFd, executedByFind, type FoundCommands } from './find-actions.ts';
import { gitSettings, isHarmlessSetting } from './git-trees.ts';
import { filledIn } from './placed-words.ts';
import { isOption, readLaunch, STARTERS, type Starter, type StarterCall } from './starters.ts';

/** What a program starts in turn, as far as its words tell. */
type Wrapped =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'commands';
      readonly commands: readonly (readonly ShellWord[])[];
      readonly transparent: boolean;
      /** They run in another folder than the line does; `path`: from there, where it is known. */
      readonly elsewhere?: { readonly path: string | undefined };
      /** It appends words of its own, or fills them in. */
      readonly fedWords?: 'paths' | 'any';
    }
  | {
      readonly kind: 'script';
      readonly text: string;
      readonly language: ShellLanguage;
      readonly transparent: boolean;
      readonly elsewhere?: { readonly path: string | undefined };
    }
  | { readonly kind: 'unseen'; readonly reason: string };

/** Nearly every shell on the way of a command is that of POSIX. */
const SHELLS: Readonly<Record<string, ShellLanguage>> = { bash: 'bash', sh: 'sh', dash: 'sh' };

/** What they start has another root, or a folder that their words do not tell. */
const OTHER_ROOTS = /^(?:chroot|nsenter|pivot_root|schroot|fakechroot|bwrap|proot|firejail|systemd-nspawn)$/;
const MOVERS: Readonly<Record<string, RegExp>> = {
  'systemd-run': /^--(?:work|scope|root|machine)|^-\w*[dM]$|Directory=/i,
  'start-stop-daemon': /^-\w*[dr]|^--ch/,
  tmux: /^-\w*c/,
};
/** Their `-c` is a script for a shell. */
const SCRIPTED = /^(?:su|runuser|script|flock|sg)$/;
const OTHER_SHELLS = ['zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'pwsh', 'ash'];
/** Builtins that change what later words mean, or run text. */
const UNSEEN =
  /^(?:eval|source|\.|trap|alias|unalias|shopt|export|declare|typeset|local|readonly|read|mapfile|readarray|let|enable|bind|complete|compgen|fc|hash|unset|pushd|popd|getopts|emulate|setopt|zmodload)$/;

export function unwrap(words: readonly ShellWord[]): Wrapped {
  const name = words[0]?.value;
  if (name === undefined) return { kind: 'nothing' };
  const program = baseName(name);
  const has = (pattern: RegExp) =>
    words.slice(1).some(({ value }) => value === undefined || pattern.test(value));
  if (UNSEEN.test(name)) return unseen(`${name} changes what a shell does`);
  if (program === 'printf' && /^-v/.test(words[1]?.value ?? '-v')) return unseen('printf -v sets a variable');
  if ((program === 'test' || program === '[') && has(/^-[vR]$/) && !comparesText(words))
    return unseen('it tests a variable by name');
  if (program === 'set' && has(/^(?!(?:[-+][euo]+|pipefail)$)/))
    return unseen('set changes what a shell does');
  if (OTHER_SHELLS.includes(program)) return unseen(`${program} reads commands in a language of its own`);
  const language = Object.hasOwn(SHELLS, program) ? SHELLS[program] : undefined;
  if (language !== undefined) return readScript(words.slice(1), program, language);
  if (program === 'find') return wrapFound(program, executedByFind(words));
  if (program === 'fd' || program === 'fdfind') return wrapFound(program, executedByFd(words));
  if (program === 'hyperfine' && has(/^-[LP]|^--par/))
    return unseen('hyperfine makes commands of its parameters');
  if (program === 'rg') return readFilters(words);
  if (program === 'git' && isSteered(words))
    return unseen('git is given settings by which it may run something');
  if (OTHER_ROOTS.test(program) || (Object.hasOwn(MOVERS, program) && has(MOVERS[program] as RegExp)))
    return unseen(`${program} starts commands in another folder or root`);
  if (SCRIPTED.test(program) && has(/^-\w*c|^--com/)) return scriptBehind(words, program);
  if (program === 'parallel' || program === 'sem') return unseen('parallel makes commands of what it reads');
  const starter = Object.hasOwn(STARTERS, program) ? STARTERS[program] : undefined;
  if (starter === undefined) return { kind: 'nothing' };
  const launch = readLaunch(words.slice(1), starter);
  if (launch === undefined) return unseen(`what ${program} starts is not written out`);
  return program === 'xargs' ? startedByXargs(launch) : startedBy(program, starter, launch);
}

function startedBy(program: string, starter: Starter, { options, rest, sets }: StarterCall): Wrapped {
  const { moves = '', roots = '', transparent = false } = starter;
  const holds = (names: string) => options.some((option) => isOption(option, names));
  if (program === 'env' && holds('S split-string')) return unseen('env -S splits text into words');
  if (holds(roots)) return unseen(`${program} starts commands in another root`);
  const steering = sets.find((name) => steersPrograms(name, true));
  if (steering !== undefined)
    return unseen(`${program} sets ${steering}, by which something else may be run`);
  if (program === 'command' && holds('v V')) return { kind: 'nothing' };
  if (program === 'watch') return watched(rest);
  const [moving, ...more] = options.filter((option) => isOption(option, moves));
  return {
    kind: 'commands',
    commands: rest.length === 0 ? [] : [rest],
    transparent,
    ...(moving && { elsewhere: { path: more.length > 0 ? undefined : moving.value } }),
  };
}

/** Its words together are a script. */
function watched(words: readonly ShellWord[]): Wrapped {
  const known = words.flatMap(({ value }) => value ?? []);
  return known.length === words.length
    ? { kind: 'script', text: known.join(' '), language: 'sh', transparent: true }
    : unseen('what watch runs is not written out');
}

/** `su -c`, `script -c`: the word behind it, or the rest of that word, is a script. */
function scriptBehind(words: readonly ShellWord[], program: string): Wrapped {
  const values = words.map(({ value }) => value);
  const at = values.findIndex((value, i) => i > 0 && (value === undefined || /^-\w*c|^--com/.test(value)));
  const text = /^(?:-\w*?c|--com[a-z]*=?)(.*)$/s.exec(values[at] ?? '')?.[1];
  const script = text === '' ? values[at + 1] : text;
  if (script === undefined) return unseen(`what ${program} runs is not written out`);
  return { kind: 'script', text: script, language: 'sh', transparent: false, elsewhere: { path: undefined } };
}

/** xargs puts what it reads in the place of its marks, or behind the words. */
function startedByXargs({ options, rest }: StarterCall): Wrapped {
  const marks = options.filter((option) => isOption(option, 'I J i replace')).map(findMark);
  if (marks.some((mark) => mark === undefined || mark === ''))
    return unseen('what xargs replaces is not written out');
  const known = marks.flatMap((mark) => mark ?? []);
  if (readsProgram(rest, known)) return unseen('what xargs starts comes out of its input');
  const filled = rest.map((word) => known.reduce((each, mark) => filledIn(each, mark), word));
  // A limit takes the mark back, or the mark the limit: that depends on their order and on the version.
  const appends =
    marks.length === 0 || options.some((option) => isOption(option, 'n L l max-args max-lines'));
  const started = appends && rest.length > 0 ? [...filled, wordsFromElsewhere('…')] : filled;
  return {
    kind: 'commands',
    commands: started.length === 0 ? [] : [started],
    transparent: false,
    fedWords: 'any',
  };
}

/** undefined: it is not known. */
function findMark({ name, value }: StarterCall['options'][number]): string | undefined {
  if (name === '-I' || name === '-J') return value;
  return value === undefined || (name === '-i' && value === '') ? '{}' : value;
}

/** Whether the words that xargs reads say which program runs, or what text it runs. */
function readsProgram(rest: readonly ShellWord[], marks: readonly string[]): boolean {
  const [program] = rest;
  if (program?.value === undefined) return false;
  if (/^--?(?:c|e|eval|command)$/.test(rest.at(-1)?.value ?? '')) return true;
  if (marks.length === 0) return startsNothing(rest);
  return marks.some((mark) => program.value?.includes(mark)) || unwrap(rest).kind !== 'nothing';
}

/** A wrapper to which its program is still to be given. */
function startsNothing(words: readonly ShellWord[]): boolean {
  const wrapped = unwrap(words);
  if (wrapped.kind === 'script') return wrapped.text === '';
  return wrapped.kind === 'commands' && wrapped.commands.every(startsNothing);
}

/** `/dev/stdin` and its kin, also climbed to. */
const OWN_INPUT = /^(?:\/|(?:\.\.\/+)+)(?:\.{0,2}\/+|\w+\/+\.\.\/+)*(?:dev|proc)\//;

/** `-c` takes the first word behind the options; without it a shell reads a file, or whatever comes in. */
function readScript(words: readonly ShellWord[], program: string, language: ShellLanguage): Wrapped {
  let reads = false;
  for (const { value } of words) {
    if (value === undefined) return unseen(`what ${program} runs is not written out`);
    // Others change what it reads, or how: -k makes variables of arguments, -i and -l read files of their
    // own.
    if (/^-[ceuxvf]+$/.test(value)) reads ||= value.includes('c');
    else if (/^[-+]/.test(value)) return unseen(`${program} is given options that change what it reads`);
    else if (!reads && OWN_INPUT.test(value)) return unseen(`${program} reads its commands from elsewhere`);
    else return reads ? { kind: 'script', text: value, language, transparent: true } : { kind: 'nothing' };
  }
  return unseen(`${program} reads its commands from elsewhere`);
}

function wrapFound(program: string, found: FoundCommands | undefined): Wrapped {
  if (found === undefined) return unseen(`a word of ${program} may hold commands`);
  const { commands, elsewhere } = found;
  if (commands.length === 0) return { kind: 'nothing' };
  const moved = elsewhere ? { elsewhere: { path: undefined } } : {};
  return { kind: 'commands', commands, transparent: false, ...moved, fedWords: 'paths' };
}

/** Programs that can make ripgrep read files and ask for a name. */
function readFilters(words: readonly ShellWord[]): Wrapped {
  const commands = words.flatMap(({ value = '' }, at): (readonly ShellWord[])[] => {
    const [, name, given] = /^--(pre|hostname-bin)(?:=(.*))?$/s.exec(value) ?? [];
    if (name === undefined) return [];
    const program = given === undefined ? words[at + 1] : knownWord(given);
    return program === undefined ? [] : [[program]];
  });
  if (commands.length === 0) return { kind: 'nothing' };
  return { kind: 'commands', commands, transparent: false };
}

/** An alias, a pager, an editor or a file that is included names any command, of git or not. */
function isSteered(words: readonly ShellWord[]): boolean {
  return gitSettings(words.slice(1).map(({ value }) => value ?? '')).some(
    (setting) => !isHarmlessSetting(setting),
  );
}

function unseen(reason: string): Wrapped {
  return { kind: 'unseen', reason };
}
