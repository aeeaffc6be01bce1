/**
 * What decides which programs run later, or what may run, wherever it lies: the one table. It holds what a
 * shell, an editor, a package manager, a hook manager, a debugger or another agent reads by itself when a
 * folder is opened or a user logs in, and takes programs from; not what a person starts by name (scripts,
 * makefiles, workflows). The permission rules ask before it is written, the sandbox keeps commands from
 * writing it.
 */
interface ProtectedName {
  /** Of several names one below the other. A folder with all that is in it. In `asked` rows `*` is any text. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** `home`: in the user's home folder alone. `git`: in a repository's `.git`, at any depth. */
  readonly where: 'anywhere' | 'home' | 'git';
  /**
   * The sandbox does not lock it: checkouts and installations within it write such files, as the programs
   * that they belong to do.
   */
  readonly asked?: true;
  /** It is looked for where a session begins, and kept from coming into being there. */
  readonly expected?: true;
  /**
   * It holds skills, agents, commands and plugins; working trees that are kept in it are projects like any
   * other.
   */
  readonly grants?: true;
}

type Row = Omit<ProtectedName, 'path'>;
const rows = (row: Row, ...paths: string[]): ProtectedName[] => paths.map((path) => ({ path, ...row }));

const FILE: Row = { kind: 'file', where: 'anywhere' };
const FOLDER: Row = { kind: 'folder', where: 'anywhere' };
const EXPECTED = { expected: true } as const;
const ASKED_FILE: Row = { ...FILE, asked: true };
const ASKED_FOLDER: Row = { ...FOLDER, asked: true };
const inConfig = (name: string) => `.config/${name}`;

/** Beside these, `.git` itself; of a path in it the sandbox locks what is listed. */
export const PROTECTED_NAMES: readonly ProtectedName[] = [
  ...rows({ ...FOLDER, ...EXPECTED, grants: true }, '.claude', '.turnwright'),
  ...rows({ ...FOLDER, grants: true }, '.claude-plugin', '.turnwright-plugin'),
  ...rows({ ...FOLDER, ...EXPECTED }, '.husky'),
  ...rows({ ...FOLDER, ...EXPECTED }, '.vscode', '.idea'),
  ...rows({ ...FILE, ...EXPECTED }, '.mcp.json', '.gitmodules', '.envrc', '.npmrc', '.yarnrc', '.yarnrc.yml'),
  ...rows(FOLDER, '.ssh', '.config/git', '.config/fish'),
  ...rows(FILE, '.claude.json', '.gitconfig', '.pypirc', '.netrc', '.ripgreprc', '.curlrc', '.wgetrc'),
  // Read by shells at their start.
  ...rows(FILE, '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'),
  ...rows(FILE, '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout'),
  ...rows(FILE, '.kshrc', '.cshrc', '.tcshrc', '.login', '.inputrc'),
  // Compiled code of the command line, which runs in its next process; elsewhere see `compiledCode`.
  ...rows(FOLDER, '.cache/turnwright', 'Library/Caches/turnwright', 'AppData/Local/turnwright'),
  ...rows({ kind: 'folder', where: 'home' }, '.gnupg', '.aws', '.docker'),
  // Editors.
  ...rows(ASKED_FOLDER, '.devcontainer', '.zed', '.fleet', '.vs', '.run', '.vim', '.nvim', '.nova', '.theia'),
  ...rows(ASKED_FOLDER, '.externalToolBuilders'),
  ...rows(ASKED_FILE, '.devcontainer.json', '*.code-workspace', '*.sublime-project', '.exrc', '.vimrc'),
  ...rows(
    ASKED_FILE,
    '.gvimrc',
    '.lvimrc',
    '.local.vimrc',
    '.nvimrc',
    '.nvim.lua',
    '.dir-locals*.el',
    '.emacs',
  ),
  // Other agents.
  ...rows(ASKED_FOLDER, '.cursor', '.codex', '.gemini', '.qwen', '.windsurf', '.roo', '.kiro', '.continue'),
  ...rows(ASKED_FOLDER, '.opencode', '.amazonq', '.trae', '.junie', '.agents', '.augment', '.factory'),
  ...rows(ASKED_FILE, '.aider.conf.yml', 'opencode.json', 'opencode.jsonc', 'crush.json', '.crush.json'),
  // Package managers and builds.
  ...rows(ASKED_FOLDER, '.cargo', '.mvn', '.yarn', '.bundle', 'node_modules/.bin'),
  ...rows(
    ASKED_FILE,
    '.pnpmfile.cjs',
    '.pnpmfile.mjs',
    'pnpmfile.js',
    '.pnp.cjs',
    '.pnp.js',
    '.pnp.loader.mjs',
  ),
  ...rows(ASKED_FILE, 'bunfig.toml', '.bunfig.toml', '.condarc', '.gemrc', '.bazelrc', '.bazeliskrc'),
  ...rows(ASKED_FILE, '.buckconfig', '.jvmopts', '.sbtopts'),
  // Hook managers, and what a shell reads on entering a folder.
  ...rows(ASKED_FOLDER, '.githooks', '.mise', '.config/mise'),
  ...rows(ASKED_FILE, '.pre-commit-config.yaml', '.pre-commit-config.yml'),
  ...rows(
    ASKED_FILE,
    ...['lefthook', '.lefthook', 'lefthook-local', '.lefthook-local'].flatMap((name) =>
      ['yml', 'yaml', 'toml', 'json'].map((ending) => `${name}.${ending}`),
    ),
  ),
  ...rows(ASKED_FILE, '.overcommit.yml', '.huskyrc*', '.simple-git-hooks.*', 'simple-git-hooks.*'),
  ...rows(ASKED_FILE, 'captainhook.json', 'grumphp.yml'),
  ...rows(
    ASKED_FILE,
    'mise.toml',
    'mise.*.toml',
    '.mise.toml',
    '.mise.*.toml',
    '.config/mise.toml',
    '.rtx.toml',
    '.envrc.*',
    '.autoenv*',
  ),
  // Debuggers and interpreters.
  ...rows(
    ASKED_FILE,
    '.gdbinit',
    '.lldbinit',
    '.pdbrc',
    '.pdbrc.py',
    '.irbrc',
    '.pryrc',
    '.psqlrc',
    '.sqliterc',
  ),
  ...rows(ASKED_FILE, '.Rprofile', '.Renviron', '.ghci', '.iex.exs', '.perldb', '.octaverc'),
  // Other version control, which keeps configuration and hooks beside its data.
  ...rows(ASKED_FOLDER, '.hg', '.jj', '.svn', '.bzr'),
  // What runs when a user logs in, and what the user's own programs read.
  ...rows(ASKED_FILE, '.xprofile', '.xinitrc', '.xsession', '.xsessionrc', '.pam_environment'),
  ...rows(ASKED_FILE, '.tmux.conf', '.screenrc', '.direnvrc', '.hgrc'),
  ...rows(
    { ...ASKED_FOLDER, where: 'home' },
    ...['autostart', 'systemd', 'environment.d', 'nvim', 'emacs', 'helix', 'zed', 'tmux', 'direnv'].map(
      inConfig,
    ),
    ...['powershell', 'nushell', 'elvish', 'hypr', 'sway', 'i3', 'zsh', 'Code', 'VSCodium', 'Cursor'].map(
      inConfig,
    ),
    ...['.emacs.d', '.local/bin', '.local/share/systemd', '.local/share/applications', '.gradle/init.d'],
    ...['Library/LaunchAgents', 'Library/Application Support/Code', 'Library/Application Support/Cursor'],
    ...['.m2', '.pip', '.config/pip'],
  ),
  ...rows({ kind: 'folder', where: 'git' }, 'hooks'),
  ...rows(
    { kind: 'file', where: 'git' },
    'config',
    'config.worktree',
    'commondir',
    'gitdir',
    'info/attributes',
  ),
];

/**
 * In a repository's `.git` these alone are written without a question: texts that git is about to take, and
 * what it leaves out of its lists. All else is data of git, and may be what it runs.
 */
export const FREE_IN_GIT: readonly string[] = [
  ...['COMMIT_EDITMSG', 'MERGE_MSG', 'SQUASH_MSG', 'TAG_EDITMSG', 'NOTES_EDITMSG'],
  ...['info/exclude', 'description'],
];

const pathsWhere = (holds: (name: ProtectedName) => boolean): readonly string[] =>
  PROTECTED_NAMES.filter((name) => name.asked !== true && holds(name)).map(({ path }) => path);
const askedWhere = (where: ProtectedName['where']): readonly string[] =>
  PROTECTED_NAMES.filter((name) => name.asked === true && name.where === where).map(({ path }) => path);

/** What the sandbox does not lock: in every folder, and in the home folder. */
export const ASKED_ANYWHERE = askedWhere('anywhere');
export const ASKED_AT_HOME = askedWhere('home');

/** Names that stand for themselves in every folder. */
export const PROTECTED_ANYWHERE = pathsWhere(
  ({ path, where }) => where === 'anywhere' && !path.includes('/'),
);
/** Paths from the home folder, beside those names. */
export const PROTECTED_AT_HOME = pathsWhere(
  ({ path, where }) => where === 'home' || (where === 'anywhere' && path.includes('/')),
);
export const PROTECTED_IN_GIT = pathsWhere(({ where }) => where === 'git');
export const PROTECTED_FILES = pathsWhere(({ kind }) => kind === 'file');
export const GRANTING_FOLDERS = pathsWhere(({ grants }) => grants === true);
/** Where a session begins they are kept from coming into being. */
export const PROTECTED_WHERE_ABSENT = ['.git', ...pathsWhere(({ expected }) => expected === true)];

/** Keys and tokens of other programs in the home folder: isolated programs cannot read them. */
export const CREDENTIALS_AT_HOME: readonly string[] = [
  ...[
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.config/gcloud',
    '.config/gh',
    '.config/hub',
    '.password-store',
  ],
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf', '.vault-token', '.docker/config.json'],
  ...['.git-credentials', '.config/git/credentials', '.cargo/credentials', '.cargo/credentials.toml'],
  ...['.gem/credentials', '.terraform.d/credentials.tfrc.json'],
];
