/** Commands of git that change the history of the repository at hand, and lose nothing that was recorded. */

type Check = (args: readonly string[]) => boolean;

const NAME = /^(?:[\w][\w./@{}~^-]*|-|HEAD\S*)$/;
const isName = (word: string): boolean => NAME.test(word) && !word.includes('..') && !/^\w+:\/\//.test(word);
/** All of the working tree at once. */
const isWhole = (word: string): boolean => /^(?:\.|\.\/|:\/.*|\*.*|\/)$/.test(word);
const options = (args: readonly string[]): readonly string[] =>
  args.filter((arg) => arg.startsWith('-') && arg !== '-');
const operands = (args: readonly string[]): readonly string[] =>
  args.filter((arg) => !arg.startsWith('-') || arg === '-');
const only = (pattern: RegExp, args: readonly string[]): boolean =>
  options(args).every((arg) => pattern.test(arg));

/** Remotes and branches by their names, which another place or a forced update is not. */
const named: Check = (args) => operands(args).every((word) => isName(word) && !word.includes(':'));

const VERBS: Readonly<Record<string, Check>> = {
  add: (args) => only(/^-(?:[Auvpn]+|-(?:all|update|verbose|patch|intent-to-add|dry-run|))$/, args),
  stage: (args) => only(/^-(?:[Auv]+|-(?:all|update|))$/, args),
  commit: (args) =>
    only(
      /^-(?:[asvqmF]+|m.+|-(?:all|message(?:=.*)?|file(?:=.*)?|amend|no-edit|signoff|quiet|verbose|fixup=\S+|squash=\S+|allow-empty|date=.*|author=.*|))$/s,
      args,
    ),
  checkout: (args) =>
    only(/^-(?:[bBq-]|-(?:track|no-track|quiet))$/, args) && !args.includes('-B') && !args.some(isWhole),
  switch: (args) => only(/^-(?:[cq-]|-(?:create|detach|track|no-track|quiet))$/, args),
  restore: (args) =>
    only(/^-(?:[SWq]+|-(?:staged|worktree|source=\S+|))$/, args) &&
    (args.includes('--staged') || !args.some(isWhole)),
  stash: (args) =>
    /^(?:|push|save|pop|apply|list|show)$/.test(operands(args)[0] ?? '') &&
    only(/^-(?:[umkp]+|-(?:include-untracked|keep-index|index|message(?:=.*)?|))$/, args),
  branch: (args) =>
    only(/^-(?:[avrm]+|-(?:show-current|list|track|set-upstream-to=\S+|sort=\S+))$/, args) && named(args),
  tag: (args) => only(/^-(?:[aslmn]+|m.+|-(?:annotate|list|message(?:=.*)?|sort=\S+))$/s, args),
  merge: (args) => only(/^-(?:m|-(?:ff|ff-only|no-ff|no-edit|squash|abort|continue|no-commit|stat))$/, args),
  rebase: (args) => only(/^--(?:continue|abort|skip|autostash|no-autostash)$/, args) && named(args),
  'cherry-pick': (args) => only(/^-(?:[xn]|-(?:continue|abort|skip|no-commit))$/, args) && named(args),
  revert: (args) => only(/^-(?:n|-(?:continue|abort|skip|no-edit|no-commit))$/, args) && named(args),
  reset: (args) => only(/^-(?:q|-(?:soft|mixed|quiet|))$/, args),
  mv: (args) => only(/^-[vk]+$/, args),
  rm: (args) => only(/^-(?:r|-(?:cached|))$/, args) && !args.some(isWhole),
  fetch: (args) => only(/^-(?:[pvqt]+|-(?:all|prune|tags|depth=\d+|quiet|verbose))$/, args) && named(args),
  pull: (args) =>
    only(/^-(?:[pvqr]+|-(?:rebase|no-rebase|ff-only|ff|autostash|prune|quiet))$/, args) && named(args),
};

/** `args`: of git. */
export function isLocalHistory(args: readonly string[]): boolean {
  const at = args.findIndex((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-C');
  if (at < 0) return false;
  if (!args.slice(0, at).every((arg, i) => arg === '-C' || args[i - 1] === '-C' || arg === '--no-pager'))
    return false;
  const verb = args[at] ?? '';
  const check = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  return check?.(args.slice(at + 1)) === true;
}
