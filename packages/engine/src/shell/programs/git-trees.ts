/**
 * What git commands read out of a repository or write into its working tree, besides what their words name.
 */

export interface GitTouch {
  /** Paths that its words name. */
  readonly paths: readonly string[];
  /** It may also touch any file of the working tree. */
  readonly tree: boolean;
}

interface GitCall {
  readonly verb: string;
  readonly rest: readonly string[];
  /** Where it starts, from where the command runs; `''`: there. */
  readonly folder: string;
  /** A working tree of the command's choice; absent: that of the repository. */
  readonly workTree?: string;
  /** A repository of the command's choice, whose working tree is where it runs. */
  readonly ownDirectory: boolean;
}

/** In front of the subcommand. git takes the next word as the value of these. */
const VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env|exec-path|super-prefix|attr-source))$/;

function readCall(args: readonly string[]): GitCall {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && !VALUED.test(args[i - 1] ?? ''));
  const front = at < 0 ? args : args.slice(0, at);
  const valuesOf = (option: string) =>
    front.flatMap((arg, i) =>
      arg.startsWith(`${option}=`) ? [arg.slice(option.length + 1)] : front[i - 1] === option ? [arg] : [],
    );
  const trees = valuesOf('-c').flatMap((each) => /^core\.worktree=(.*)$/is.exec(each)?.[1] ?? []);
  const workTree = [...valuesOf('--work-tree'), ...trees][0];
  return {
    verb: at < 0 ? '' : (args[at] ?? ''),
    rest: at < 0 ? [] : args.slice(at + 1),
    folder: valuesOf('-C').reduce(inFolder, ''),
    ...(workTree !== undefined && { workTree }),
    ownDirectory: valuesOf('--git-dir').length > 0,
  };
}

const inFolder = (folder: string, path: string): string =>
  path.startsWith('/') || folder === '' ? path : `${folder}/${path}`;

/** Options of `git log` that show no contents. */
const LOG_ONLY =
  /^-(?:\d+|n\d*|[siEFPzg])$|^--(?:oneline|graph|all|decorate|stat|shortstat|numstat|dirstat|compact-summary|summary|name-only|name-status|pretty|format|since|until|after|before|author|committer|grep|max-count|skip|no-(?!index).*|merges|reverse|follow|date|relative-date|first-parent|abbrev|abbrev-commit|branches|tags|remotes|topo-order|date-order|left-right|cherry|cherry-pick|cherry-mark|ancestry-path|simplify-by-decoration|simplify-merges|full-history|source|color|diff-filter|walk-reflogs|invert-grep|all-match|regexp-ignore-case|notes|parents|children|boundary|show-signature|not|exclude|glob)(?:=.*)?$/;

const CONTENTS =
  /^(?:grep|diff.*|show|whatchanged|range-diff|archive|bundle|format-patch|fast-export|checkout-index|add|stash|cat-file|subtree)$/;

/** What it shows of files, or copies to where they have other names; undefined: nothing. */
export function gitReads(args: readonly string[]): GitTouch | undefined {
  const call = readCall(args);
  const { verb, rest, workTree, ownDirectory } = call;
  const tree = { ...touch(call, rest), tree: true };
  if (verb === 'clone')
    return touch(
      call,
      rest.map((source) => pathOfAddress(source) ?? source),
    );
  if (verb === 'mv') return touch(call, rest);
  if (verb === 'worktree') return rest[0] === 'add' ? tree : undefined;
  if (verb === 'config') return keepsSetting(args) ? tree : undefined;
  if (verb === 'log' || verb === 'reflog')
    return rest.some((arg) => arg.startsWith('-') && arg !== '--' && !LOG_ONLY.test(arg)) ? tree : undefined;
  if (CONTENTS.test(verb)) return tree;
  return (workTree !== undefined || ownDirectory) && gitWrites(args) !== undefined ? tree : undefined;
}

/**
 * Every other subcommand may change files of the working tree, and so may an alias or a program of that name.
 */
const TREE_STAYS =
  /^(?:add|annotate|archive|blame|branch|bundle|cat-file|check-\w+(?:-\w+)?|clone|column|commit|commit-(?:graph|tree)|config|count-objects|credential|describe|diff|diff-\w+|difftool|fast-export|fetch|fetch-pack|fmt-merge-msg|for-each-ref|format-patch|fsck|gc|grep|hash-object|help|index-pack|init|interpret-trailers|log|ls-\w+|mailinfo|maintenance|merge-base|merge-tree|mktag|mktree|multi-pack-index|name-rev|notes|pack-objects|pack-refs|patch-id|prune|push|range-diff|reflog|remote|repack|replace|rev-list|rev-parse|shortlog|show|show-\w+|status|stripspace|symbolic-ref|tag|unpack-objects|update-index|update-ref|var|verify-\w+|version|whatchanged|write-tree|--version|--help|)$/;

/** What it writes into a working tree; undefined: nothing. */
export function gitWrites(args: readonly string[]): GitTouch | undefined {
  const call = readCall(args);
  const { verb, rest, workTree } = call;
  if (TREE_STAYS.test(verb)) return undefined;
  if (Object.hasOwn(LEAVES_TREE, verb) && LEAVES_TREE[verb]?.(rest) === true) return undefined;
  const written = PATHS_ONLY.test(verb) ? pathspecs(verb, rest) : undefined;
  const named = written ?? rest;
  return {
    paths: [...touch(call, named).paths, ...(workTree === undefined ? [] : [workTree])],
    tree: written === undefined && workTree === undefined,
  };
}

/** They write what their words name, and nothing else. */
const PATHS_ONLY = /^(?:checkout|clean|merge-file|mv|restore|rm|worktree)$/;

/** The paths in its words; undefined: there are none, or what they mean is known to git alone. */
function pathspecs(verb: string, rest: readonly string[]): readonly string[] | undefined {
  const end = rest.indexOf('--');
  // `git checkout x` speaks of a branch or of a file.
  if (verb === 'checkout' && end < 0) return undefined;
  const words = end < 0 ? rest : rest.slice(end + 1);
  const named = words.filter(
    (word, at) => !word.startsWith('-') && !/^(?:-s|--source|-e|--exclude)$/.test(words[at - 1] ?? ''),
  );
  const open = named.length === 0 || named.some((word) => word === '' || /^:|[*?[]/.test(word));
  return open || rest.some((word) => word.startsWith('--pathspec-from')) ? undefined : named;
}

type Form = (rest: readonly string[]) => boolean;
const has = (rest: readonly string[], option: RegExp): boolean => rest.some((arg) => option.test(arg));
const first =
  (word: RegExp): Form =>
  ([verb = '']) =>
    word.test(verb);
/** A new branch where one is. */
const onlyBranches: Form = (rest) => rest.length === 2 && first(/^(?:-[bBcC]|--orphan|--create)$/)(rest);
const onlyState = first(/^--(?:quit|show-current-patch|edit-todo)$/);

/** Forms of the other subcommands that show, list or prepare. */
const LEAVES_TREE: Readonly<Record<string, Form>> = {
  am: onlyState,
  apply: (rest) =>
    has(rest, /^--(?:check|stat|numstat|summary|cached)$/) && !has(rest, /^--(?:apply|index)$/),
  bisect: first(/^(?:log|view|visualize|terms)$/),
  checkout: onlyBranches,
  'cherry-pick': onlyState,
  clean: (rest) => has(rest, /^-[a-z]*n|^--dry/),
  lfs: first(/^(?:ls-files|status|track|env|version|install|locks)$/),
  merge: onlyState,
  'read-tree': (rest) => !has(rest, /^-\w*u|^--reset/),
  rebase: onlyState,
  reset: (rest) => !has(rest, /^--(?:hard|merge|keep|recurse)/),
  restore: (rest) => has(rest, /^(?:-S|--staged)$/) && !has(rest, /^-\w*W|^--work/),
  revert: onlyState,
  rm: (rest) => has(rest, /^(?:--cached|-n|--dry-run)$/),
  'sparse-checkout': first(/^list$/),
  stash: first(/^(?:list|show|drop|clear|create|store)$/),
  submodule: first(/^(?:status|summary|init|sync|set-\w+|)$/),
  switch: onlyBranches,
  worktree: (rest) => !first(/^(?:remove|move)$/)(rest),
};

function touch({ folder }: GitCall, words: readonly string[]): GitTouch {
  const named = words.filter((word) => word !== '' && !word.startsWith('-'));
  return { paths: named.map((word) => inFolder(folder, word)), tree: false };
}

/** Where git starts instead of where the command runs; `''`: there. */
export function gitFolder(args: readonly string[]): string {
  return readCall(args).folder;
}

/** What settings a command brings along: `name=value`, '' where that is not known. */
export function gitSettings(args: readonly string[]): readonly string[] {
  const { verb, rest } = readCall(args);
  const front = args.slice(0, args.length - rest.length);
  const own = verb === 'clone' ? rest : [];
  return [...front, '', ...own].flatMap((arg, at, all) => {
    if (/^--config-env/.test(arg)) return '';
    if (/^(?:-c|--config)$/.test(arg)) return all[at + 1] ?? '';
    return /^--config=(.*)$/s.exec(arg)?.[1] ?? [];
  });
}

/** By it, or by any value that says so little, nothing is run and no other file is read. */
const HARMLESS_SETTING =
  /^(?:user\.(?:name|email)|(?:author|committer)\.\w+|init\.defaultbranch|(?:color|advice|safe|gc|pack|protocol|column|rerere)\.[\w.]+|pull\.(?:rebase|ff)|push\.(?:default|followtags|autosetupremote)|(?:merge|rebase|fetch|diff|status|log)\.(?!\w*(?:driver|tool|external|textconv|command))\w+|commit\.gpgsign|tag\.gpgsign|core\.(?:autocrlf|eol|filemode|quotepath|longpaths|abbrev|whitespace|ignorecase|symlinks)|http\.(?:.+\.)?(?:extraheader|sslverify|proxy|version|postbuffer|lowspeed\w+))$/i;
const HARMLESS_VALUE = /^(?:|cat|true|false|:|yes|no|on|off|auto|always|never|\d+|\/dev\/null)$/i;

export function isHarmlessSetting(setting: string): boolean {
  if (setting === '') return false;
  const [name = '', ...value] = setting.split('=');
  return (
    HARMLESS_SETTING.test(name) ||
    (/^[a-z]/i.test(name) && !/^alias\./i.test(name) && HARMLESS_VALUE.test(value.join('=')))
  );
}

/** Whether a setting is kept by which something may be run later. */
export function keepsSetting(args: readonly string[]): boolean {
  const { verb, rest } = readCall(args);
  if (verb !== 'config' || rest.some((arg) => /^(?:--get(?:-\w+)?|--list|-l)$/.test(arg))) return false;
  const [first = '', second = ''] = rest.filter((arg) => !arg.startsWith('-'));
  return !/^(?:get|list)$/.test(first) && !HARMLESS_SETTING.test(first === 'set' ? second : first);
}

/**
 * The path of a `file:` address within a text, as `curl` and `git` take them, escapes read (`%2e` is a dot).
 * undefined: it holds none.
 */
export function pathOfAddress(text: string): string | undefined {
  const path = /(?<![a-z])file:(?:\/\/[\w.-]*(?=\/))?(.*)$/is.exec(text)?.[1];
  return path
    ?.replace(/[?#].*$/s, '')
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
