/** Longer commands are never plain: they are not read by users, and no rule is written for them. */
const MAX_PLAIN_COMMAND_CHARS = 10_000;

/** Characters without a special meaning outside of quotes in every supported shell (sh, bash, zsh). */
const BARE = /^[A-Za-z0-9_./:,@%+=-]$/;
/** A program's name: no `=`, so that an assignment in front of a command is not taken for one. */
const PROGRAM = /^[A-Za-z0-9_./+][A-Za-z0-9_./+-]*$/;

/**
 * The words of a command that runs exactly one program with literal arguments, quotes removed. `undefined`
 * for everything else: operators, redirects, substitution, expansion, globs, comments, escapes, assignments,
 * line breaks, characters outside printable ASCII, unclosed quotes. Conservative on purpose: what is refused
 * here is asked about, what is accepted may run because a rule says so.
 */
export function plainWords(command: string): readonly string[] | undefined {
  if (command.length > MAX_PLAIN_COMMAND_CHARS) return undefined;
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < command.length; i++) {
    const char = command.charAt(i);
    if (char === ' ') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'" || char === '"') {
      const end = command.indexOf(char, i + 1);
      const quoted = end < 0 ? undefined : command.slice(i + 1, end);
      if (quoted === undefined || !isLiteral(quoted, char)) return undefined;
      word = (word ?? '') + quoted;
      i = end;
    } else if (BARE.test(char) && !(char === '=' && word === undefined)) {
      word = (word ?? '') + char; // zsh expands a word that begins with `=`
    } else {
      return undefined;
    }
  }
  if (word !== undefined) words.push(word);
  const program = words[0];
  return program !== undefined && PROGRAM.test(program) ? words : undefined;
}

export function isPlainCommand(command: string): boolean {
  return plainWords(command) !== undefined;
}

function isLiteral(quoted: string, quote: "'" | '"'): boolean {
  return quote === "'" ? /^[ -~]*$/.test(quoted) : /^[ -~]*$/.test(quoted) && !/[$`\\!]/.test(quoted);
}
