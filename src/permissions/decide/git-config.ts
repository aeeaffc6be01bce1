/** Settings of a repository by which git runs nothing when it shows a status, a history or a difference. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|safecrlf|eol|quotepath|abbrev|compression|untrackedcache|trustctime|checkstat|hidedotfiles|longpaths|preloadindex|protecthfs|protectntfs|sharedrepository|whitespace|commentchar|commentstring|splitindex|bigfilethreshold|sparsecheckout|sparsecheckoutcone|worktree|excludesfile|multipackindex|commitgraph|editor-?hint)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey|useconfigonly)$/,
  /^remote\.(?:.+\.)?(?:url|fetch|push|pushurl|mirror|tagopt|skipdefaultupdate|skipfetchall|prune|prunetags|gh-resolved|pushdefault)$/,
  /^branch\.(?:.+\.)?(?:remote|merge|rebase|pushremote|description|autosetupmerge|autosetuprebase|sort|vscode-merge-base|gh-merge-base|github-pr-[\w-]+)$/,
  /^submodule\.(?:.+\.)?(?:url|active|branch|fetchrecursesubmodules|ignore|recurse)$/,
  /^(?:color|advice|gc|pack|index|feature|column|status|fetch|push|pull|rerere|maintenance|blame|rebase|merge|init|log|format|tag|commit|apply|am|stash|grep|help|lfs|safe)\.(?!.*(?:cmd|command|program|tool|driver|hook|editor|exec|template))[\w.:/@-]+$/,
  /^diff\.(?:algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix|context|interhunkcontext|indentheuristic|wserrorhighlight|submodule|ignoresubmodules|statgraphwidth|wordregex)$/,
  /^extensions\.(?:objectformat|refstorage|worktreeconfig|noop|relativeworktrees)$/,
  /^lfs\.(?:.+\.)?(?:repositoryformatversion|access|locksverify|url)$/,
];

/**
 * The text of a configuration file. What is not understood is not harmless; nor is what includes another
 * file.
 */
export function isHarmlessGitConfig(text: string): boolean {
  let section: string | undefined;
  for (const line of text.split('\n')) {
    let rest = line.trim();
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\]/.exec(rest);
    if (header !== null) {
      const [whole, name = '', sub] = header;
      section = sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub}`;
      rest = rest.slice(whole.length).trim();
    }
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) continue;
    const key = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[^\0]*)?$/.exec(rest)?.[1];
    // A line that goes on in the next one may hide another.
    if (section === undefined || key === undefined || rest.endsWith('\\')) return false;
    const named = `${section}.${key.toLowerCase()}`;
    if (/^core\.fsmonitor$/.test(named) && /=\s*(?:true|false)$/i.test(rest)) continue;
    if (!HARMLESS.some((each) => each.test(named))) return false;
  }
  return true;
}
