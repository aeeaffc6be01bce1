/**
 * What a shell, an editor, a package manager, a hook manager, a debugger or another agent reads by itself
 * when a folder is opened or a user logs in, and takes programs from; not what a person starts by name
 * (scripts, makefiles, workflows). It is asked about like `protected-names.ts`. The sandbox does not lock it:
 * checkouts and installations within it write such files, as the programs that they belong to do.
 */

/** Separated by blanks; `*` is any text of a name. A folder with all that is in it. */
const names = (text: string): readonly string[] => text.trim().split(/\s+/);
const EACH_FORM = ['yml', 'yaml', 'toml', 'json'];

/** In every folder. */
export const ASKED_ANYWHERE: readonly string[] = [
  // Editors.
  ...names('.fleet .vs .run .vim .nvim .nova .theia .externalToolBuilders'),
  ...names('*.code-workspace *.sublime-project .vimrc .gvimrc .lvimrc .local.vimrc .nvimrc'),
  ...names('.dir-locals*.el .emacs'),
  // Other agents.
  ...names('.qwen .roo .kiro .continue .opencode .amazonq .trae .junie'),
  ...names('.agents .augment .factory .aider.conf.yml opencode.json opencode.jsonc crush.json .crush.json'),
  // Package managers and builds.
  ...names('.cargo .mvn .yarn .bundle node_modules/.bin .pnpmfile.mjs pnpmfile.js .pnp.cjs'),
  ...names('.pnp.js .pnp.loader.mjs bunfig.toml .bunfig.toml .condarc .gemrc .bazelrc .bazeliskrc'),
  ...names('.buckconfig .jvmopts .sbtopts'),
  // Hook managers, and what a shell reads on entering a folder.
  ...names('.mise .config/mise .pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml'),
  ...names('.huskyrc* .simple-git-hooks.* simple-git-hooks.* captainhook.json grumphp.yml'),
  ...names('lefthook .lefthook lefthook-local .lefthook-local').flatMap((name) =>
    EACH_FORM.map((form) => `${name}.${form}`),
  ),
  ...names('mise.toml mise.*.toml .mise.toml .mise.*.toml .config/mise.toml .rtx.toml .envrc.* .autoenv*'),
  // Debuggers and interpreters.
  ...names('.pdbrc.py .irbrc .pryrc .psqlrc .sqliterc .Rprofile .Renviron .ghci'),
  ...names('.iex.exs .perldb .octaverc'),
  // Other version control, which keeps configuration and hooks beside its data.
  ...names('.hg .jj .svn .bzr'),
  // At a login, and by programs that a user keeps open.
  ...names('.xprofile .xinitrc .xsession .xsessionrc .pam_environment .tmux.conf .screenrc .direnvrc .hgrc'),
];

/** In the home folder. */
export const ASKED_AT_HOME: readonly string[] = [
  ...names('autostart systemd environment.d nvim emacs helix zed tmux direnv powershell nushell elvish hypr'),
  ...names('sway i3 zsh pip Code VSCodium Cursor'),
]
  .map((name) => `.config/${name}`)
  .concat(
    names('.emacs.d .local/bin .local/share/systemd .local/share/applications .gradle/init.d .m2 .pip'),
    ['Library/LaunchAgents', 'Library/Application Support/Code', 'Library/Application Support/Cursor'],
  );
