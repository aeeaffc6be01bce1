/** Answers with a key each, of which one can be marked with the arrow keys and taken with Enter. */
import { type DialogPage, type KeyOutcome, STAY } from './dialog-page.ts';

interface Choice<T> {
  readonly key: string;
  readonly label: string;
  take(): KeyOutcome<T>;
}

interface MarkedChoices<T> extends Required<Pick<DialogPage<T>, 'choices' | 'moves' | 'unmark'>> {
  /** For the row of keys. */
  hints(): readonly string[];
}

/** Nothing is marked at first, so that an Enter that was typed ahead answers nothing. */
export function markChoices<T>(listed: readonly Choice<T>[]): MarkedChoices<T> {
  let at: number | undefined;
  const move = (by: 1 | -1) => () => {
    const from = at ?? (by === 1 ? -1 : listed.length);
    at = Math.max(0, Math.min(listed.length - 1, from + by));
    return STAY;
  };
  return {
    choices: {
      ...Object.fromEntries(listed.map(({ key, take }) => [key, take])),
      enter: () => (at === undefined ? STAY : (listed[at]?.take() ?? STAY)),
    },
    moves: { up: move(-1), down: move(1) },
    hints: () => [
      ...listed.map(({ key, label }, each) => `${each === at ? '› ' : ''}${key} ${label}`),
      '↑↓ Enter',
    ],
    unmark: () => {
      at = undefined;
    },
  };
}
