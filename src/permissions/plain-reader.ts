import { baseName } from '../shell/segment.ts';

/** Options with which a program only reads what its other arguments name. What is not listed is not known to. */
const ANY_SHORT = /^-[A-Za-z0-9]*$/;
const READERS: Readonly<Record<string, RegExp>> = {
  ls: /^-[A-Za-z0-9]*$|^--(?:all|almost-all|human-readable|recursive|reverse|color(?:=\w+)?|sort=\w+|time=\w+)$/,
  pwd: /^-[LP]$/,
  cat: ANY_SHORT,
  head: /^-[qv]+$|^-[nc]?\d*$|^--(?:lines|bytes)=\d+$/,
  tail: /^-[qvfF]+$|^-[nc]?\+?\d*$|^--(?:lines|bytes)=\d+$/,
  wc: /^-[clmwL]*$|^--(?:lines|words|bytes|chars)$/,
  rg: /^-(?:[inlcowvFxHsSuUPeN]+|[ABCmgtT]\d*)$|^--(?:files|hidden|ignore-case|fixed-strings|line-number|files-with-matches|count|no-heading|glob=[^/]*|type=\w+|color=\w+|json|no-config)$/,
  grep: /^-(?:[inlcowvFxHhsqEGPreLaI]+|[ABCm]\d*)$|^--(?:include=[^/]*|exclude(?:-dir)?=[^/]*|color(?:=\w+)?|recursive|ignore-case|line-number|count)$/,
  find: /^-(?:i?name|i?path|i?regex|type|maxdepth|mindepth|size|[cma]time|[cma]min|newer|not|o|or|a|and|print0?|empty|prune)$/,
  sed: /^-[nEr]+$/,
  cd: /^(?!)/,
};
/** Programs whose arguments name nothing. */
const SAYERS: readonly string[] = ['echo', 'true', 'false', ':', 'set'];

const GIT_OPTION =
  /^-(?:[sbupwz]|sb|\d+|n\d*|U\d+)$|^--(?:short|branch|porcelain(?:=v[12])?|oneline|stat|shortstat|numstat|name-only|name-status|cached|staged|graph|decorate|all|patch|no-color|no-ext-diff|no-textconv|format=[^%]*(?:%[^G][^%]*)*|pretty=\w+|since=[^/]*|until=[^/]*|author=[^/]*|grep=[^/]*|max-count=\d+|no-merges|merges|reverse|follow|word-diff)$/;
/** Print or drop lines by number, or one substitution without `w` and `e`. */
const SED_SCRIPT = /^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]$|^s\/[^/\n;\\]*\/[^/\n;\\]*\/[gpiI\d]*$/;

/** The paths a plainly read-only command reads; undefined for every other command. Patterns count as paths too. */
export function pathsRead(words: readonly string[]): readonly string[] | undefined {
  const [program = '', ...args] = words;
  if (SAYERS.includes(program)) return [];
  if (program === 'git') {
    const [verb = '', ...rest] = args;
    return /^(?:status|log|diff)$/.test(verb) ? operands(rest, GIT_OPTION) : undefined;
  }
  const options = Object.hasOwn(READERS, program) ? READERS[program] : undefined;
  const paths = options === undefined ? undefined : operands(args, options);
  if (program === 'sed') return SED_SCRIPT.test(paths?.[0] ?? '') ? paths?.slice(1) : undefined;
  return program === 'cd' && paths?.length !== 1 ? undefined : paths;
}

function operands(args: readonly string[], options: RegExp): readonly string[] | undefined {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const after = end < 0 ? [] : args.slice(end + 1);
  // What looks like an option behind `--` is read as neither.
  if (after.some((arg) => arg.startsWith('-'))) return undefined;
  const flags = before.filter((arg) => arg.startsWith('-'));
  if (flags.some((flag) => !options.test(flag) && flag !== '-')) return undefined;
  return [...before.filter((arg) => !arg.startsWith('-')), ...after];
}

/** The paths that common programs write, as far as their words tell; too many rather than too few. */
export function pathsWritten(words: readonly string[]): readonly string[] {
  const [program = '', ...args] = words;
  const named = args.filter((arg) => !arg.startsWith('-') && arg !== '');
  switch (baseName(program)) {
    case 'tee':
    case 'touch':
    case 'truncate':
    case 'rm':
    case 'rmdir':
    case 'unlink':
    case 'shred':
    case 'mkdir':
    case 'mv':
    case 'chmod':
    case 'chown':
    case 'sponge':
      return named;
    case 'cp':
    case 'ln':
    case 'install':
      return args.some((arg) => TARGET.test(arg))
        ? args.map((arg) => arg.replace(/^-\w*t|^--[\w-]+=/, '')).filter((arg) => arg !== '')
        : named.slice(-1);
    case 'rsync':
    case 'scp':
      return named.slice(-1);
    case 'sed':
      return args.some((arg) => /^-\w*i|^--in-place/.test(arg)) ? named : [];
    case 'perl':
    case 'ruby':
      return args.some((arg) => /^-\w*i/.test(arg)) ? named : [];
    case 'dd':
      return args.flatMap((arg) => (arg.startsWith('of=') ? [arg.slice(3)] : []));
    case 'curl':
    case 'sort':
      return valuesOf(args, /^(?:-[A-Za-z]*o|--output)$/, /^(?:-[A-Za-z]*?o|--output=)(.+)$/);
    case 'wget':
      return valuesOf(
        args,
        /^(?:-[A-Za-z]*O|--output-document)$/,
        /^(?:-[A-Za-z]*?O|--output-document=)(.+)$/,
      );
    case 'find':
      return [
        ...valuesOf(args, /^-f(?:print[0f]?|ls)$/),
        ...(args.includes('-delete') ? namedFirst(args, '.') : []),
      ];
    default:
      return [];
  }
}

const TARGET = /^-\w*t|^--target/;

/** What is put into a folder, should the last path, or that of `-t`, be one. */
export function putInto(
  words: readonly string[],
): { readonly folder: string; readonly names: readonly string[] } | undefined {
  const [program = '', ...args] = words;
  if (!/^(?:cp|mv|ln|install|rsync|scp)$/.test(baseName(program))) return undefined;
  const named = args.filter((arg) => !arg.startsWith('-') && arg !== '');
  const [target] = valuesOf(args, /^(?:-\w*t|--target-directory)$/, /^(?:-\w*?t|--target-directory=)(.+)$/);
  const folder = target ?? named.at(-1);
  if (folder === undefined) return undefined;
  return { folder, names: named.map((path) => baseName(path.replace(/\/+$/, ''))) };
}

/** The word behind an option, and the value that is written together with one. */
function valuesOf(args: readonly string[], option: RegExp, joined?: RegExp): readonly string[] {
  return args.flatMap((arg, at) => {
    const value = option.test(arg) ? args[at + 1] : joined?.exec(arg)?.[1];
    return value === undefined ? [] : [value];
  });
}

/** The words in front of the first option or bracket. */
function namedFirst(args: readonly string[], otherwise: string): readonly string[] {
  const end = args.findIndex((arg) => /^[-(!]/.test(arg));
  const first = args.slice(0, end < 0 ? undefined : end);
  return first.length === 0 ? [otherwise] : first;
}
