/**
 * What decides which programs run later, or what may run, wherever it lies. The permission rules ask before
 * it is written, the sandbox keeps commands from writing it. `permissions/decide/asked-names.ts` has what
 * only the rules ask about, because checkouts, installations and builds write it.
 */
interface ProtectedName {
  /** Of several names one below the other. A folder with all that is in it. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /**
   * `below`: as `anywhere`, in a folder that programs write otherwise. `home`: in the user's home alone.
   * `git`: in a repository's `.git`, at any depth.
   */
  readonly where: 'anywhere' | 'below' | 'home' | 'git';
  /** It is looked for where a session begins, and kept from coming into being there. */
  readonly expected?: true;
  /**
   * It holds skills, agents, commands and plugins; working trees that are kept in it are projects like any
   * other.
   */
  readonly grants?: true;
  /**
   * Of a git folder: git writes it while it commits, merges and rebases, so that the sandbox cannot lock it.
   */
  readonly written?: true;
}

type Row = Omit<ProtectedName, 'path'>;
const rows = (row: Row, ...paths: string[]): ProtectedName[] => paths.map((path) => ({ path, ...row }));

const FILE: Row = { kind: 'file', where: 'anywhere' };
const FOLDER: Row = { kind: 'folder', where: 'anywhere' };
const EXPECTED = { expected: true } as const;

/** Beside these, `.git` itself; of a path in it the sandbox locks what is listed. */
export const PROTECTED_NAMES: readonly ProtectedName[] = [
  ...rows({ ...FOLDER, ...EXPECTED, grants: true }, '.claude', '.turnwright'),
  ...rows({ ...FOLDER, grants: true }, '.claude-plugin', '.turnwright-plugin'),
  ...rows({ ...FOLDER, ...EXPECTED }, '.husky'),
  ...rows({ ...FOLDER, ...EXPECTED }, '.vscode', '.idea', '.devcontainer', '.cursor'),
  ...rows(FOLDER, '.zed', '.codex', '.gemini', '.windsurf', '.githooks'),
  ...rows(
    FILE,
    '.devcontainer.json',
    '.exrc',
    '.nvim.lua',
    '.gdbinit',
    '.lldbinit',
    '.pdbrc',
    '.pnpmfile.cjs',
  ),
  ...rows({ kind: 'file', where: 'below' }, '.cargo/config', '.cargo/config.toml'),
  ...rows({ kind: 'file', where: 'below' }, '.mvn/extensions.xml', '.mvn/jvm.config', '.mvn/maven.config'),
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
  ...rows({ kind: 'folder', where: 'git' }, 'hooks', 'modules'),
  // What git goes on with later, which may be commands.
  ...rows({ kind: 'folder', where: 'git', written: true }, 'rebase-merge', 'rebase-apply', 'sequencer'),
  ...rows(
    { kind: 'file', where: 'git', written: true },
    ...['BISECT_LOG', 'BISECT_NAMES', 'BISECT_RUN', 'BISECT_START', 'BISECT_TERMS'],
  ),
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
  PROTECTED_NAMES.filter(holds).map(({ path }) => path);

/** Names that stand for themselves in every folder. */
export const PROTECTED_ANYWHERE = pathsWhere(
  ({ path, where }) => where === 'anywhere' && !path.includes('/'),
);
/** The last parts of a path, in every folder; what is not there is not kept from coming into being. */
export const PROTECTED_BELOW = pathsWhere(({ where }) => where === 'below');
/** Paths from the home folder, beside those names. */
export const PROTECTED_AT_HOME = pathsWhere(
  ({ path, where }) => where === 'home' || (where === 'anywhere' && path.includes('/')),
);
/** Of what lies in a repository, what only configures git. */
export const LOCKED_IN_GIT = pathsWhere(({ where, written }) => where === 'git' && written !== true);
export const PROTECTED_FILES = pathsWhere(({ kind }) => kind === 'file');
export const GRANTING_FOLDERS = pathsWhere(({ grants }) => grants === true);
/** What a session reads where it begins, and in the folders below, and may grant rights by. */
export const GRANTING_NAMES: readonly string[] = [...GRANTING_FOLDERS, '.mcp.json'];
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
