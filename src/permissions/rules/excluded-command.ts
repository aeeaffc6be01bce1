import { literalWords, programOf } from '../../shell/reading/segment.ts';
import { allowsWords } from './command-rule.ts';

/**
 * Whether the whole line is of commands that these specifiers name: plain ones, joined by `&&`, `;` or `|`. One that goes
 * elsewhere, writes to a file or starts what cannot be seen is not.
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
