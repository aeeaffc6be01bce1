/** Programs that search, or show parts of text, with the forms in which they only read. */
import { onlyEditsText, onlyShowsText } from '../awk-and-sed.ts';
import type { ReadingForm } from './reading-form.ts';

const recursive = (args: readonly string[]): boolean =>
  args.some((arg) => /^-[A-Za-z]*[rR]|^--(?:dereference-)?recursive$/.test(arg));

const GREP: ReadingForm = {
  options:
    /^-[inlcowvFxHhsqEGPrLaIbzZTUy]*(?:e.*|[ABCm]\d*|\d+)?$|^--(?:(?:include|exclude|exclude-dir|regexp)=.*|(?:max-count|context|after-context|before-context)=\d+|color(?:=\w+)?|recursive|ignore-case|line-number|count|files-with-matches|files-without-match|only-matching|invert-match|word-regexp|line-regexp|fixed-strings|extended-regexp|perl-regexp|no-messages|quiet|silent|with-filename|no-filename|text|null|byte-offset|line-buffered)$/,
  valued: /^-[inlcowvFxHhsqEGPrLaIbzZTUy]*[eABCm]$/,
  scripts: 1,
  unscripted: /^-[A-Za-z]*[ef]|^--(?:reg|file)/,
  descends: recursive,
};

const FD: ReadingForm = {
  options:
    /^-[HIusgFpai01]*(?:[etdESc].*)?$|^--(?:hidden|no-ignore(?:-vcs)?|unrestricted|case-sensitive|ignore-case|glob|fixed-strings|absolute-path|full-path|print0|(?:extension|type|exclude|max-depth|min-depth|exact-depth|size|color|changed-within|changed-before)(?:=.*)?)$/,
  valued:
    /^-[HIusgFpai01]*[etdESc]$|^--(?:extension|type|exclude|max-depth|min-depth|exact-depth|size|color|changed-within|changed-before)$/,
  scripts: 1,
};

/** Options, variables and the script are no files; the script starts nothing and opens nothing by itself. */
const AWK: ReadingForm = {
  options: /^-[Fv].*$/,
  valued: /^-[Fv]$/,
  scripts: 1,
  holds: ([script]) => script !== undefined && onlyShowsText(script),
};

function sedEditsText([script]: readonly string[], args: readonly string[]): boolean {
  const given = args.flatMap((arg, at) =>
    /^-[nErsu]*e$/.test(args[at - 1] ?? '') ? [arg] : arg.startsWith('--expression=') ? [arg.slice(13)] : [],
  );
  return (given.length > 0 ? given : [script ?? '']).every(onlyEditsText);
}

export const READING_SEARCHES: Readonly<Record<string, ReadingForm>> = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    options:
      /^-[inlcowvFxHIsSUuPN0.pabq]*(?:[er].*|[ABCdgjmMtT].*)?$|^--(?:version|files|files-with-matches|files-without-match|type-list|hidden|ignore-case|smart-case|case-sensitive|fixed-strings|word-regexp|line-regexp|invert-match|only-matching|multiline|multiline-dotall|pcre2|(?:no-)?line-number|column|count|count-matches|(?:no-)?heading|(?:with|no)-filename|null|json|stats|trim|vimgrep|pretty|quiet|text|unrestricted|no-config|no-messages|no-ignore(?:-vcs|-parent|-global|-dot)?|one-file-system|(?:i?glob|replace|regexp)=.*|(?:type|type-not|color|sort|sortr)=\w+|(?:max-count|max-depth|max-columns|context|after-context|before-context|threads)=\d+|i?glob|replace|regexp|type|type-not|color|sort|sortr|max-count|max-depth|max-columns|context|after-context|before-context|threads)$/,
    valued:
      /^-[inlcowvFxHIsSUuPN0.pabq]*[erABCdgjmMtT]$|^--(?:i?glob|replace|regexp|type|type-not|color|sort|sortr|max-count|max-depth|max-columns|context|after-context|before-context|threads)$/,
    scripts: 1,
    unscripted: /^-[A-Za-z0-9.]*[ef]|^--(?:reg|file|type-list)/,
    descends: () => true,
  },
  fd: FD,
  fdfind: FD,
  find: {
    options:
      /^-(?:i?name|i?path|i?wholename|i?regex|regextype|type|maxdepth|mindepth|size|perm|user|group|links|[cma]time|[cma]min|newer|newermt|not|o|or|a|and|print0?|printf|empty|prune|quit|depth|xdev|mount|daystart|readable|writable|executable|true|false|ls)$/,
    valued:
      /^-(?:i?name|i?path|i?wholename|i?regex|regextype|type|maxdepth|mindepth|size|perm|user|group|links|[cma]time|[cma]min|newermt|printf)$/,
    testsLast: true,
  },
  sed: {
    options: /^-[nErsu]*e?$|^--(?:quiet|silent|regexp-extended|expression=.*)$/,
    valued: /^-[nErsu]*e$/,
    scripts: 1,
    unscripted: /^-[nErsu]*e$|^--expression=/,
    holds: sedEditsText,
  },
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
};
