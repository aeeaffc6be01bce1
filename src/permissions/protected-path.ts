/**
 * Files that decide what runs later, or what may run: a write to one is always asked about, whatever the rules say,
 * except in bypass mode. Compared without regard to case, Unicode form, invisible characters, and trailing dots and spaces, because file
 * systems differ in what they fold.
 */
const PROTECTED_FOLDERS: readonly (readonly string[])[] = [
  ['.husky'],
  ['.claude', 'hooks'],
  ['.turnwright', 'hooks'],
  ['.ssh'],
];

const PROTECTED_FILES: readonly RegExp[] = [
  /^(?:.*\/)?\.git\/(?:.*\/)?(?:config(?:\.worktree)?|commondir|gitdir|attributes)$/,
  /^(?:.*\/)?\.git\/(?:.*\/)?hooks(?:\/.*)?$/,
  /^(?:.*\/)?\.git$/,
  /^(?:.*\/)?\.(?:gitconfig|gitmodules)$/,
  /^(?:.*\/)?\.(?:claude|turnwright)\/settings[^/]*$/,
  /^(?:.*\/)?\.claude\.json$/,
  /^(?:.*\/)?\.mcp\.json$/,
  /^(?:.*\/)?\.vscode\/(?:tasks|settings|launch)\.json$/,
  /^(?:.*\/)?\.idea\/workspace\.xml$/,
  /^(?:.*\/)?\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc)$/,
  /^(?:.*\/)?\.config\/(?:fish|git)\/.*$/,
  /^(?:.*\/)?\.(?:envrc|npmrc|yarnrc|yarnrc\.yml|pypirc|netrc|ripgreprc)$/,
];

/** Whether a write to this absolute path needs a person. */
export function isProtectedPath(path: string): boolean {
  const folded = fold(path);
  return (
    PROTECTED_FILES.some((file) => file.test(folded)) ||
    PROTECTED_FOLDERS.some((folder) => lies(folded, folder))
  );
}

function fold(path: string): string {
  return (
    path
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      // There and back again: `ſ` is an `s` to file systems that fold case.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('\\', '/')
      .split('/')
      .map((segment) => segment.replace(/[. ]+$/, ''))
      .filter((segment) => segment !== '')
      .join('/')
  );
}

function lies(path: string, folder: readonly string[]): boolean {
  return `/${path}/`.includes(`/${folder.join('/')}/`);
}

/** Spellings that reach a file under another name on some systems: device paths, UNC, alternate streams, 8.3 names. */
export function isOddSpelling(path: string): boolean {
  return /\0|^\\\\|^\/\/[?.]\/|::\$|~\d/i.test(path.normalize('NFKC'));
}
