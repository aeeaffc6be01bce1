/** What variables do to the programs of a line that sets them. */

/**
 * Names by which a shell or a program is made to run, load or write something else. A shell that sets one of
 * these, in front of a command or not, changes what later words mean.
 */
const STEERING =
  /^(?:PATH|HOME|SHELL|IFS|ENV|PS\d|CDPATH|FPATH|MANPATH|TMPDIR|TERMINFO|LOCPATH|NLSPATH|HISTFILE|PROMPT_COMMAND|GLOBIGNORE|GCONV_PATH|VISUAL|BROWSER|HOSTALIASES|RES_OPTIONS|MAKEFILES|MAKEFLAGS|MFLAGS|CURL_HOME|WGETRC|EXINIT|VIMINIT|PAGER|EDITOR|XDG_\w+|BASH\w*|SHELLOPTS|ZDOTDIR|POSIXLY_CORRECT|(?:GIT|LD|DYLD|LESS|MAN|PERL|PYTHON|RUBY|NODE|JAVA|JDK|LUA|PHP|RSYNC|TAR|GREP|SSH|SUDO|GPG|GCC|CARGO|RUSTC?|RUSTUP|GO|NPM|YARN|PNPM|PIP|CMAKE|DOCKER|KUBECTL?|HELM|TF|AWS|OPENSSL|SSL|RIPGREP|FZF|BAT|EMACS|VIM|SYSTEMD)_?\w*|npm_config_\w+|\w*(?:PAGER|EDITOR|COMMAND|PROGRAM|OPTIONS|OPTS?|FLAGS|SHELL|ASKPASS|PRELOAD|PATH|HOOKS?|WRAPPER|_RSH|RC))$/;

/** Names that only tell programs something, although they look like the others. */
const TELLING =
  /^(?:CI|TZ|LANG|LANGUAGE|LC_\w+|TERM|COLORTERM|COLUMNS|LINES|DEBUG|VERBOSE|QUIET|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|FLASK_APP|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONIOENCODING|PYTHONUTF8|PYTHONHASHSEED|RUST_LOG|RUST_BACKTRACE|CGO_ENABLED|GOOS|GOARCH|AWS_REGION|AWS_PROFILE|DEBIAN_FRONTEND)$/;

/** Names that a project makes up for itself. */
const OWN =
  /^(?:[a-z][a-z0-9_]*|[A-Z]|FOO|BAR|BAZ|PORT|HOST|HOSTNAME|VERSION|NAME|MODE|LEVEL|TIMEOUT|SEED|LOGLEVEL|[A-Z][A-Z0-9_]*_(?:ENV|URL|URI|PORT|HOST|USER|NAME|ID|KEY|TOKEN|SECRET|PASSWORD|VERSION|LEVEL|DEBUG|VERBOSE|TIMEOUT|SEED|RUNS|TESTS|SNAPSHOTS|MODE|REGION|ENABLED|DISABLED|COUNT|SIZE|LIMIT|DATE))$/;

/**
 * Variables that change what a program prints, or for which machine it builds, and never what runs: in front
 * of a command they do not keep an allow rule from covering it.
 */
const HARMLESS =
  /^(?:NODE_ENV|CI|TZ|LANG|LANGUAGE|LC_\w+|CHARSET|TERM|COLORTERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|LS_COLORS|LSCOLORS|GREP_COLORS?|GCC_COLORS|TIME_STYLE|BLOCK_?SIZE|RUST_LOG|RUST_BACKTRACE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTEST_DEBUG|PYTEST_DISABLE_PLUGIN_AUTOLOAD|GOOS|GOARCH|GOEXPERIMENT|GO111MODULE|CGO_ENABLED|DEBIAN_FRONTEND)$/;

/** Values that name no file: a slash stands only inside, as in `Europe/Berlin`. */
const PLAIN_VALUE = /^(?:[\w+,:;@=*-][\w.+,:;@=*-]*|[\w+-]+(?:\/[\w+-]+)+)?$/;

/** `value`: undefined where only the shell knows it. */
export function isHarmlessAssignment(name: string, value: string | undefined): boolean {
  return HARMLESS.test(name) && value !== undefined && PLAIN_VALUE.test(value);
}

/**
 * Whether a variable may make something else run than the words of the line say. In front of a command it
 * reaches that program whatever its name, so only names that are known to be harmless are none; elsewhere it
 * stays in the shell.
 */
export function steersPrograms(name: string, inFront: boolean): boolean {
  if (TELLING.test(name) || HARMLESS.test(name)) return false;
  if (STEERING.test(name)) return true;
  return inFront && !OWN.test(name);
}
