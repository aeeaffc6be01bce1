/** Programs that start the rest of their words: which of their words are options, and what those change. */
import type { ShellWord } from '../reading/segment.ts';

export interface Starter {
  /** Options that take the next word as their value where none is joined to them: letters, and long names. */
  readonly valued?: string;
  /**
   * Letters whose value can only be joined to them, and long names without a value that others begin with.
   */
  readonly bare?: string;
  /** Options that change the folder to their value. */
  readonly moves?: string;
  /** Options that change what absolute paths mean. */
  readonly roots?: string;
  /** Words between the options and the program. */
  readonly skip?: number;
  /** It does nothing but start the program. */
  readonly transparent?: boolean;
  /** Variables may be set in front of the program. */
  readonly assigns?: boolean;
}

export const STARTERS: Readonly<Record<string, Starter>> = {
  command: { transparent: true },
  nohup: { transparent: true },
  nice: { valued: 'n adjustment', transparent: true },
  timeout: { valued: 's k signal kill-after', skip: 1, transparent: true },
  setsid: { transparent: true },
  stdbuf: { valued: 'i o e input output error', transparent: true },
  watch: { valued: 'n q s interval equexit shotsdir', transparent: true },
  builtin: {},
  exec: { valued: 'a' },
  env: { valued: 'u C a unset chdir argv0', moves: 'C chdir', assigns: true },
  sudo: {
    valued:
      'u g h p C c T r t D R U a user group host prompt close-from login-class command-timeout role type chdir chroot other-user auth-type',
    bare: 'login',
    moves: 'D chdir',
    roots: 'R chroot',
    assigns: true,
  },
  unshare: {
    valued:
      'S G R w l setuid setgid root wd propagation monotonic boottime load-interp setgroups map-user map-users map-group map-groups owner',
    moves: 'w wd',
    roots: 'R root',
  },
  doas: { valued: 'u C a' },
  xargs: {
    valued: 'I n P L d a E s J R S max-args max-procs max-chars delimiter arg-file process-slot-var',
    bare: 'i l e',
  },
  busybox: {},
};

interface Option {
  /** With its dashes; a long one may be cut short. */
  readonly name: string;
  /** Of an option with a value: that, or undefined where it is not known. */
  readonly value?: string | undefined;
}

export interface StarterCall {
  readonly options: readonly Option[];
  /** The program with its words. */
  readonly rest: readonly ShellWord[];
  /** The names of the variables that are set for it. */
  readonly sets: readonly string[];
}

/** Whether an option is one of these; a long name may be cut short. */
export function isOption({ name }: Option, names: string): boolean {
  return name.startsWith('--')
    ? isLongOption(name.slice(2), names)
    : names.split(' ').includes(name.slice(1));
}

/**
 * What is left behind the options and assignments; undefined: a word in front of the program is not known.
 */
export function readLaunch(words: readonly ShellWord[], starter: Starter): StarterCall | undefined {
  const { skip = 0, assigns = false } = starter;
  const options: Option[] = [];
  const sets: string[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const value = words[at]?.value;
    if (value === undefined) return undefined;
    if (value === '--') {
      at++;
      break;
    }
    if (value.startsWith('-')) {
      const { read, takesNext } = readOptions(value, starter);
      const last = takesNext ? read.pop() : undefined;
      options.push(...read);
      if (last !== undefined) options.push({ ...last, value: words[++at]?.value });
    } else if (!assigns || !value.includes('=')) break;
    else sets.push(value.slice(0, value.indexOf('=')));
  }
  const rest = words.slice(at + skip);
  return rest.length > 0 && rest[0]?.value === undefined ? undefined : { options, rest, sets };
}

/** The options of one word; the last of them may take the next word. */
function readOptions(
  word: string,
  { valued = '', bare = '' }: Starter,
): { read: Option[]; takesNext: boolean } {
  if (word.startsWith('--')) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (value !== undefined) return { read: [{ name: `--${name}`, value }], takesNext: false };
    const takesNext = !bare.split(' ').includes(name) && isLongOption(name, valued);
    return { read: [{ name: word }], takesNext };
  }
  const read: Option[] = [];
  for (let at = 1; at < word.length; at++) {
    const name = `-${word.charAt(at)}`;
    const joined = word.slice(at + 1);
    const takesNext = isOption({ name }, valued) && joined === '';
    const ends = takesNext || isOption({ name }, `${valued} ${bare}`);
    read.push(ends && !takesNext ? { name, value: joined } : { name });
    if (ends) return { read, takesNext };
  }
  return { read, takesNext: false };
}

const isLongOption = (name: string, names: string): boolean =>
  name !== '' && names.split(' ').some((each) => each.length > 1 && each.startsWith(name));
