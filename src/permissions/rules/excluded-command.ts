import { literalWords, programOf } from '../../shell/reading/segment.ts';
import { allowsWords } from './command-rule.ts';

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
