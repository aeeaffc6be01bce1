/**
 * Options and words by which a program does more than its name says: write a file of their choice, or run
 * another program. A rule for the program does not speak of them unless it names them. To add a program, list
 * what it has of the kind; programs that are meant to run what they are given (make, node, ssh with a
 * command) need no entry for that.
 */

import { baseName, type Segment } from '../reading/segment.ts';
import { awkDoesMore, onlyEditsText } from './awk-and-sed.ts';

interface Beyond {
  /** Long options, written out, apart by spaces. What cuts one short counts too. */
  readonly long?: string;
  /** Letters of short options, alone or in a cluster. */
  readonly short?: string;
  /** Letters whose value is the rest of the cluster, so that it holds no more options. */
  readonly valued?: string;
  /** Options that do no more, where all others may. */
  readonly only?: RegExp;
  /** Of these, the ones whose value is the next word. */
  readonly before?: RegExp;
  /** Other words; `args` are all of them. */
  readonly word?: (word: string, args: readonly string[]) => boolean;
}

const SCRIPTED_BY = (option: RegExp, args: readonly string[], word: string): boolean =>
  option.test(args[args.indexOf(word) - 1] ?? '');

/** Behind the options, of which some take the next word, whatever that looks like. */
function awkScriptAt(args: readonly string[]): number {
  let at = 0;
  for (; args[at]?.startsWith('-') === true; at++) {
    if (args[at] === '--') return at + 1;
    if (/^(?:-[Fv]|--(?:field-separator|assign))$/.test(args[at] ?? '')) at++;
  }
  return at;
}

const awk: Beyond = {
  before: /^-[Fv]$/,
  only: /^-(?:[Fv].*|-)$|^--(?:field-separator|assign|posix|traditional|re-interval|version|help)(?:=.*)?$/,
  word: (word, args) => args[awkScriptAt(args)] === word && awkDoesMore(word),
};

/** They run other programs as their parts, and read words from files. */
const compiler: Beyond = {
  word: (word) =>
    /^@|^-(?:wrapper|B|fplugin|specs|Xclang|load|fpass-plugin|fuse-ld|dumpdir|save-temps)/.test(word),
};

const PROGRAMS: Readonly<Record<string, Beyond>> = {
  sed: {
    before: /^-[nErsuz]*e$/,
    only: /^-(?:[nErsuzl\d]+|[nErsuz]*e)$|^--(?:quiet|silent|regexp-extended|expression(?:=.*)?|separate|unbuffered|null-data|debug|posix|sandbox|version|help|line-length=\d+)?$/,
    word: (word, args) => isSedScript(word, args) && !onlyEditsText(word.replace(/^--expression=/, '')),
  },
  sort: { long: 'output compress-program temporary-directory', short: 'oT', valued: 'ktST' },
  uniq: { word: (word, args) => args.filter((arg) => !arg.startsWith('-')).indexOf(word) > 0 },
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  find: { word: (word) => /^-(?:delete|f(?:print(?:0|f)?|ls))$/.test(word) },
  fd: { long: 'exec exec-batch', short: 'xX' },
  rg: { long: 'pre hostname-bin search-zip', short: 'z', valued: 'ABCMgtTefmrjE' },
  tar: {
    long: 'to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script index-file remove-files',
    short: 'IF',
    valued: 'fCXTgbLNVK',
    word: (word, args) => args[0] === word && !word.startsWith('-') && /[IF]/.test(word),
  },
  rsync: { long: 'rsh rsync-path log-file write-batch only-write-batch daemon', short: 'e', valued: 'fBTM' },
  ssh: { short: 'oFESIw', valued: 'bcDeiJLlmOpQRWB' },
  scp: { short: 'oFSD', valued: 'cilPX' },
  sftp: { short: 'oFSDb', valued: 'BcilPR' },
  curl: {
    long: 'output output-dir remote-name remote-name-all remote-header-name config dump-header trace trace-ascii stderr cookie-jar hsts alt-svc etag-save libcurl write-out engine create-dirs',
    short: 'oOKDcwJ',
    valued: 'AbdeEFhHmPQrtTuUXxyYzC',
    word: (word) => /^file:/i.test(word),
  },
  wget: {
    long: 'output-document output-file append-output use-askpass execute config directory-prefix save-cookies warc-file rejected-log hsts-file input-file',
    short: 'OoaePi',
    valued: 'ADIRTUtwQlXB',
  },
  tcpdump: { short: 'zwFr', valued: 'icsTyEBCGMVW' },
  mysql: {
    long: 'defaults-file defaults-extra-file pager tee init-command plugin-dir',
    word: (word) => /\\!|\bsystem\b|\\[.PTo]|\b(?:source|tee|pager)\b/.test(word),
  },
  gcc: compiler,
  cc: compiler,
  'g++': compiler,
  'c++': compiler,
  clang: compiler,
  'clang++': compiler,
  less: { only: /^-[NSRFXnMmiIqQsEe]+$/, word: (word) => word.startsWith('+') },
  man: {
    long: 'pager html gxditview troff-device preprocessor config-file extension',
    short: 'PHXTpCt',
    valued: 'kfMSsLmrRe',
  },
  vim: { only: /^-[Rnvy]$/, word: (word) => word.startsWith('+') },
  split: { long: 'filter' },
  zip: { long: 'unzip-command', short: 'TO', valued: 'btnixP' },
  tree: { short: 'o' },
  date: { long: 'set', short: 's', valued: 'dfrI' },
  file: { long: 'compile', short: 'Cm', valued: 'fFeP' },
  yq: { long: 'inplace in-place', short: 'i' },
  time: { long: 'output', short: 'o', valued: 'f' },
  bat: { long: 'pager' },
  ag: { long: 'pager' },
  ack: { long: 'pager' },
  hg: { long: 'config' },
  svn: { long: 'config-option diff-cmd editor-cmd diff3-cmd' },
  sqlite3: {
    long: 'cmd init',
    only: /^-(?:header|csv|json|line|list|column|readonly|batch|bail)$/,
    word: (word) => /^\s*\.|;\s*\./.test(word),
  },
  psql: { long: 'output log-file', short: 'oL', valued: 'dhpUvcfF', word: (word) => word.includes('\\') },
};
const ALIASES: Readonly<Record<string, string>> = {
  vi: 'vim',
  nvim: 'vim',
  view: 'vim',
  gsed: 'sed',
  gtar: 'tar',
  gfind: 'find',
  fdfind: 'fd',
};

function isSedScript(word: string, args: readonly string[]): boolean {
  if (/^--expression=/.test(word) || SCRIPTED_BY(/^-[nErsuz]*e$|^--expression$/, args, word)) return true;
  const given = args.some((arg) => /^-[nErsuz]*e$|^--expression/.test(arg));
  return !given && args.find((arg) => !arg.startsWith('-')) === word;
}

/**
 * Whether the script that it is given may run any program, or open any file, by what it reads or by words of
 * its own.
 */
export function mayRunAnything(segment: Pick<Segment, 'words'>): boolean {
  const known = runners.get(segment) ?? isRunner(segment);
  runners.set(segment, known);
  return known;
}

/** Many rules want to know it of one command. */
const runners = new WeakMap<Pick<Segment, 'words'>, boolean>();

function isRunner({ words }: Pick<Segment, 'words'>): boolean {
  const [path, ...args] = words.map(({ value }) => value);
  const program = resolveAlias(baseName(path ?? ''));
  if (program === 'sed')
    return !args.includes('--sandbox') && sedScripts(args).some((script) => !isSafe(script));
  if (PROGRAMS[program] !== awk) return false;
  const at = awkScriptAt(args.map((arg) => arg ?? ''));
  const scripted = args.some((arg) => /^(?:-f|--file)/.test(arg ?? ''));
  const given = args.filter((_, i) => /^(?:-e|--source)$/.test(args[i - 1] ?? ''));
  const scripts = given.length > 0 ? given : scripted || at >= args.length ? [] : [args[at]];
  return scripts.some((script) => script === undefined || awkDoesMore(script));
}

/** What is not known may be a command that runs another. */
const isSafe = (script: string | undefined): boolean =>
  script !== undefined && (!script.includes('e') || onlyEditsText(script));

function sedScripts(args: readonly (string | undefined)[]): readonly (string | undefined)[] {
  const given = args.flatMap((arg, at) => {
    if (/^(?:-[nErsuz]*e|--expression)$/.test(args[at - 1] ?? '')) return [arg];
    const joined = /^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(arg ?? '')?.[1];
    return joined === undefined ? [] : [joined];
  });
  if (given.length > 0 || args.some((arg) => /^-\w*f|^--file/.test(arg ?? ''))) return given;
  const first = args.findIndex((arg) => arg === undefined || (arg !== '' && !arg.startsWith('-')));
  return first < 0 ? [] : [args[first]];
}

/** What holds for every subcommand of git, and for single ones. */
const GIT: Beyond = {
  long: 'output output-directory ext-diff textconv exec upload-pack receive-pack upload-archive open-files-in-pager extcmd template',
  word: (word) => word.includes('::'),
};
/** Another repository of this machine, which is not looked at. */
const elsewhere: Beyond = { word: (word) => /^(?:\.{1,2}(?:\/|$)|[/~]|file:)/.test(word) };
/** A strategy that git does not have is a program, `git-merge-x`. */
const merging: Beyond = {
  word: (word, args) => {
    const joined = /^(?:-s|--strategy=)(.+)$/.exec(word)?.[1];
    const strategy = joined ?? (SCRIPTED_BY(/^(?:-s|--strategy)$/, args, word) ? word : undefined);
    return strategy !== undefined && !/^(?:ours|recursive|resolve|octopus|subtree|ort)$/.test(strategy);
  },
};
const both = (one: Beyond, other: Beyond): Beyond => ({
  ...one,
  ...other,
  word: (word, args) => one.word?.(word, args) === true || other.word?.(word, args) === true,
});
const GIT_VERBS: Readonly<Record<string, Beyond>> = {
  fetch: elsewhere,
  'ls-remote': elsewhere,
  push: elsewhere,
  pull: both(elsewhere, merging),
  merge: merging,
  'cherry-pick': { long: 'strategy' },
  revert: { long: 'strategy' },
  blame: { long: 'contents ignore-revs-file' },
  annotate: { long: 'contents ignore-revs-file' },
  init: { long: 'separate-git-dir' },
  apply: { long: 'unsafe-paths directory' },
  archive: { short: 'o', long: 'remote' },
  'format-patch': { short: 'o' },
  grep: { short: 'O', valued: 'efmABC' },
  rebase: both(merging, { short: 'x', valued: 'sXCS' }),
  clone: both(elsewhere, { short: 'uc', long: 'config separate-git-dir', valued: 'bojl' }),
  difftool: { short: 'xt', long: 'tool' },
  mergetool: { short: 't', long: 'tool' },
  bisect: { word: (word) => word === 'run' },
  submodule: { word: (word) => word === 'foreach' },
  hook: { word: (word) => word === 'run' },
  ...Object.fromEntries(
    [
      'config',
      'filter-branch',
      'daemon',
      'instaweb',
      'send-email',
      'credential',
      'maintenance',
      'web--browse',
    ].map((verb): [string, Beyond] => [verb, { word: (word) => word === verb }]),
  ),
};
/** In front of the subcommand. */
const GIT_HARMLESS = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs|--no-replace-objects|-C)$/;

/** The positions of the words that go beyond the program's name. */
export function beyondName(words: readonly string[]): readonly number[] {
  const [path = '', ...args] = words;
  const program = baseName(path);
  if (program === 'git') return beyondGit(args).map((at) => at + 1);
  const form = findTable(resolveAlias(program));
  return form === undefined ? [] : beyond(args, form).map((at) => at + 1);
}

/** Whether words that are not known yet could go beyond it. */
export function mayGoBeyond(program: string): boolean {
  return program === 'git' || findTable(resolveAlias(program)) !== undefined;
}

const resolveAlias = (program: string): string =>
  Object.hasOwn(ALIASES, program) ? (ALIASES[program] ?? program) : program;

const findTable = (name: string): Beyond | undefined =>
  Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;

function beyondGit(args: readonly string[]): readonly number[] {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && !/^-[Cc]$/.test(args[i - 1] ?? ''));
  const verb = at < 0 ? '' : (args[at] ?? '');
  const front = (at < 0 ? args : args.slice(0, at)).flatMap((arg, i) =>
    GIT_HARMLESS.test(arg) || args[i - 1] === '-C' ? [] : [i],
  );
  const own = Object.hasOwn(GIT_VERBS, verb) ? GIT_VERBS[verb] : undefined;
  const rest = at < 0 ? [] : args.slice(at);
  const found = new Set([...beyond(rest, GIT), ...(own === undefined ? [] : beyond(rest, own))]);
  return [...front, ...[...found].map((i) => i + at)];
}

function beyond(
  args: readonly string[],
  { long = '', short = '', valued = '', only, before, word }: Beyond,
): readonly number[] {
  const names = long === '' ? [] : long.split(' ');
  return args.flatMap((arg, at) => {
    if (word?.(arg, args) === true) return [at];
    if (!arg.startsWith('-') || arg === '-') return [];
    if (only !== undefined) return only.test(arg) || before?.test(args[at - 1] ?? '') ? [] : [at];
    if (arg.startsWith('--')) {
      const name = arg.slice(2).split('=', 1)[0] ?? '';
      return name !== '' && names.some((each) => each.startsWith(name)) ? [at] : [];
    }
    if (names.includes(arg.slice(1))) return [at];
    for (const letter of arg.slice(1)) {
      if (short.includes(letter)) return [at];
      if (valued.includes(letter)) return [];
    }
    return [];
  });
}
