/** Programs with the forms in which they only read; see `ReadingForm`. */
import { READING_ARCHIVES } from './reading-archives.ts';
import type { ReadingForm } from './reading-form.ts';
import { READING_SEARCHES } from './reading-searches.ts';

const ANY = /^/;
const ANY_SHORT = /^-[A-Za-z0-9]*$/;
const recursive = (args: readonly string[]): boolean =>
  args.some((arg) => /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive$/.test(arg));

/** It tells about the machine or its user, and takes no more than options. */
const teller = (options?: RegExp): ReadingForm => ({ ...(options && { options }), atMost: 0 });

/** It is asked for its version: with less it would run what it is given to read. */
const allowVersion = (option: RegExp): ReadingForm => ({
  options: option,
  atMost: 0,
  holds: (_, args) => args.length === 1,
});

function asksFirst(_: readonly string[], args: readonly string[]): boolean {
  return args.filter((arg) => arg.startsWith('-')).length === 1 && args[0]?.startsWith('-') === true;
}

/** Without one it would show every file that any process has open. */
function hasOption(_: readonly string[], args: readonly string[]): boolean {
  return args.some((arg) => arg.startsWith('-i'));
}

export const READING_PROGRAMS: Readonly<Record<string, ReadingForm>> = {
  // Files and folders
  ls: {
    options:
      /^-[A-Za-z0-9]*$|^--(?:all|almost-all|human-readable|recursive|reverse|directory|size|inode|full-time|file-type|classify|group-directories-first|color(?:=\w+)?|sort=\w+|time=\w+|time-style=[\w+-]+|ignore=[^/]*)$/,
  },
  pwd: teller(/^-[LP]$/),
  cd: { atMost: 1, holds: (words) => words.length === 1 },
  cat: { options: /^-[A-Za-z0-9]*$|^--(?:number|number-nonblank|squeeze-blank|show-all)$/ },
  head: { options: /^-[qvz]+$|^-[nc]?\d*$|^--(?:lines|bytes)=-?\d+$/ },
  tail: { options: /^-[qvzfF]+$|^-[nc]?\+?\d*$|^--(?:lines|bytes)=\+?\d+$/ },
  wc: { options: /^-[clmwL]*$|^--(?:lines|words|bytes|chars|max-line-length)$/ },
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
  ...READING_ARCHIVES,
  // Text
  ...READING_SEARCHES,
  sort: {
    options:
      /^-(?:[bdfghiMnRrVcCmsuz]*(?:k[\d.,bdfginrMRV]*)?|[bdfghiMnRrVcCmsuz]*t.?)$|^--(?:reverse|unique|numeric-sort|human-numeric-sort|general-numeric-sort|version-sort|ignore-case|stable|key=[\d.,bdfginrMRV]+|field-separator=.)$/,
    valued: /^-[bdfghiMnRrVcCmsuz]*[kt]$/,
  },
  // The second file would be written.
  uniq: { options: /^-(?:[cdDiuz]+|[fsw]\d+)$|^--(?:count|repeated|unique|ignore-case)$/, atMost: 1 },
  cut: {
    options:
      /^-(?:[sz]|[bcdf].*)$|^--(?:bytes|characters|complement|delimiter|fields|only-delimited)(?:=.*)?$/,
    valued: /^-[bcdf]$/,
  },
  tr: { options: /^-[cCdst]+$/, words: ANY },
  nl: { options: /^-[bfhlnswvi][\w-]*$/ },
  tac: {},
  rev: {},
  paste: { options: /^-(?:[sz]|d.?)$/, valued: /^-d$/ },
  fold: { options: /^-(?:[bs]+|w\d*)$/ },
  expand: { options: /^-(?:i|t\d*)$/ },
  comm: { options: /^-[123]+$/ },
  cmp: { options: /^-[bls]+$/ },
  column: { options: /^-(?:t|t?s.?)$/, valued: /^-t?s$/ },
  od: { options: ANY_SHORT },
  hexdump: { options: /^-[bcCdovx]+$/ },
  // A second file would be written, and an option behind the first one is taken for it.
  xxd: {
    options: /^-(?:[abeEipPuCv]+|ps|[cglos][-+]?\w*)$/,
    valued: /^-[cglos]$/,
    atMost: 1,
    holds: (words, args) => words.length === 0 || args.at(-1) === words[0],
  },
  // `@x` would be a file of arguments.
  strings: { options: /^-(?:a|n?\d+)$/, holds: (words) => !words.some((word) => word.startsWith('@')) },
  base64: { options: /^-[di]$|^--decode$/ },
  md5sum: { options: /^-[bt]$/ },
  sha1sum: { options: /^-[bt]$/ },
  sha256sum: { options: /^-[bt]$/ },
  shasum: { options: /^-a\d*$/, valued: /^-a$/ },
  shuf: { options: /^-n\d*$/ },
  sha512sum: { options: /^-[bt]$/ },
  cksum: {},
  diff: {
    options:
      /^-(?:[abBdeiNnpqrstuwyE]+|[UC]\d+)$|^--(?:brief|ignore-all-space|ignore-case|ignore-blank-lines|recursive|side-by-side|unified(?:=\d+)?|color(?:=\w+)?)$/,
    descends: recursive,
    followsLinks: true,
  },
  // Links among the files of a folder lead it out. With -w it writes, and with -d it may start `diff`.
  gofmt: { options: /^-[les]$/, descends: () => true, followsLinks: true },
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
  // What is installed; every other option changes or unpacks something.
  dpkg: {
    options: /^-[lLsS]$|^--(?:list|listfiles|status|search)$/,
    words: /^[\w.+:*-]+$/,
    holds: asksFirst,
    starts: ['dpkg-query'],
  },
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
  whereis: { words: /^[\w.+-]+$/ },
  command: { options: /^-[vV]$/, words: /^[\w.+-]+$/, holds: (words, args) => args.length > words.length },
  which: { options: /^-[as]+$/, words: /^[\w.+-]+$/ },
  type: { options: /^-[afptP]+$/, words: /^[\w.+-]+$/ },
  // With `e` it shows the environment of processes, also where the options of one kind are read as the
  // other's.
  ps: {
    options: /^-(?:[eAaf]|e[fF]l?|elf|efww?|aux(?:ww?)?|e?o|[pCuU])$|^--(?:sort=[\w,%+-]+|no-headers?)$/,
    valued: /^-(?:e?o|[pCuU])$/,
    words: /^(?:a?ux?|a|x|aux?ww?|axu?f?|ww?)$/,
    holds: (_, args) => !args.some((arg) => /env/i.test(arg)),
  },
  netstat: teller(/^-[tulnpaers46]+$/),
  ifconfig: teller(),
  who: teller(),
  w: teller(),
  lscpu: teller(),
  umask: teller(),
  jobs: teller(/^-[lp]$/),
  history: { words: /^\d+$/, atMost: 1 },
  ip: { options: /^-(?:br|brief|[46jo])$/, words: /^(?:a|addr|address|l|link|r|route|n|neigh|show|list)$/ },
  // Not of those that look in the folder for which version they are to be (cargo, go, yarn).
  npm: allowVersion(/^(?:-v|--version)$/),
  ruby: allowVersion(/^(?:-v|--version)$/),
  perl: allowVersion(/^-v$/),
  php: allowVersion(/^(?:-v|--version)$/),
  java: allowVersion(/^--?version$/),
  gcc: allowVersion(/^--version$/),
  'g++': allowVersion(/^--version$/),
  cc: allowVersion(/^--version$/),
  clang: allowVersion(/^--version$/),
  make: allowVersion(/^(?:-v|--version)$/),
  cmake: allowVersion(/^--version$/),
  curl: allowVersion(/^(?:-V|--version)$/),
  node: allowVersion(/^(?:-v|--version)$/),
  python: allowVersion(/^(?:-V|--version)$/),
  python3: allowVersion(/^(?:-V|--version)$/),
  // The started command gets unknown words: only a command that does not use them as file names may be
  // started.
  xargs: { options: /^-(?:[0rtx]+|[nL]\d*|I(?:\{\})?)$/, words: ANY, holds: startsEcho },
};

/** `xargs -n 1 echo`: behind options and their values. */
function startsEcho(_: readonly string[], args: readonly string[]): boolean {
  return /^(?:-(?:[0rtx]+|[nL] ?\d+|I ?\{\}) )*(?:echo|basename|dirname)(?: |$)/.test(args.join(' '));
}
