/** Settings of a repository by which git runs nothing when it shows a status, a history or a difference. */

/** Sections of which git reads nothing for that, or numbers and colours alone. */
const UNREAD =
  /^(?:color|advice|gc|pack|index|feature|column|fetch|push|pull|rerere|maintenance|rebase|merge|init|tag|commit|apply|am|stash|help|safe)\.(?!.*(?:cmd|command|program|tool|driver|hook|editor|exec|template))[\w.:/@-]+$/;

/** Others one by one. A value that is a path is returned, and has to lie in the working tree. */
const HARMLESS: readonly RegExp[] = [
  UNREAD,
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|untrackedcache|trustctime|checkstat|hidedotfiles|longpaths|preloadindex|protecthfs|protectntfs|sharedrepository|whitespace|commentchar|commentstring|splitindex|bigfilethreshold|sparsecheckout|sparsecheckoutcone|worktree|excludesfile|multipackindex|commitgraph|editor-?hint)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)$/,
  /^remote\.(?:.+\.)?(?:url|fetch|push|pushurl|mirror|tagopt|skipdefaultupdate|skipfetchall|prune|prunetags|gh-resolved|pushdefault)$/,
  /^branch\.(?:.+\.)?(?:remote|merge|rebase|pushremote|description|autosetupmerge|autosetuprebase|sort|vscode-merge-base|gh-merge-base|github-pr-[\w-]+)$/,
  /^submodule\.(?:.+\.)?(?:url|active|branch|fetchrecursesubmodules|ignore|recurse)$/,
  /^diff\.(?:algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|wserrorhighlight|submodule|ignoresubmodules|statgraphwidth|wordregex)$/,
  /^log\.(?:abbrevcommit|date|decorate|diffmerges|excludedecoration|follow|graphcolors|initialdecorationset|mailmap|showroot)$/,
  /^format\.(?:attach|from|notes|numbered|signoff|subjectprefix|suffix|thread)$/,
  /^status\.(?:aheadbehind|branch|displaycommentprefix|relativepaths|renamelimit|renames|short|showstash|showuntrackedfiles)$/,
  /^blame\.(?:blankboundary|coloring|date|markignoredlines|markunblamablelines|showemail|showroot)$/,
  /^grep\.(?:column|extendedregexp|fallbacktonoindex|fullname|linenumber|patterntype|threads)$/,
  /^extensions\.(?:objectformat|refstorage|worktreeconfig|noop|relativeworktrees)$/,
  /^lfs\.(?:.+\.)?(?:repositoryformatversion|access|locksverify|url)$/,
];

const PATHS: readonly string[] = ['core.worktree', 'core.excludesfile'];

export interface GitConfig {
  /** Values that are paths, as they are written. */
  readonly paths: readonly string[];
  /** How long the ids of objects are. */
  readonly hashBytes: 20 | 32;
}

/**
 * The text of a configuration file, if it is harmless. What is not understood is not; nor is what includes
 * another file.
 */
export function readGitConfig(text: string): GitConfig | undefined {
  let section: string | undefined;
  const paths: string[] = [];
  let hashBytes: GitConfig['hashBytes'] = 20;
  for (const line of text.split('\n')) {
    let rest = line.trim();
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]/.exec(rest);
    if (header !== null) {
      const [whole, name = '', sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      rest = rest.slice(whole.length).trim();
    }
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) continue;
    const [, key, value = ''] = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*([^\0]*))?$/.exec(rest) ?? [];
    // A line that goes on in the next one may hide another.
    if (section === undefined || key === undefined || rest.endsWith('\\')) return undefined;
    const named = `${section}.${key.toLowerCase()}`;
    if (named === 'core.fsmonitor' && /^(?:true|false)$/i.test(value)) continue;
    if (!HARMLESS.some((each) => each.test(named))) return undefined;
    if (named === 'extensions.objectformat') hashBytes = value === 'sha256' ? 32 : 20;
    if (!PATHS.includes(named)) continue;
    // Quotes, escapes and comments, or a home folder: not read here.
    if (value === '' || /["\\#;~%]/.test(value)) return undefined;
    paths.push(value);
  }
  return { paths, hashBytes };
}
