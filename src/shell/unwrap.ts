import { baseName, type ShellWord } from './segment.ts';

/** What a program starts in turn, as far as its words tell. */
export type Wrapped =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'words'; readonly words: readonly ShellWord[]; readonly transparent: boolean }
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'unseen'; readonly reason: string };

interface Wrapper {
  /** Options whose value is the next word. */
  readonly valued?: readonly string[];
  /** Words between the options and the program. */
  readonly skip?: number;
  readonly transparent?: boolean;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  command: { transparent: true },
  nohup: { transparent: true },
  nice: { valued: ['-n', '--adjustment'], transparent: true },
  timeout: { valued: ['-s', '-k', '--signal', '--kill-after'], skip: 1, transparent: true },
  setsid: { transparent: true },
  stdbuf: { valued: ['-i', '-o', '-e'], transparent: true },
  builtin: {},
  exec: { valued: ['-a'] },
  env: { valued: ['-u', '--unset', '-C', '--chdir'] },
  sudo: { valued: ['-u', '-g', '-h', '-p', '-C', '-T', '-r', '-t', '-D', '-R', '--user', '--group'] },
  doas: { valued: ['-u', '-C'] },
  xargs: { valued: ['-I', '-n', '-P', '-L', '-d', '-a', '-E', '-s', '--max-args', '--max-procs'] },
  busybox: {},
};
const SHELLS = ['bash', 'sh', 'dash'];
const OTHER_SHELLS = ['zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'pwsh', 'ash'];
/** Builtins that change what later words mean, or run text. */
const UNSEEN =
  /^(?:eval|source|\.|trap|alias|unalias|shopt|export|declare|typeset|local|readonly|read|mapfile|readarray|let|enable|bind|complete|fc|hash|unset|pushd|popd|getopts|emulate|setopt|zmodload)$/;

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
  if (SHELLS.includes(program)) return scriptOf(words.slice(1), program);
  if (program === 'find') return executedBy(words);
  if (program === 'watch') {
    const rest = pastOptions(words.slice(1), { valued: ['-n', '--interval'] });
    const known = rest?.flatMap(({ value }) => value ?? []);
    return known === undefined || known.length !== rest?.length
      ? unseen('what watch runs is not written out')
      : { kind: 'script', text: known.join(' ') };
  }
  const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (wrapper === undefined) return { kind: 'nothing' };
  if (program === 'command' && has(/^-[pvV]*[vV]/)) return { kind: 'nothing' };
  if (program === 'env' && has(/^-\w*S|^--split/)) return unseen('env -S splits text into words');
  const rest = pastOptions(words.slice(1), wrapper);
  if (rest === undefined) return unseen(`what ${program} starts is not written out`);
  return { kind: 'words', words: rest, transparent: wrapper.transparent === true };
}

/** What is left behind options and, for `env` and `sudo`, assignments. */
function pastOptions(words: readonly ShellWord[], { valued = [], skip = 0 }: Wrapper) {
  let at = 0;
  for (; at < words.length; at++) {
    const value = words[at]?.value;
    if (value === undefined) return undefined;
    if (value === '--') {
      at++;
      break;
    }
    if (valued.includes(value)) at++;
    else if (!value.startsWith('-') && !/^\w+=/.test(value)) break;
  }
  const rest = words.slice(at + skip);
  return rest.length > 0 && rest[0]?.value === undefined ? undefined : rest;
}

/** `-c` takes the first word behind the options; without it a shell reads a file, or whatever comes in. */
function scriptOf(words: readonly ShellWord[], program: string): Wrapped {
  let reads = false;
  for (const { value } of words) {
    if (value === undefined) return unseen(`what ${program} runs is not written out`);
    if (/^-[A-Za-z]+$/.test(value) && !/[sOoi]/.test(value)) reads ||= value.includes('c');
    else if (/^[-+]/.test(value)) return unseen(`${program} is given options that change what it reads`);
    else return reads ? { kind: 'script', text: value } : { kind: 'nothing' };
  }
  return unseen(`${program} reads its commands from elsewhere`);
}

function executedBy(words: readonly ShellWord[]): Wrapped {
  const at = words.findIndex(({ value }) => value !== undefined && /^-(?:exec|ok)(?:dir)?$/.test(value));
  if (at < 0) return { kind: 'nothing' };
  return { kind: 'words', words: words.slice(at + 1), transparent: false };
}

function unseen(reason: string): Wrapped {
  return { kind: 'unseen', reason };
}
