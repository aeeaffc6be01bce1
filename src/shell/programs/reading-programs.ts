import { onlyEditsText } from './sed-script.ts';

/**
 * Programs with the forms in which they only read. What is not listed is not known to: an option that writes,
 * runs another program, or names files of its own (`sort -o`, `date -s`, `file -C`) is left out on purpose,
 * and so is every abbreviation of a long option.
 */
export interface ReadingForm {
  /** Options with which it only reads. Default: none. */
  readonly options?: RegExp;
  /**
   * Its other words name no files, and each has to look like this. Default: they are the paths that it reads.
   */
  readonly words?: RegExp;
  /** How many of the other words, from the first, are no paths. Default 0. */
  readonly scripts?: number;
  /** How many other words it may have. Default: any number. */
  readonly atMost?: number;
  /** What the look of a single word cannot tell. `args` holds the options too. */
  readonly holds?: (words: readonly string[], args: readonly string[]) => boolean;
  /** It reads what lies below the folders it is given, not only what it is given. */
  readonly descends?: (args: readonly string[]) => boolean;
  /** Given folders, it opens what links in them lead to, wherever that is. */
  readonly followsLinks?: true;
}

const ANY = /^/;
const ANY_SHORT = /^-[A-Za-z0-9]*$/;
const ALWAYS = () => true;
const recursive = (args: readonly string[]): boolean =>
  args.some((arg) => /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive$/.test(arg));

/** It tells about the machine or its user, and takes no more than options. */
const teller = (options?: RegExp): ReadingForm => ({ ...(options && { options }), atMost: 0 });

/** It is asked for its version: with less it would run what it is given to read. */
const versionOf = (option: RegExp): ReadingForm => ({
  options: option,
  atMost: 0,
  holds: (_, args) => args.length === 1,
});

/** Without one it would show every file that any process has open. */
function hasOption(_: readonly string[], args: readonly string[]): boolean {
  return args.some((arg) => arg.startsWith('-i'));
}

/** A name alone would make one. */
const listed = (words: readonly string[], args: readonly string[]): boolean =>
  words.length === 0 || args.includes('--list');

export const READING_PROGRAMS: Readonly<Record<string, ReadingForm>> = {
  // Files and folders
  ls: {
    options:
      /^-[A-Za-z0-9]*$|^--(?:all|almost-all|human-readable|recursive|reverse|color(?:=\w+)?|sort=\w+|time=\w+)$/,
  },
  pwd: teller(/^-[LP]$/),
  cd: { atMost: 1, holds: (words) => words.length === 1 },
  cat: { options: ANY_SHORT },
  head: { options: /^-[qv]+$|^-[nc]?\d*$|^--(?:lines|bytes)=\d+$/ },
  tail: { options: /^-[qvfF]+$|^-[nc]?\+?\d*$|^--(?:lines|bytes)=\d+$/ },
  wc: { options: /^-[clmwL]*$|^--(?:lines|words|bytes|chars)$/ },
  stat: { options: /^-[Lftx]+$|^-c$|^--(?:dereference|file-system|terse|(?:format|printf)=[^/]*)$/ },
  file: { options: /^-[bihkLN0]+$|^--(?:brief|mime|mime-type|mime-encoding)$/ },
  du: {
    options:
      /^-(?:[abchklmsx0]+|d\d*)$|^--(?:all|bytes|human-readable|summarize|total|max-depth=\d+|apparent-size)$/,
  },
  df: { options: /^-[aHhiklPTm]+$|^--(?:human-readable|total|inodes|local)$/ },
  tree: { options: /^-(?:[adfigpshuDFQNrtcv]+|[LIP])$|^--(?:dirsfirst|noreport|gitignore)$/ },
  realpath: { options: /^-[emsqz]+$/ },
  readlink: { options: /^-[femnqsvz]+$/ },
  basename: { options: /^-[az]$/, words: ANY },
  dirname: { options: /^-z$/, words: ANY },
  test: { options: /^-(?:[bcdefghknprstuwxzGLNOS]|eq|ne|lt|le|gt|ge|nt|ot|ef|a|o)$/ },
  '[': {
    options: /^-(?:[bcdefghknprstuwxzGLNOS]|eq|ne|lt|le|gt|ge|nt|ot|ef|a|o)$/,
    holds: (words) => words.at(-1) === ']',
  },
  // Text
  rg: {
    options:
      /^-(?:[inlcowvFxHsSUuPeN]+|[ABCmgtT]\d*)$|^--(?:files|hidden|ignore-case|fixed-strings|line-number|files-with-matches|count|no-heading|glob=[^/]*|type=\w+|color=\w+|json|no-config)$/,
    descends: ALWAYS,
  },
  grep: grep(),
  egrep: grep(),
  fgrep: grep(),
  find: {
    options:
      /^-(?:i?name|i?path|i?regex|type|maxdepth|mindepth|size|[cma]time|[cma]min|newer|not|o|or|a|and|print0?|empty|prune)$/,
  },
  sort: {
    options:
      /^-(?:[bdfghiMnRrVcCmsuz]*(?:k[\d.,bdfginrMRV]*)?|t.?)$|^--(?:reverse|unique|numeric-sort|human-numeric-sort|general-numeric-sort|version-sort|ignore-case|stable|key=[\d.,bdfginrMRV]+)$/,
  },
  // The second file would be written.
  uniq: { options: /^-(?:[cdDiuz]+|[fsw]\d+)$|^--(?:count|repeated|unique|ignore-case)$/, atMost: 1 },
  cut: {
    options:
      /^-(?:[sz]|[bcdf].*)$|^--(?:bytes|characters|complement|delimiter|fields|only-delimited)(?:=.*)?$/,
  },
  tr: { options: /^-[cCdst]+$/, words: ANY },
  nl: { options: /^-[bfhlnswvi][\w-]*$/ },
  tac: {},
  rev: {},
  paste: { options: /^-(?:[sz]|d.?)$/ },
  fold: { options: /^-(?:[bs]+|w\d*)$/ },
  expand: { options: /^-(?:i|t\d*)$/ },
  comm: { options: /^-[123]+$/ },
  cmp: { options: /^-[bls]+$/ },
  column: { options: /^-(?:t|s.?)$/ },
  od: { options: ANY_SHORT },
  hexdump: { options: /^-[bcCdovx]+$/ },
  // `@x` would be a file of arguments.
  strings: { options: /^-(?:a|n?\d+)$/, holds: (words) => !words.some((word) => word.startsWith('@')) },
  base64: { options: /^-[di]$|^--decode$/ },
  md5sum: { options: /^-[bt]$/ },
  sha1sum: { options: /^-[bt]$/ },
  sha256sum: { options: /^-[bt]$/ },
  sha512sum: { options: /^-[bt]$/ },
  cksum: {},
  diff: {
    options:
      /^-(?:[abBdeiNnpqrstuwyE]+|[UC]\d+)$|^--(?:brief|ignore-all-space|ignore-case|ignore-blank-lines|recursive|side-by-side|unified(?:=\d+)?|color(?:=\w+)?)$/,
    descends: recursive,
    followsLinks: true,
  },
  sed: {
    options: /^-[nEr]+$/,
    scripts: 1,
    holds: ([script = '']) => onlyEditsText(script),
  },
  // A filter can also read the environment and modules.
  jq: {
    options:
      /^-[aCcehjMnRrSs]+$|^--(?:ascii-output|color-output|compact-output|exit-status|join-output|monochrome-output|null-input|raw-input|raw-output|slurp|sort-keys|tab)$/,
    scripts: 1,
    holds: ([filter]) => filter !== undefined && !/\b(?:env|import|include|modulemeta)\b|\$ENV/i.test(filter),
  },
  // Words alone
  echo: { options: ANY, words: ANY },
  true: { options: ANY, words: ANY },
  false: { options: ANY, words: ANY },
  ':': { options: ANY, words: ANY },
  exit: { words: /^\d+$/, atMost: 1 },
  break: { words: /^\d+$/, atMost: 1 },
  continue: { words: /^\d+$/, atMost: 1 },
  // Alone it shows every variable.
  set: {
    options: /^-(?:[eux]+|[eux]*o)$/,
    words: /^(?:pipefail|errexit|nounset|xtrace|\+[eux]+)$/,
    holds: (_, args) => args.length > 0,
  },
  // `%n` sets a variable.
  printf: {
    words: ANY,
    holds: ([format = '']) => /^(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[sdiouxXcbqeEfgG])*$/.test(format),
  },
  seq: { options: /^-w$/, words: /^[\d.]+$/ },
  expr: { words: ANY },
  sleep: { words: /^\d+(?:\.\d+)?[smh]?$/, atMost: 1 },
  // The machine and its user. A date that is not behind `-d` would set the clock.
  date: {
    options: /^-(?:u|R|d|I\w*)$|^--(?:utc|universal|date=.*|iso-8601(?:=\w+)?|rfc-3339=\w+)$/,
    words: ANY,
    holds: (words, args) =>
      words.filter((word) => !word.startsWith('+')).length <= args.filter((arg) => arg === '-d').length,
  },
  cal: { options: /^-[jmsy3]$/, words: /^\d+$/ },
  whoami: teller(),
  groups: { words: /^[\w.-]+$/ },
  id: { options: /^-[ugGnrz]+$/, words: /^[\w.-]+$/, atMost: 1 },
  tput: { words: /^(?:cols|lines|colors)$/, atMost: 1 },
  // Of ss, -K closes connections and -D writes a file.
  ss: teller(/^-[tulnpaemis46]+$/),
  lsof: { options: /^-(?:i|[nPt]+|i(?:TCP|UDP)?(?::\d+)?)$/, words: /^:\d+$/, atMost: 1, holds: hasOption },
  pgrep: { options: /^-[aflnox]+$/, words: /^[\w.-]+$/, atMost: 1 },
  hostname: teller(/^-[fsdiI]$/),
  uname: teller(/^-[asnrvmpio]+$/),
  arch: teller(),
  nproc: teller(/^--all$/),
  uptime: teller(/^-[ps]$/),
  free: teller(/^-[bkmgh]$/),
  locale: teller(/^-a$/),
  which: { options: /^-[as]+$/, words: /^[\w.+-]+$/ },
  type: { options: /^-[afptP]+$/, words: /^[\w.+-]+$/ },
  // With `e` it shows the environment of processes, also where the options of one kind are read as the
  // other's.
  ps: { options: /^-(?:[eAaf]|e[fF]l?|elf|efww?|aux(?:ww?)?)$/, words: /^(?:a?ux?|a|x|aux?ww?|axu?f?|ww?)$/ },
  node: versionOf(/^(?:-v|--version)$/),
  python: versionOf(/^(?:-V|--version)$/),
  python3: versionOf(/^(?:-V|--version)$/),
  // The started command gets unknown words: only a command that does not use them as file names may be
  // started.
  xargs: { options: /^-(?:[0rtx]+|[nL]\d*)$/, words: ANY, holds: startsEcho },
};

function grep(): ReadingForm {
  return {
    options:
      /^-(?:[inlcowvFxHhsqEGPreLaI]+|[ABCm]\d*)$|^--(?:include=[^/]*|exclude(?:-dir)?=[^/]*|color(?:=\w+)?|recursive|ignore-case|line-number|count)$/,
    descends: recursive,
  };
}

/** `xargs -n 1 echo`: behind options and their numbers. */
function startsEcho(_: readonly string[], args: readonly string[]): boolean {
  return /^(?:-(?:[0rtx]+|[nL] ?\d+) )*echo(?: |$)/.test(args.join(' '));
}

const LOG_OPTIONS =
  /^-(?:[sbupwzSG]|sb|\d+|n\d*|U\d+)$|^--(?:short|branch|porcelain(?:=v[12])?|oneline|stat|shortstat|numstat|name-only|name-status|cached|staged|graph|decorate|all|patch|no-color|no-ext-diff|no-textconv|(?:format|pretty)=(?:oneline|short|medium|full|fuller|reference|email|mboxrd|raw|(?:t?format:)?(?=.*%)(?:[^%]|%(?:[-+ ]?(?:[HhTtPpdDSesfbBNm]|[ac][nNeElLdDrtiIsh]|g[DdnNeEs])|[%n]|x[0-9A-Fa-f]{2}|C(?:red|green|blue|reset|\([a-z ,#0-9]*\))))*)|since=[^/]*|until=[^/]*|author=[^/]*|grep=[^/]*|max-count=\d+|no-merges|merges|reverse|follow|word-diff)$/;
const showsPatches = (args: readonly string[]): boolean =>
  args.some((arg) => /^-(?:[pu]|U\d+|[SG].*)$|^--(?:patch|word-diff)$/.test(arg));

/** Git by its subcommand; `git -C …` and other options in front of it are not listed. */
export const READING_GIT: Readonly<Record<string, ReadingForm>> = {
  status: { options: LOG_OPTIONS },
  log: { options: LOG_OPTIONS, descends: showsPatches },
  diff: { options: LOG_OPTIONS, descends: ALWAYS },
  show: { options: LOG_OPTIONS, descends: ALWAYS },
  blame: { options: /^-(?:[bcefflnstw]+|L.*|[MC]\d*)$/ },
  branch: {
    options:
      /^-(?:[ar]|v{1,2}|[ar]v{1,2}|v{1,2}[ar])$|^--(?:list|all|remotes|verbose|show-current|merged|no-merged|contains|no-color|no-column)$/,
    words: ANY,
    holds: listed,
  },
  tag: { options: /^(?:-l|--list|-n\d*)$/, words: ANY, holds: listed },
  remote: { options: /^(?:-v|--verbose)$/, atMost: 0 },
  'ls-files': { options: /^-[cdmosk]+$|^--(?:cached|deleted|modified|others|stage|exclude-standard)$/ },
  'rev-parse': { options: /^--[\w-]+$/, words: ANY },
  'rev-list': {
    options: /^-(?:\d+|n\d*)$|^--(?:count|all|branches|tags|remotes|merges|no-merges|reverse|max-count=\d+)$/,
  },
  shortlog: { options: /^-[snec]+$|^--(?:summary|numbered|email|all|no-merges)$/ },
  'cat-file': { options: /^-[epst]$/, atMost: 1, descends: ALWAYS },
  // With a second word, or without `--get`, it may be one that is set.
  config: {
    options: /^--get$/,
    words:
      /^(?:(?:user|author|committer)\.(?:name|email)|init\.defaultBranch|remote\.[\w-]+\.url|branch\.[\w/-]+\.(?:remote|merge))$/,
    atMost: 1,
    holds: (words, args) => words.length === 1 && args.length === 2,
  },
  describe: { options: /^--(?:all|always|dirty|long|tags|abbrev=\d+)$/, words: ANY },
  reflog: { words: /^show$/, atMost: 1 },
  stash: { words: /^list$/, holds: (words) => words.length === 1 },
  worktree: { words: /^list$/, holds: (words) => words.length === 1 },
};
