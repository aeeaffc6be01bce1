/**
 * Options by which a program takes its own code from elsewhere than usual: another program, a configuration,
 * a plugin, a folder or a registry. A rule for a subcommand (`npm test:*`) does not speak of them unless it
 * names them; all other options are covered. What a rule for the bare program covers runs anything already.
 */
import { baseName } from '../reading/segment.ts';

interface Loading {
  /** Names of options, without dashes, beside those of `EVERYWHERE`. */
  readonly long?: RegExp;
  /** Letters of short options, alone, in a cluster or with their value joined. */
  readonly short?: string;
  /** Letters whose value is the rest of the cluster. */
  readonly valued?: string;
  /** Other words. */
  readonly word?: (word: string, args: readonly string[]) => boolean;
  /** Only in front of the first word that is no option: what follows is for what is run. */
  readonly inFront?: true;
  /** The bare program runs only what is its own, so that a rule for it is no exception. */
  readonly isBare?: true;
  /** What `EVERYWHERE` names is meant otherwise. */
  readonly alone?: true;
}

/** What options are called that say where code comes from. */
const EVERYWHERE =
  /^(?:.*-)?(?:config(?:-file|-path)?|userconfig|globalconfig|rc-?file|env-file|prefix|cwd|chdir|dir|root-?dir|root|manifest-path|modfile|overlay|script-shell|shell|exec|exec-path|toolexec|vettool|node-options|require|import|loader|(?:resolve-)?plugins?(?:-.*)?|rules-?dir|set-?up-?files.*|global-?set-?up|init-script|init-hook|load-plugins|post-renderer(?:-args)?|registry|index-url|find-links|kubeconfig)$/i;
/** Where the value is a path, and not a name. */
const WITH_PATH =
  /^(?:.*-)?(?:reporters?|runner|test-?runner|env|environment|preset|resolver|transform|project|parser|format|formatter|compiler|tool)$/i;
const isPath = (value: string): boolean => /^(?:\.{0,2}\/|~)|^\.\.?$|\\/.test(value);

const tester: Loading = { short: 'cr', valued: 't', isBare: true };
const gradle: Loading = {
  long: /^(?:build-file|settings-file|project-dir|include-build|gradle-user-home)$/,
  short: 'bcpIg',
  valued: 'DPxT',
  isBare: true,
};
/** What is given to a container is looked for in there. */
const containers: Loading = { word: (word, args) => isOfCompose(word, args), alone: true };

const PROGRAMS: Readonly<Record<string, Loading>> = {
  // It completes what is cut short.
  npm: { short: 'C', word: (word) => /^--(?:script-|node-o|userc|globalc|pref|reg)/.test(word) },
  pnpm: { short: 'C' },
  yarn: {},
  bun: { short: 'r' },
  go: {
    long: /^(?:C|compiler|pkgdir)$/,
    word: (word, args) =>
      (/^--?ldflags(?:=|$)/.test(word) && /-ext(?:ld|ar)/.test(`${word} ${behind(word, args)}`)) ||
      (args[0] === 'env' && /^--?[wu]$/.test(word)),
  },
  cargo: { short: 'ZC' },
  kubectl: { long: /^kubeconfig$/, alone: true },
  helm: {
    long: /^(?:post-renderer(?:-args)?|kubeconfig|(?:registry|repository)-config)$/,
    alone: true,
    isBare: true,
  },
  docker: containers,
  podman: containers,
  make: {
    long: /^(?:file|makefile|directory|include-dir|eval)$/,
    short: 'fCIE',
    valued: 'jloW',
    word: (word) => /^(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKEFILES|MAKE)[:+?]*=/.test(word),
  },
  terraform: { long: /^(?:plugin-dir|chdir)$/ },
  mvn: {
    long: /^(?:f|s|t|gs|gt|file|settings|global-settings|toolchains)$/,
    word: (word) => word.startsWith('-Dmaven.ext.class.path'),
    isBare: true,
  },
  gradle,
  gradlew: gradle,
  pip: { long: /^(?:python|config-settings?)$/, short: 'i' },
  uv: { long: /^(?:directory|project|python|index|with-editable)$/ },
  poetry: { long: /^(?:directory|project)$/, short: 'CP' },
  eslint: {
    long: /^(?:parser|output-file|cache-(?:file|location))$/,
    short: 'co',
    word: (word, args) => word === '-f' && isPath(behind(word, args)),
    isBare: true,
  },
  prettier: { isBare: true },
  stylelint: { long: /^(?:custom-(?:formatter|syntax)|output-file)$/, short: 'o', isBare: true },
  jest: tester,
  vitest: tester,
  mocha: tester,
  playwright: { short: 'c', isBare: true },
  webpack: { short: 'c', isBare: true },
  vite: { short: 'c', isBare: true },
  pytest: {
    long: /^(?:confcutdir|pdbcls)$/,
    short: 'c',
    valued: 'kmnWorqp',
    word: (word, args) =>
      /^-p(?!no:)./.test(word) || (word === '-p' && !behind(word, args).startsWith('no:')),
    isBare: true,
  },
  mypy: { long: /^python-executable$/, isBare: true },
  pylint: { isBare: true },
  ruff: { isBare: true },
  black: { isBare: true },
  flake8: { isBare: true },
  node: { long: /^(?:eval|print|experimental-loader|openssl-config|run)$/, short: 'repi', inFront: true },
  ruby: { short: 'reICS', inFront: true },
  perl: { short: 'eEMmIdix', valued: 'F0l', inFront: true },
  php: { short: 'rdcBRFEzS', inFront: true, alone: true },
};
const ALIASES: Readonly<Record<string, string>> = { pip3: 'pip', gmake: 'make', nodejs: 'node' };

const behind = (word: string, args: readonly string[]): string => args[args.indexOf(word) + 1] ?? '';

/** `docker compose -f x up`: behind its verb (`logs -f`) the letter means something else. */
function isOfCompose(word: string, args: readonly string[]): boolean {
  if (args[0] !== 'compose' || !/^(?:-f|--(?:file|project-directory|env-file)(?:=|$))/.test(word))
    return false;
  const verb = args.findIndex(
    (arg, at) => at > 0 && /^\w/.test(arg) && !/^-(?:f|p|-[\w-]+)$/.test(args[at - 1] ?? ''),
  );
  return verb < 0 || args.indexOf(word) < verb;
}

/** The positions of these options in a command that a rule allows by its first `named` words. */
export function loadsElsewhere(words: readonly string[], named: number): readonly number[] {
  const [path = '', ...args] = words;
  const program = baseName(path);
  const name = Object.hasOwn(ALIASES, program) ? (ALIASES[program] as string) : program;
  const loading = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (loading === undefined || (named < 2 && loading.isBare !== true)) return [];
  const end = loading.inFront ? args.findIndex((arg) => !arg.startsWith('-')) : -1;
  const own = end < 0 ? args : args.slice(0, end);
  return own.flatMap((arg, at) => (isLoading(arg, own, at, loading) ? [at + 1] : []));
}

function isLoading(arg: string, args: readonly string[], at: number, loading: Loading): boolean {
  const { long, short = '', valued = '', word, alone } = loading;
  if (word?.(arg, args) === true) return true;
  const option = /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(arg);
  const [, name = '', joined] = option ?? [];
  if (long?.test(name) === true) return true;
  if (name.length > 1 && alone !== true) {
    if (EVERYWHERE.test(name) && !name.startsWith('no-')) return true;
    if (WITH_PATH.test(name) && isPath(joined ?? args[at + 1] ?? '')) return true;
  }
  if (!/^-[A-Za-z]/.test(arg)) return false;
  for (const letter of arg.slice(1)) {
    if (short.includes(letter)) return true;
    if (valued.includes(letter) || !/[A-Za-z]/.test(letter)) return false;
  }
  return false;
}
