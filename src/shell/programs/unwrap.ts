import {
  baseName,
  knownWord,
  type ShellLanguage,
  type ShellWord,
  wordsFromElsewhere,
} from '../reading/segment.ts';
import { ANY, type Piece } from '../reading/text-pattern.ts';
import { steersPrograms } from '../reading/variables.ts';
import { gitSettings, isHarmlessSetting } from './git-trees.ts';

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

interface Wrapper {
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Options that change the folder. What is written together with one is its first group. */
  readonly moves?: RegExp;
  /** Options that change what absolute paths mean. */
  readonly roots?: RegExp;
  /** Words between the options and the program. */
  readonly skip?: number;
  readonly transparent?: boolean;
  /** Variables may be set in front of the program. */
  readonly assigns?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  command: { transparent: true },
  nohup: { transparent: true },
  nice: { valued: /^(?:-n|--adjustment)$/, transparent: true },
  timeout: { valued: /^(?:-[fpv]*[sk]|--signal|--kill-after)$/, skip: 1, transparent: true },
  setsid: { transparent: true },
  stdbuf: { valued: /^(?:-[ioe]|--input|--output|--error)$/, transparent: true },
  builtin: {},
  exec: { valued: /^-[cl]*a$/ },
  env: {
    valued: /^(?:-[iv0]*[uC]|--u[nset]*|--c[hdir]*)$/,
    moves: /^(?:-[iv0]*C|--c[a-z]*=?)(.*)$/s,
    assigns: true,
  },
  sudo: {
    valued: /^(?:-[A-Za-z]*[ughpCTrtDR]|--(?:user|group|host|prompt|close-from|chdir|chroot|role|type))$/,
    moves: /^(?:-\w*?D|--chdir=?)(.*)$/s,
    roots: /^(?:-\w*R|--chroot)/,
    assigns: true,
  },
  unshare: {
    valued: /^(?:-[A-Za-z]*[SGRw]|--(?:setuid|setgid|root|wd|propagation|monotonic|boottime))$/,
    moves: /^(?:-\w*?w|--wd=?)(.*)$/s,
    roots: /^(?:-\w*R|--ro)/,
  },
  doas: { valued: /^-[Lns]*[uC]$/ },
  xargs: {
    valued: /^(?:-[0oprtx]*[InPLdaEs]|--(?:max-args|max-procs|max-chars|delimiter|arg-file))$/,
  },
  busybox: {},
};
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
  if (program === 'printf' && has(/^-v/)) return unseen('printf -v sets a variable');
  if ((program === 'test' || program === '[') && has(/^-[vR]$/)) return unseen('it tests a variable by name');
  if (program === 'set' && has(/^(?!(?:[-+][euo]+|pipefail)$)/))
    return unseen('set changes what a shell does');
  if (OTHER_SHELLS.includes(program)) return unseen(`${program} reads commands in a language of its own`);
  const language = Object.hasOwn(SHELLS, program) ? SHELLS[program] : undefined;
  if (language !== undefined) return scriptOf(words.slice(1), program, language);
  if (program === 'find') return executedBy(words);
  if (program === 'rg') return filterOf(words);
  if (program === 'git' && isSteered(words))
    return unseen('git is given settings by which it may run something');
  if (OTHER_ROOTS.test(program) || (Object.hasOwn(MOVERS, program) && has(MOVERS[program] as RegExp)))
    return unseen(`${program} starts commands in another folder or root`);
  if (SCRIPTED.test(program) && has(/^-\w*c|^--com/)) return scriptBehind(words, program);
  if (program === 'parallel') return unseen('parallel makes commands of what it reads');
  if (program === 'watch') {
    const rest = pastOptions(words.slice(1), { valued: /^(?:-[a-z]*n|--interval)$/ })?.rest;
    const known = rest?.flatMap(({ value }) => value ?? []);
    return known === undefined || known.length !== rest?.length
      ? unseen('what watch runs is not written out')
      : { kind: 'script', text: known.join(' '), language: 'sh', transparent: true };
  }
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (wrapper === undefined) return { kind: 'nothing' };
  if (program === 'env' && has(/^-\w*S|^--s/)) return unseen('env -S splits text into words');
  const launch = pastOptions(words.slice(1), wrapper);
  if (launch === undefined) return unseen(`what ${program} starts is not written out`);
  const { options, rest, sets } = launch;
  if (options.some(({ name: each }) => wrapper.roots?.test(each) === true))
    return unseen(`${program} starts commands in another root`);
  const steering = sets.find((name) => steersPrograms(name, true));
  if (steering !== undefined)
    return unseen(`${program} sets ${steering}, by which something else may be run`);
  if (program === 'command' && options.some(({ name: each }) => /^-[pvV]*[vV]/.test(each)))
    return { kind: 'nothing' };
  if (program === 'xargs' && readsProgram(launch)) return unseen('what xargs starts comes out of its input');
  const fed = program === 'xargs';
  const started = fed ? fedBy(launch) : rest;
  return {
    kind: 'commands',
    commands: started.length === 0 ? [] : [started],
    transparent: wrapper.transparent === true,
    ...movedBy(options, wrapper),
    ...(fed && { fedWords: 'any' }),
  };
}

function movedBy(
  options: Launch['options'],
  { moves }: Wrapper,
): Pick<Wrapped & { kind: 'commands' }, 'elsewhere'> {
  const moving = options.filter(({ name }) => moves?.test(name) === true);
  const [only, ...more] = moving;
  if (only === undefined) return {};
  const joined = moves?.exec(only.name)?.[1] ?? '';
  return { elsewhere: { path: more.length > 0 ? undefined : joined || only.value } };
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

/** xargs puts what it reads in the place of its mark, or behind the words. */
function fedBy(launch: Launch): readonly ShellWord[] {
  const mark = launch.options.map(markOf).find((each) => each !== undefined);
  if (mark !== undefined) return launch.rest.map((word) => filledIn(word, mark));
  return launch.rest.length === 0 ? [] : [...launch.rest, wordsFromElsewhere('…')];
}

/** A word in which a placeholder was replaced. */
function filledIn(word: ShellWord, mark: string, many = false): ShellWord {
  const { value } = word;
  if (value === undefined || mark === '' || !value.includes(mark)) return word;
  const may = value.split(mark).flatMap((text, i): Piece[] => (i === 0 ? [text] : [ANY, text]));
  return { value: undefined, text: word.text, may, many };
}

interface Launch {
  readonly options: readonly { readonly name: string; readonly value?: string | undefined }[];
  readonly rest: readonly ShellWord[];
  /** The names of the variables that are set for it. */
  readonly sets: readonly string[];
}

/** What is left behind options and, for `env` and `sudo`, assignments. */
function pastOptions(
  words: readonly ShellWord[],
  { valued, skip = 0, assigns = false }: Wrapper,
): Launch | undefined {
  const options: { name: string; value?: string | undefined }[] = [];
  const sets: string[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const value = words[at]?.value;
    if (value === undefined) return undefined;
    if (value === '--') {
      at++;
      break;
    }
    if (valued?.test(value) === true) options.push({ name: value, value: words[++at]?.value });
    else if (value.startsWith('-')) options.push({ name: value });
    else if (!assigns || !value.includes('=')) break;
    else sets.push(value.slice(0, value.indexOf('=')));
  }
  const rest = words.slice(at + skip);
  return rest.length > 0 && rest[0]?.value === undefined ? undefined : { options, rest, sets };
}

/** Whether the words that xargs reads say which program runs, or what text it runs. */
function readsProgram({ options, rest }: Launch): boolean {
  const mark = options.map(markOf).find((each) => each !== undefined);
  const [program] = rest;
  if (program?.value === undefined) return false;
  if (/^--?(?:c|e|eval|command)$/.test(rest.at(-1)?.value ?? '')) return true;
  if (mark === undefined) return startsNothing(rest);
  return program.value.includes(mark) || unwrap(rest).kind !== 'nothing';
}

function markOf({ name, value }: Launch['options'][number]): string | undefined {
  if (/^-[0oprtx]*I$/.test(name)) return value;
  const own = /^(?:-[0oprtx]*[Ii]|--replace=?)(.*)$/.exec(name)?.[1];
  return own === '' ? '{}' : own;
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
function scriptOf(words: readonly ShellWord[], program: string, language: ShellLanguage): Wrapped {
  let reads = false;
  for (const { value } of words) {
    if (value === undefined) return unseen(`what ${program} runs is not written out`);
    // Others change what it reads, or how: -k makes variables of arguments, -i and -l read files of their own.
    if (/^-[ceuxvf]+$/.test(value)) reads ||= value.includes('c');
    else if (/^[-+]/.test(value)) return unseen(`${program} is given options that change what it reads`);
    else if (!reads && OWN_INPUT.test(value)) return unseen(`${program} reads its commands from elsewhere`);
    else return reads ? { kind: 'script', text: value, language, transparent: true } : { kind: 'nothing' };
  }
  return unseen(`${program} reads its commands from elsewhere`);
}

/** Each `-exec` up to its `;`, or to the `+` behind `{}`. */
function executedBy(words: readonly ShellWord[]): Wrapped {
  const commands: (readonly ShellWord[])[] = [];
  let elsewhere = false;
  for (let at = 0; at < words.length; at++) {
    const action = words[at]?.value ?? '';
    if (!/^-(?:exec|ok)(?:dir)?$/.test(action)) continue;
    elsewhere ||= action.endsWith('dir');
    const ends = (word: ShellWord, i: number) =>
      i > at && (word.value === ';' || (word.value === '+' && words[i - 1]?.value === '{}'));
    const end = words.findIndex(ends);
    commands.push(
      words
        .slice(at + 1, end < 0 ? undefined : end)
        .map((word) => filledIn(word, '{}', end >= 0 && words[end]?.value === '+')),
    );
    at = end < 0 ? words.length : end;
  }
  if (commands.length === 0) return { kind: 'nothing' };
  const moved = elsewhere ? { elsewhere: { path: undefined } } : {};
  return { kind: 'commands', commands, transparent: false, ...moved, fedWords: 'paths' };
}

/** Programs that can make ripgrep read files and ask for a name. */
function filterOf(words: readonly ShellWord[]): Wrapped {
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
