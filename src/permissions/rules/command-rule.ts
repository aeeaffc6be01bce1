import { beyondName } from '../../shell/programs/beyond-name.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import { type CommandLine, literalWords, programOf } from '../../shell/reading/segment.ts';

/**
 * `git status` matches only that command; `npm run test:*` (or `npm run test *`) also the command with
 * further words, unless one of them is an option that writes a file or runs a program, which a rule has to
 * name. Only literal words match.
 */
export function allowsWords(specifier: string, words: readonly string[]): boolean {
  const { text, prefix } = readSpecifier(specifier);
  const wanted = plainWords(text);
  if (wanted === undefined || wanted.some((word, i) => words[i] !== word)) return false;
  if (!prefix) return words.length === wanted.length;
  return beyondName(words).every((at) => at < wanted.length);
}

/**
 * Whether the rule by itself covers a line of one bare command; lines of several are judged piece by piece.
 */
export function allowsCommand(specifier: string, { segments, unseen }: CommandLine): boolean {
  const [only, ...more] = segments;
  if (only === undefined || more.length > 0 || unseen !== undefined) return false;
  const words = literalWords(only);
  return words !== undefined && !only.assigns && only.redirects.length === 0 && allowsWords(specifier, words);
}

/**
 * Whether the line consists only of commands that these specifiers name: plain ones, joined by `&&`, `;` or
 * `|`. A command that changes the folder, writes to a file or starts a command that cannot be analysed is not
 * excluded.
 */
export async function commandExcludedBy(specifiers: readonly string[], command: string): Promise<boolean> {
  const { readCommandLine } = await import('../../shell/reading/command-line.ts');
  const { segments, unseen } = await readCommandLine(command);
  return (
    unseen === undefined &&
    segments.length > 0 &&
    segments.every((segment) => {
      const words = literalWords(segment);
      const isPlain = !segment.assigns && segment.redirects.length === 0 && programOf(segment) !== 'cd';
      return isPlain && words !== undefined && specifiers.some((specifier) => allowsWords(specifier, words));
    })
  );
}

/** It also speaks of words that it does not name. */
export function isPrefix(specifier: string): boolean {
  return readSpecifier(specifier).prefix;
}

/** What a specifier names, and whether more words may follow. */
export function readSpecifier(specifier: string): { readonly text: string; readonly prefix: boolean } {
  if (specifier.endsWith(':*')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  if (specifier.endsWith(' *')) return { text: specifier.slice(0, -2).trim(), prefix: true };
  return { text: specifier, prefix: false };
}
