/**
 * Files and folders, by name, that decide what runs later or what may run, wherever they lie. The permission rules and the
 * sandbox both keep writes away from them.
 */
export const PROTECTED_FOLDERS: readonly string[] = [
  '.claude',
  '.turnwright',
  '.husky',
  '.vscode',
  '.idea',
  '.ssh',
];

/** Beside these, `.git`, of which only parts are protected. */
export const PROTECTED_FILES: readonly string[] = [
  '.mcp.json',
  '.gitmodules',
  '.gitconfig',
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pypirc',
  '.netrc',
  '.ripgreprc',
  '.claude.json',
];

/** Read by shells when they start. */
export const SHELL_FILES: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout'],
  ...['.kshrc', '.cshrc', '.tcshrc', '.login', '.inputrc'],
];

/** Of a repository's `.git`: what names programs to run, or leads to another configuration. */
export const PROTECTED_IN_GIT: readonly string[] = [
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'hooks',
  'info/attributes',
];

/** In the home folder, what holds keys and tokens of other programs: isolated programs do not read it. */
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

/** In the home folder alone. */
export const PROTECTED_AT_HOME: readonly string[] = [
  '.config/git',
  '.config/fish',
  '.gnupg',
  '.aws',
  '.docker',
];
