/** A mistyped name of a command. */
import { UsageError } from '../usage-error.ts';

/** Otherwise `turnwright docter` would be sent to a model as a task, which costs money. */
export function rejectMistypedCommand(words: readonly string[], names: readonly string[]): void {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) return;
  const meant = names.find((name) => isSlipOf(word.toLowerCase(), name));
  if (meant === undefined) return;
  throw new UsageError(
    `There is no command '${word}' (did you mean ${meant}?). As a task: turnwright -- ${word}`,
  );
}

/** One letter changed, added, left out, or two neighbours swapped. */
function isSlipOf(word: string, name: string): boolean {
  if (Math.abs(word.length - name.length) > 1) return false;
  let same = 0;
  while (same < name.length && word[same] === name[same]) same++;
  const [rest, wanted] = [word.slice(same), name.slice(same)];
  const swapped = `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}`;
  return [
    rest.slice(1) === wanted.slice(1),
    rest.slice(1) === wanted,
    rest === wanted.slice(1),
    swapped === wanted,
  ].includes(true);
}
