/** Commands that open what lies below the folders they are given. */

import { readsBelow } from './plain-reader.ts';
import { baseName, literalWords, type Segment } from './segment.ts';

const has = (args: readonly string[], option: RegExp): boolean => args.some((arg) => option.test(arg));

const searches = (args: readonly string[]): boolean =>
  has(args, /^-[A-Za-z]*[rRd]|^--(?:dereference-)?(?:rec|di)/);

/** Out of an archive it takes, and reads nothing of the folder. */
const unpacks = (args: readonly string[]): boolean =>
  /^[bhijJklmnopPsSvwzZ]*[xt]/.test(args[0] ?? '') ||
  has(args, /^-[bhijJklmnopPsSvwzZ]*[xt]|^--(?:extract|get|list)$/);

/** Options of `git log` that show no contents. */
const LOG_ONLY =
  /^-(?:\d+|n\d*|[siEFPzg])$|^--(?:oneline|graph|all|decorate|stat|shortstat|numstat|dirstat|compact-summary|summary|name-only|name-status|pretty|format|since|until|after|before|author|committer|grep|max-count|skip|no-(?!index).*|merges|reverse|follow|date|relative-date|first-parent|abbrev|abbrev-commit|branches|tags|remotes|topo-order|date-order|left-right|cherry|cherry-pick|cherry-mark|ancestry-path|simplify-by-decoration|simplify-merges|full-history|source|color|diff-filter|walk-reflogs|invert-grep|all-match|regexp-ignore-case|notes|parents|children|boundary|show-signature|not|exclude|glob)(?:=.*)?$/;

const showsContents = (args: readonly string[]): boolean => {
  const at = verbAt(args);
  const verb = args[at] ?? '';
  if (verb === 'log' || verb === 'reflog')
    return args.slice(at + 1).some((arg) => arg.startsWith('-') && arg !== '--' && !LOG_ONLY.test(arg));
  return /^(?:grep|diff.*|show|whatchanged|range-diff|archive|bundle|format-patch|fast-export|checkout-index|add|stash|cat-file)$/.test(
    verb,
  );
};

/** Options, and the values of some, may stand in front of the subcommand. */
const verbAt = (args: readonly string[]): number =>
  args.findIndex(
    (arg, at) =>
      !arg.startsWith('-') &&
      !/^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env))$/.test(args[at - 1] ?? ''),
  );

const READERS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  grep: searches,
  egrep: searches,
  fgrep: searches,
  rgrep: () => true,
  rg: () => true,
  ag: () => true,
  ack: () => true,
  // Of two folders it shows what lies in them, of a file and a folder the file of that name.
  diff: () => true,
  sdiff: () => true,
  tar: (args) => !unpacks(args),
  gzip: (args) => has(args, /^-[A-Za-z]*r|^--rec/),
  zip: () => true,
  '7z': () => true,
  cpio: () => true,
  pax: () => true,
  // A link to a folder is another name for all that lies in it.
  ln: () => true,
  docker: (args) => args.includes('build'),
  cp: (args) => has(args, /^-[A-Za-z]*[rRa]|^--(?:rec|arch)/),
  rsync: () => true,
  scp: (args) => has(args, /^-[A-Za-z]*r/),
  mv: () => true,
  git: showsContents,
};

const WRITERS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  rm: (args) => has(args, /^-[A-Za-z]*[rR]|^--rec/),
  mv: () => true,
  chmod: (args) => has(args, /^-[A-Za-z]*R|^--rec/),
  chown: (args) => has(args, /^-[A-Za-z]*R|^--rec/),
  find: (args) => args.includes('-delete'),
  rsync: () => true,
  ln: () => true,
  tar: (args) => has(args, /^-?[A-Za-z]*x|^--(?:ext|get)/),
  unzip: () => true,
  patch: () => true,
  cpio: () => true,
  wget: (args) => has(args, /^-[A-Za-z]*P|^--dir/),
  git: (args) => /^(?:apply|am)$/.test(args[verbAt(args)] ?? ''),
};

/** The operands of a command that reads, or changes, what lies below them; undefined: it does no such thing. */
export function descendsInto(segment: Segment, kind: 'read' | 'write'): readonly string[] | undefined {
  const words = literalWords(segment) ?? segment.words.map(({ value }) => value ?? '');
  const [program = '', ...args] = words;
  const table = kind === 'read' ? READERS : WRITERS;
  const name = baseName(program);
  const descends = Object.hasOwn(table, name) && table[name]?.(args) === true;
  if (!descends && !(kind === 'read' && readsBelow(words))) return undefined;
  return args.flatMap((arg) => {
    const folder = /^(?:-C|--dir[a-z]*=)(.+)$/s.exec(arg)?.[1];
    return folder ?? (arg === '' || arg.startsWith('-') ? [] : arg);
  });
}

/** Without a folder among its operands it starts where it runs. */
export function startsHere({ words }: Segment): boolean {
  return /^(?:[efr]?grep|rg|ag|ack|git|find|tar|unzip|patch|cpio|pax)$/.test(baseName(words[0]?.value ?? ''));
}

/** Whether the files that it shows need not lie on the disk: those of a repository's history. */
export function readsHistory({ words }: Segment): boolean {
  return baseName(words[0]?.value ?? '') === 'git';
}
