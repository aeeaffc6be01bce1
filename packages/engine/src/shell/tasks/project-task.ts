/**
 * Commands that do the everyday work of a project and reach nothing beside it, as far as their words tell:
 * they run its code, change its history, or read a page. It is a list of what is known, so that whatever is
 * not in it, a person decides about. `permissions/judge/` checks the places that their words name.
 */
import { beyondName } from '../programs/beyond-name.ts';
import { loadsElsewhere } from '../programs/loaded-code.ts';
import { baseName } from '../reading/segment.ts';
import { isLocalHistory } from './local-history.ts';
import { readAddresses } from './page-addresses.ts';

export interface ProjectTask {
  /** `code`: of the project runs; `history`: of the repository changes; `page`: `urls` are read. */
  readonly kind: 'code' | 'files' | 'history' | 'page';
  readonly urls?: readonly string[];
  /** It is a program of `node_modules/.bin`, and fetched from elsewhere if it is not there. */
  readonly installed?: string;
}

/** Names of tasks that reach beyond the project, as parts of a name: `db:migrate`, `deploy-prod`. */
const OUTWARD =
  /^(?:deploy\w*|undeploy|release\w*|publish\w*|prod|production|live|staging|push|upload|ship|promote|roll(?:out|back)|migrat\w*|seed\w*|drop|reset|flush|purge|destroy|delete|wipe|nuke|prune|remove|uninstall|install|installers?|setup|provision|apply|log(?:in|out)|tokens?|secrets?|credentials?|sync|send|mail|notify|exfil\w*|backup|restore|dump|admin|root|sudo|curl|wget|ssh|scp|steal|leak)$/i;
/** What tasks are called that test, build and show the project. */
const EVERYDAY =
  /^(?:tests?|unit|e2e|it|integration|specs?|smoke|build|compile|bundle|dist|assets|lints?|linter|checks?|types?|typings|typecheck\w*|tsc|format\w*|fmt|prettier|eslint|biome|ruff|mypy|stylelint|styles?|fix|dev|develop|start|serve|preview|watch|coverage|cov|bench\w*|docs?|gen|generate|codegen|clean|valid\w*|verify|all|default|ci|storybook|debug|js|css|ts|client|server|api|web|app|ui|lib|core|fast|quick|main|unittests?|run|once|headless|report|size|analy[sz]e|help|graphql|i18n|no|with|skip|spec)$/i;

const partsOf = (name: string): readonly string[] =>
  name.split(/[^A-Za-z0-9]+/).filter((part) => part !== '' && !/^\d+$/.test(part));

/** Of a script or target: each part of its name is known, and none reaches out. */
const isEverydayName = (name: string): boolean => {
  const parts = partsOf(name);
  return parts.length > 0 && parts.every((part) => EVERYDAY.test(part) && !OUTWARD.test(part));
};
/** Of a file or argument: no part of its name reaches out. */
const reachesOut = (word: string): boolean =>
  partsOf(baseName(word.replace(/^-+/, ''))).some((part) => OUTWARD.test(part));

const isOption = (word: string): boolean => word.startsWith('-');

/** They check, build or test what is there. Their first word may have to be one of these. */
const TOOLS: Readonly<Record<string, true | RegExp>> = {
  ...Object.fromEntries(
    (
      'tsc vue-tsc svelte-check eslint prettier biome oxlint stylelint xo standard knip depcheck madge ' +
      'vitest jest mocha ava tap karma jasmine webpack rollup esbuild tsup swc tsdown microbundle ' +
      'typedoc size-limit attw publint api-extractor postcss tailwindcss sass lessc babel ' +
      'pytest py.test unittest ruff black isort mypy pyright flake8 pylint pycodestyle pydocstyle bandit vulture ' +
      'rspec rubocop phpunit phpstan psalm pint php-cs-fixer pest ctest ninja rustfmt gofmt goimports ' +
      'golangci-lint staticcheck clang-format clang-tidy cppcheck shellcheck shfmt yamllint markdownlint ' +
      'markdownlint-cli2 hadolint actionlint taplo buf protoc ktlint swiftlint scalafmt dprint cspell ' +
      'codespell vale sphinx-build mdbook'
    )
      .split(' ')
      .map((name) => [name, true]),
  ),
  playwright: /^test$/,
  cypress: /^run$/,
  vite: /^(?:build|dev|preview|optimize)$/,
  next: /^(?:build|dev|lint|start|typegen)$/,
  nuxt: /^(?:build|dev|generate|prepare|typecheck)$/,
  astro: /^(?:build|check|dev|preview)$/,
  ng: /^(?:build|test|lint|serve)$/,
  turbo: /^(?:run|build|test|lint)$/,
  nx: /^(?:run|build|test|lint|affected|run-many)$/,
  prisma: /^(?:generate|validate|format)$/,
  coverage: /^(?:report|html|xml)$/,
  cargo: /^(?:build|b|test|t|check|c|clippy|fmt|run|r|bench|doc|tree|metadata|nextest|fix|clean)$/,
  go: /^(?:build|test|vet|fmt|run|generate|list|doc|version|fix)$/,
  dotnet: /^(?:build|test|format|run|clean|restore)$/,
  swift: /^(?:build|test|run)$/,
  mix: /^(?:test|format|compile|credo|dialyzer)$/,
  dart: /^(?:analyze|test|format|fix|compile)$/,
  flutter: /^(?:analyze|test|build)$/,
  terraform: /^(?:fmt|validate)$/,
  cmake: /^(?:--build|-S|-B)$/,
  zig: /^(?:build|test|fmt)$/,
};

/** Interpreters, with the options that change nothing about which program is run. */
const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  node: /^--(?:test|check|watch|enable-source-maps|experimental-strip-types|trace-warnings|no-warnings|expose-gc|stack-trace-limit=\d+|test-(?:only|name-pattern=.*|reporter=\w+))$/,
  tsx: /^(?:watch)$/,
  'ts-node': /^--transpile-only$/,
  python: /^-[uBvsEI]+$/,
  python3: /^-[uBvsEI]+$/,
  ruby: /^-[wc]+$/,
  php: /^-l$/,
  bash: /^-[nxeu]+$/,
  sh: /^-[nxeu]+$/,
};
const MODULES =
  /^(?:pytest|unittest|mypy|black|ruff|flake8|isort|pylint|compileall|doctest|json\.tool|tabnanny|pyright|coverage)$/;

const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;
/** What a package manager does beside running scripts: from the lock file alone, or it shows something. */
const SHOWS = /^(?:ls|list|ll|la|why|explain|outdated|audit|view|info|show|root|bin|prefix|pack)$/;
const FROZEN = /^--(?:frozen-lockfile|immutable|immutable-cache)$/;
/** Their value is the next word: which packages of the project are meant. */
const SELECTS = /^(?:--filter|-F|-w|--workspace|-C)$/;

function managed(program: string, args: readonly string[]): ProjectTask | undefined {
  const at = args.findIndex((arg, i) => !isOption(arg) && !SELECTS.test(args[i - 1] ?? ''));
  const verb = at < 0 ? '' : (args[at] ?? '');
  const front = at < 0 ? args : args.slice(0, at);
  const behind = args.slice(at + 1);
  const isRead = front.every(
    (arg, i) =>
      SELECTS.test(arg) ||
      SELECTS.test(front[i - 1] ?? '') ||
      /^(?:-r|-s|--(?:silent|recursive|parallel|stream|if-present|workspaces|no-bail|filter=[\w@/.{}-]+))$/.test(
        arg,
      ),
  );
  if (!isRead || verb === '') return undefined;
  const named = behind.filter((arg) => !isOption(arg));
  switch (verb) {
    case 'run':
    case 'run-script':
      return isEverydayName(named[0] ?? '') && !named.slice(1).some(reachesOut) ? CODE : undefined;
    case 'test':
    case 't':
    case 'start':
      return named.some(reachesOut) ? undefined : CODE;
    case 'ci':
      return named.length === 0 ? CODE : undefined;
    case 'install':
    case 'i':
      return named.length === 0 && behind.some((arg) => FROZEN.test(arg)) ? CODE : undefined;
    case 'exec':
      return program === 'bun' ? undefined : executed(behind.filter((arg, i) => i > 0 || arg !== '--'));
    case 'workspace':
      return program === 'yarn' && named.length >= 2 ? managed(program, named.slice(1)) : undefined;
    case 'pack':
      return behind.includes('--dry-run') ? CODE : undefined;
    case 'audit':
      return named.length === 0 && !behind.includes('--fix') ? CODE : undefined;
  }
  if (SHOWS.test(verb)) return behind.some((arg) => /registry|:\/\//.test(arg)) ? undefined : CODE;
  // pnpm, yarn and bun run scripts by their names.
  return program !== 'npm' && isEverydayName(verb) && !named.some(reachesOut) ? CODE : undefined;
}

const CODE: ProjectTask = { kind: 'code' };

/** A tool of the project, by the program that looks it up there. */
function executed([name = '', ...args]: readonly string[]): ProjectTask | undefined {
  if (isOption(name) || !/^[\w.@-]+$/.test(name)) return undefined;
  return isTool(name, args) ? { kind: 'code', installed: name } : undefined;
}

function isTool(program: string, args: readonly string[]): boolean {
  const first = Object.hasOwn(TOOLS, program) ? TOOLS[program] : undefined;
  if (first === undefined) return false;
  const verb = args.find((arg) => !isOption(arg)) ?? '';
  const isMeant = first === true || first.test(verb) || first.test(args[0] ?? '');
  // `go run module@version` fetches it.
  if (program === 'go' && args.some((arg) => /@|^[\w-]+\.[a-z]+\//.test(arg))) return false;
  return (
    isMeant && !args.some((arg) => (isOption(arg) ? SENDS.test(arg) : !/[./:]/.test(arg) && reachesOut(arg)))
  );
}

/** Options by which tools send what they have found. */
const SENDS = /^--?(?:record|upload|publish|push|deploy|key|token|notify|share)\b/;

/** A script file of the project, with arguments that are its own. */
function interpreted(program: string, args: readonly string[]): ProjectTask | undefined {
  const options = INTERPRETERS[program] as RegExp;
  const at = args.findIndex((arg) => !options.test(arg));
  if (at < 0) return args.includes('--test') ? CODE : undefined;
  const [script = '', ...own] = args.slice(at);
  if (/^python/.test(program) && script === '-m')
    return MODULES.test(own[0] ?? '') && !own.slice(1).some(reachesOut) ? CODE : undefined;
  if (isOption(script) || script === '' || /^[\w+.-]+:/.test(script)) return undefined;
  return reachesOut(script) || own.some(reachesOut) ? undefined : CODE;
}

/** Targets of a build: every word that is no option is one. */
function built(args: readonly string[]): ProjectTask | undefined {
  const options = args.filter(isOption);
  const targets = args.filter(
    (arg, i) => !isOption(arg) && !(/^-j$/.test(args[i - 1] ?? '') && /^\d+$/.test(arg)),
  );
  const areRead = options.every((arg) =>
    /^-(?:j\d*|[knsqwB]+|-(?:no-daemon|dry-run|quiet|stacktrace|info|offline|parallel|console=plain))$|^-D(?:skipTests|maven\.test\.skip=true)$|^-T\d+C?$/.test(
      arg,
    ),
  );
  return areRead && targets.every(isEverydayTarget) ? CODE : undefined;
}

const GOALS =
  /^(?:package|assemble|jar|classes|testClasses|compileJava|compileTestJava|spotlessCheck|spotlessApply|detekt|javadoc)$/;
const isEverydayTarget = (target: string): boolean =>
  target.split(':').every((part) => part === '' || GOALS.test(part) || isEverydayName(part));

/** Words of `sed -i`, without what makes it write: what is left only edits text. */
function edited(words: readonly string[]): ProjectTask | undefined {
  const rest = words.filter((word) => !/^(?:-i(?:\.\w+)?|--in-place(?:=\.\w+)?)$/.test(word));
  const isInPlace = rest.length < words.length;
  return isInPlace && beyondName(rest).length === 0 ? { kind: 'files' } : undefined;
}

/** undefined: it is not known to stay within the project. */
export function readTask(words: readonly string[]): ProjectTask | undefined {
  const [path = '', ...args] = words;
  const program = baseName(path);
  if (args.some((arg) => arg.length > 4_000)) return undefined;
  if (program === 'git')
    return isLocalHistory(args) && beyondName(words).length === 0 ? { kind: 'history' } : undefined;
  if (program === 'curl') {
    const urls = readAddresses(args);
    return urls && { kind: 'page', urls };
  }
  if (program === 'sed') return edited(words);
  if (program === 'tee')
    return args.every((arg) => !isOption(arg) || arg === '-a') ? { kind: 'files' } : undefined;
  if (program === 'chmod')
    return /^(?:[ugoa]*[+-][rwx]+|0?[0-7]{3})$/.test(args[0] ?? '') && !args.slice(1).some(isOption)
      ? { kind: 'files' }
      : undefined;
  if (loadsElsewhere(words, Math.max(2, words.length)).some((at) => isLoaded(words, at))) return undefined;
  if (path !== program)
    return path.startsWith('./') || !path.startsWith('/') ? ofTheProject(path, args) : undefined;
  if (MANAGERS.test(program)) return managed(program, args);
  if (program === 'npx' || program === 'bunx')
    return executed(args[0] === '--no-install' || args[0] === '--no' ? args.slice(1) : args);
  if (
    program === 'make' ||
    program === 'gmake' ||
    program === 'mvn' ||
    program === 'gradle' ||
    program === 'rake'
  )
    return built(args);
  if (program === 'c8' || program === 'nyc') return isOption(args[0] ?? '-') ? undefined : readTask(args);
  if (program === 'bundle') return args[0] === 'exec' ? readTask(args.slice(1)) : undefined;
  if (
    (program === 'uv' || program === 'poetry' || program === 'pdm' || program === 'pipenv') &&
    args[0] === 'run'
  )
    return isOption(args[1] ?? '-') ? undefined : readTask(args.slice(1));
  if (Object.hasOwn(INTERPRETERS, program)) return interpreted(program, args);
  return isTool(program, args) ? CODE : undefined;
}

/** A file of the project that is run by its path. */
function ofTheProject(path: string, args: readonly string[]): ProjectTask | undefined {
  const name = baseName(path);
  if (name === 'gradlew' || name === 'mvnw') return built(args);
  if (/node_modules\/\.bin\/[\w.-]+$/.test(path)) return isTool(name, args) ? CODE : undefined;
  return reachesOut(path) || args.some(reachesOut) ? undefined : CODE;
}

/**
 * Of a program that checks or tests, configuration that lies in the project is the project's own: the places
 * that words name are checked.
 */
const isLoaded = (words: readonly string[], at: number): boolean =>
  TOOLS[baseName(words[0] ?? '')] !== true ||
  !/^(?:-c|-p|--(?:config|project|reporter|format|environment|env|testEnvironment|cwd|dir|root|resolver))(?:=|$)/.test(
    words[at] ?? '',
  );
