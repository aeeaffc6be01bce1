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
  const name = baseName(program);
  switch (name) {
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
      return named;
    case 'cp':
    case 'ln':
    case 'install':
      return args.some((arg) => /^-\w*t|^--target/.test(arg))
        ? args.map((arg) => arg.replace(/^-\w*t|^--[\w-]+=/, '')).filter((arg) => arg !== '')
        : named.slice(-1);
    case 'sed':
      return args.some((arg) => /^-\w*i|^--in-place/.test(arg)) ? named : [];
    case 'dd':
      return args.flatMap((arg) => (arg.startsWith('of=') ? [arg.slice(3)] : []));
    default:
      return [];
  }
}
