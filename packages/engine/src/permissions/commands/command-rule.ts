import { beyondName } from '../../shell/programs/beyond-name.ts';
import { loadsElsewhere } from '../../shell/programs/loaded-code.ts';
import { readCommandLine } from '../../shell/reading/command-line.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import { type CommandLine, literalWords, programOf, type Segment } from '../../shell/reading/segment.ts';
import type { Count } from '../../shell/reading/text-pattern.ts';
import { Steps, TooManySteps } from '../decide/steps.ts';
import {
  matchesCommand,
  namesWord,
  readCommandPattern,
  readSpecifier,
  splitPatternWords,
} from '../rules/command-pattern.ts';

/**
 * `git status` matches only that command; `npm run test:*` (or `npm run test *`) also the command with
 * further words, unless one of them is an option that writes a file, runs a program or takes code from
 * elsewhere, which a rule has to name. A star elsewhere means any text. Only literal words match.
 */
export function allowsWords(specifier: string, words: readonly string[], take: Count): boolean {
  take(1);
  const pattern = readCommandPattern(specifier);
  if (pattern !== undefined)
    return (
      !specifier.endsWith(':*') &&
      matchesCommand(pattern, words, take) &&
      [...beyondName(words), ...loadsElsewhere(words, splitPatternWords(pattern).length)].every((at) =>
        namesWord(pattern, words[at] ?? ''),
      )
    );
  const { text, prefix } = readSpecifier(specifier);
  const wanted = plainWords(text);
  if (wanted === undefined || wanted.some((word, i) => words[i] !== word)) return false;
  if (!prefix) return words.length === wanted.length;
  return [...beyondName(words), ...loadsElsewhere(words, wanted.length)].every((at) => at < wanted.length);
}

/**
 * Whether the rule by itself covers a line of one bare command; lines of several are judged piece by piece.
 */
export function allowsCommand(specifier: string, { segments, unseen }: CommandLine, take: Count): boolean {
  const [only, ...more] = segments;
  if (only === undefined || more.length > 0 || unseen !== undefined) return false;
  const words = literalWords(only);
  return (
    words !== undefined &&
    only.assigns === undefined &&
    only.redirects.length === 0 &&
    allowsWords(specifier, words, take)
  );
}

/**
 * Whether the line consists only of commands that these specifiers name: plain ones, joined by `&&`, `;` or
 * `|`. A command that changes the folder, writes to a file or starts a command that cannot be analysed is not
 * excluded.
 */
export async function commandExcludedBy(specifiers: readonly string[], command: string): Promise<boolean> {
  const { segments, unseen } = await readCommandLine(command);
  const { take } = new Steps();
  const isExcluded = (segment: Segment) => {
    const words = literalWords(segment);
    const isPlain =
      segment.assigns === undefined && segment.redirects.length === 0 && programOf(segment) !== 'cd';
    return (
      isPlain && words !== undefined && specifiers.some((specifier) => allowsWords(specifier, words, take))
    );
  };
  try {
    return unseen === undefined && segments.length > 0 && segments.every(isExcluded);
  } catch (error) {
    if (error instanceof TooManySteps) return false;
    throw error;
  }
}
