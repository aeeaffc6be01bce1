/** Subcommands of git with the forms in which they only read; see `ReadingForm`. */
import type { ReadingForm } from './reading-form.ts';

const ANY = /^/;
const ALWAYS = () => true;

/** Short options as a pattern; long ones as patterns apart by spaces, whole and not cut short. */
const options = (short: string, long: string): RegExp =>
  new RegExp(`^-(?:${short})$|^--(?:${long.trim().split(/\s+/).join('|')})$`);

/** What a format may hold: no placeholder that asks another program (`%G?`), and none that is not known. */
const FORMAT =
  '(?:t?format:)?(?=.*%)(?:[^%]|%(?:[-+\\x20]?(?:[HhTtPpdDSesfbBNm]|[ac][nNeElLdDrtiIsh]|g[DdnNeEs])|[%n]|x[0-9A-Fa-f]{2}|w\\([\\d,]*\\)|[<>]{1,2}\\|?\\([\\w,-]*\\)|C(?:red|green|blue|reset|\\([a-z\\x20,#0-9]*\\))))*';

/** Of a difference. What writes, runs a filter or compares files outside of the repository is left out. */
const DIFF_LONG = `stat(?:=[\\d,]+)? shortstat numstat dirstat(?:=[\\w,.]+)? summary compact-summary name-only name-status
  raw patch patch-with-stat no-patch cached staged merge-base no-ext-diff no-textconv word-diff(?:=\\w+)? word-diff-regex=.*
  color(?:=\\w+)? no-color color-words(?:=.*)? color-moved(?:=\\w+)? find-renames(?:=\\d+%?)? find-copies(?:=\\d+%?)?
  find-copies-harder no-renames diff-filter=\\w+ ignore-space-change ignore-all-space ignore-space-at-eol
  ignore-blank-lines ignore-cr-at-eol unified=\\d+ inter-hunk-context=\\d+ function-context minimal patience histogram
  diff-algorithm=\\w+ pickaxe-all pickaxe-regex relative full-index binary text exit-code quiet check no-prefix null
  ignore-submodules(?:=\\w+)? submodule=(?:short|log)`;
const DIFF_SHORT = 'p|u|U\\d+|w|b|z|a|R|W|i|r|t|q|[MCD]\\d*%?|[SG].*';

/** Of a history. */
const LOG_LONG = `${DIFF_LONG} oneline graph no-graph decorate(?:=\\w+)? no-decorate all branches(?:=.*)? tags(?:=.*)? remotes(?:=.*)?
  glob=.* exclude=.* not (?:format|pretty)=(?:oneline|short|medium|full|fuller|reference|email|mboxrd|raw|${FORMAT})
  abbrev(?:=\\d+)? abbrev-commit no-abbrev-commit date=.* (?:since|until|after|before|author|committer|grep)=.*
  since until after before author committer grep max-count(?:=\\d+)? skip(?:=\\d+)? no-merges merges min-parents=\\d+
  max-parents=\\d+ reverse follow first-parent left-right left-only right-only cherry cherry-pick cherry-mark topo-order
  date-order author-date-order parents children boundary source full-history simplify-merges simplify-by-decoration
  ancestry-path all-match invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp walk-reflogs no-notes cc`;
const LOG = options(`${DIFF_SHORT}|\\d+|n\\d*|s|m|c|g|E|F|P|L.*`, LOG_LONG);
const LOG_VALUED = /^-[SGLn]$|^--(?:since|until|after|before|author|committer|grep|max-count|skip)$/;

const LISTING = /^--(?:list|(?:no-)?merged|(?:no-)?contains|points-at)$/;
/** A name alone would make one. */
const listed = (words: readonly string[], args: readonly string[]): boolean =>
  words.length === 0 || args.some((arg) => LISTING.test(arg));
/** What the first word says, in front of all options. */
const asks =
  (subcommand: RegExp): NonNullable<ReadingForm['holds']> =>
  (_, args) =>
    subcommand.test(args[0] ?? '');

/** A trial run. */
const tries: NonNullable<ReadingForm['holds']> = (_, args) =>
  args.some((arg) => /^-\w*n|^--dry-run$/.test(arg));

/** How references are sorted and shown: by placeholders that are no signatures. */
const REFS = `sort=-?[\\w:]+ format=(?:[^%]|%%|%\\((?:(?:refname|objectname|upstream|push)(?::[\\w=-]+)?|objecttype|HEAD|subject|contents:subject|(?:author|committer|tagger|creator)(?:name|email|date)?(?::[\\w:-]+)?)\\))* count=\\d+`;

/** With what names may be: of commits, branches and files, none of which is opened by its name alone. */
const names: Pick<ReadingForm, 'words'> = { words: ANY };

export const READING_GIT: Readonly<Record<string, ReadingForm>> = {
  status: {
    options: options(
      's|b|sb|u(?:no|normal|all)?|z',
      'short branch porcelain(?:=v[12])? long untracked-files(?:=\\w+)? ignored(?:=\\w+)? no-renames renames ahead-behind no-ahead-behind show-stash column no-column null ignore-submodules(?:=\\w+)?',
    ),
  },
  log: { options: LOG, valued: LOG_VALUED },
  show: { options: LOG, valued: LOG_VALUED, descends: ALWAYS },
  whatchanged: { options: LOG, valued: LOG_VALUED, descends: ALWAYS },
  diff: { options: options(DIFF_SHORT, `${DIFF_LONG} no-index`), valued: /^-[SG]$/, descends: ALWAYS },
  'diff-tree': { options: options(DIFF_SHORT, `${DIFF_LONG} no-commit-id root`), descends: ALWAYS },
  grep: {
    options: options(
      '[niIlcowWvFEGPhHLzpq]*(?:e.*|[ABCm]\\d*)?',
      `line-number ignore-case count files-with-matches name-only files-without-match word-regexp invert-match fixed-strings
      extended-regexp basic-regexp perl-regexp only-matching column break heading show-function function-context cached
      untracked no-color color(?:=\\w+)? all-match and or not quiet full-name text null (?:context|after-context|before-context|max-depth|max-count|threads)=\\d+`,
    ),
    valued: /^-[niIlcowWvFEGPhHLzpq]*[eABCm]$/,
    scripts: 1,
    unscripted: /^-[A-Za-z]*[ef]/,
    descends: ALWAYS,
  },
  blame: {
    options:
      /^-(?:[bcefflnstwk]+|L.*|[MC]\d*)$|^--(?:date=.*|line-porcelain|porcelain|show-email|show-name|show-number|root|abbrev=\d+)$/,
    valued: /^-L$/,
  },
  branch: {
    options: options(
      '[arvqi]+',
      `list all remotes verbose show-current merged no-merged contains no-contains points-at no-color color(?:=\\w+)? no-column column ignore-case abbrev=\\d+ ${REFS}`,
    ),
    ...names,
    holds: listed,
  },
  tag: {
    options: options(
      'l|n\\d*|i',
      `list merged no-merged contains no-contains points-at no-column column ignore-case ${REFS}`,
    ),
    ...names,
    holds: (words, args) => args.includes('-l') || listed(words, args),
  },
  'for-each-ref': {
    options: options(
      '',
      `${REFS} merged(?:=.*)? no-merged(?:=.*)? contains(?:=.*)? points-at=.* ignore-case`,
    ),
    ...names,
  },
  'show-ref': {
    options: options(
      '[dhsq]|s\\d*',
      'heads tags branches head verify hash(?:=\\d+)? abbrev(?:=\\d+)? dereference quiet',
    ),
    ...names,
  },
  'name-rev': { options: options('', 'tags name-only always no-undefined refs=.* exclude=.*'), ...names },
  'merge-base': { options: options('a', 'all octopus independent is-ancestor fork-point'), ...names },
  cherry: { options: options('v', 'verbose abbrev(?:=\\d+)?'), ...names },
  'count-objects': { options: options('v|H|vH', 'verbose human-readable'), atMost: 0 },
  'symbolic-ref': {
    options: options('q', 'short quiet'),
    ...names,
    atMost: 1,
    holds: (words) => words.length === 1,
  },
  'ls-tree': {
    options: options('[rdtlz]+', 'name-only name-status long full-name full-tree abbrev(?:=\\d+)?'),
    ...names,
  },
  'check-ignore': { options: options('[vqn]+', 'verbose quiet non-matching no-index') },
  'ls-files': {
    options: options(
      '[cdmoskuzit]+',
      'cached deleted modified others stage unmerged exclude-standard directory no-empty-directory full-name error-unmatch eol (?:exclude)=.*',
    ),
  },
  'rev-parse': { options: /^--[\w-]+(?:=\w+)?$/, ...names },
  'rev-list': {
    options: options(
      '\\d+|n\\d*',
      'count all branches tags remotes merges no-merges reverse first-parent left-right oneline parents abbrev-commit topo-order date-order objects max-count=\\d+ (?:since|until|after|before|author|grep)=.*',
    ),
    valued: /^-n$/,
  },
  shortlog: {
    options: options(
      '[snec]+',
      'summary numbered email all no-merges group=\\w+ (?:since|until|after|before|author)=.*',
    ),
  },
  'cat-file': { options: /^-[epst]$/, atMost: 1, descends: ALWAYS },
  // With a second word it is one that is set.
  config: {
    options: /^--(?:get|get-all|local)$/,
    words:
      /^(?:(?:user|author|committer)\.(?:name|email)|(?:init|core|pull|push|merge|fetch|rebase)\.\w+|remote\.[\w-]+\.url|branch\.[\w/-]+\.(?:remote|merge))$/,
    atMost: 1,
    holds: (words) => words.length === 1,
  },
  describe: {
    options: options(
      '',
      'all always dirty long tags contains exact-match first-parent abbrev=\\d+ (?:match|exclude|candidates)=.*',
    ),
    ...names,
  },
  reflog: {
    options: LOG,
    ...names,
    holds: (words) => !words.some((word) => /^(?:expire|delete|drop)$/.test(word)),
  },
  remote: {
    options: /^(?:-v|--verbose|--all)$/,
    words: /^[\w.-]+$/,
    holds: (words) => words.length === 0 || (words[0] === 'get-url' && words.length === 2),
  },
  stash: {
    options: options(DIFF_SHORT, DIFF_LONG),
    words: /^(?:list|show|stash@\{\d+\}|\d+)$/,
    holds: asks(/^(?:list|show)$/),
    descends: ALWAYS,
  },
  worktree: {
    options: /^(?:-v|--porcelain|--verbose)$/,
    words: /^list$/,
    holds: asks(/^list$/),
    atMost: 1,
  },
  bisect: { words: /^log$/, atMost: 1, holds: asks(/^log$/) },
  // What they would do, and with none of the options by which they do it all the same.
  add: {
    options: options('[nvA]+', 'dry-run all verbose'),
    holds: tries,
  },
  rm: { options: options('[nrq]+', 'dry-run cached quiet'), holds: tries },
  clean: { options: options('[ndxXq]+', 'dry-run quiet'), holds: tries },
  apply: {
    options: options('[vR]|p\\d+', 'check stat numstat summary verbose reverse'),
    holds: (_, args) => args.some((arg) => /^--(?:check|stat|numstat|summary)$/.test(arg)),
    descends: ALWAYS,
  },
  version: { options: /^--build-options$/, atMost: 0 },
  '--version': { atMost: 0 },
};
